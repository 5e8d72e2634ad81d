/** The pages that the navigation names, in its order. */
export const SECTIONS = [
  'live',
  'charges',
  'withdrawals',
  'ledger',
  'endpoints',
  'faults',
  'identity',
  'time',
  'saved',
  'scenarios',
  'setup',
] as const;

export type Section = (typeof SECTIONS)[number];

/** What may be open beside a list. */
export const DETAILS = [
  'calls',
  'events',
  'deliveries',
  'charges',
  'withdrawals',
  'endpoints',
  'identity',
] as const;

export type DetailKind = (typeof DETAILS)[number];

/** Where the console is: a section, what is open in it, and the filter of the live list. */
export interface Route {
  readonly section: Section;
  readonly detail:
    | { readonly kind: DetailKind; readonly id: string; readonly attempt: number | undefined }
    | undefined;
  readonly filter: string;
}

function isOneOf<Word extends string>(words: readonly Word[], word: string | undefined): word is Word {
  return (words as readonly (string | undefined)[]).includes(word);
}

/** Reads an address of the console; what is unknown is the live list. */
export function readRoute({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): Route {
  const [first, second] = pathname.split('/').filter((part) => part !== '');
  const filter = new URLSearchParams(search).get('q') ?? '';
  const attempt = /^#attempt-(\d+)$/.exec(hash)?.[1];
  const detail =
    isOneOf(DETAILS, first) && second !== undefined
      ? {
          kind: first,
          id: decodeURIComponent(second),
          attempt: attempt === undefined ? undefined : Number(attempt),
        }
      : undefined;
  return { section: isOneOf(SECTIONS, first) ? first : 'live', detail, filter };
}

/** The address of a section. */
export function sectionPath(section: Section): string {
  return section === 'live' ? '/' : `/${section}`;
}
