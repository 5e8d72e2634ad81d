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
  'check',
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

/** What is open: one row, as itself or as its story, alone or compared. */
export interface DetailRoute {
  readonly kind: DetailKind;
  readonly id: string;
  /** The attempt that is shown. */
  readonly attempt: number | undefined;
  /** The call, or the number of the attempt, that it is compared with. */
  readonly other: string | undefined;
  readonly isStory: boolean;
}

/** Where the console is: a section, what is open in it, and the filter of the live list. */
export interface Route {
  readonly section: Section;
  readonly detail: DetailRoute | undefined;
  readonly filter: string;
}

function isOneOf<Word extends string>(words: readonly Word[], word: string | undefined): word is Word {
  return (words as readonly (string | undefined)[]).includes(word);
}

/** A part of an address without its escapes; as it stands where these make no text. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts of an address, as a browser has them. */
type Address = Readonly<Record<'pathname' | 'search' | 'hash', string>>;

/**
 * Reads an address of the console; what is unknown is the live list. `openedFrom` is the section in which a
 * detail was opened; without it, the detail is beside the list that its address names.
 */
export function readRoute({ pathname, search, hash }: Address, openedFrom?: string): Route {
  const [first, second] = pathname.split('/').filter((part) => part !== '');
  const filter = new URLSearchParams(search).get('q') ?? '';
  const [, attempt, otherAttempt] = /^#attempt-(\d+)(?:-with-(\d+))?$/.exec(hash) ?? [];
  const otherCall = /^#with-(.+)$/.exec(hash)?.[1];
  const detail =
    isOneOf(DETAILS, first) && second !== undefined
      ? {
          kind: first,
          id: decoded(second),
          attempt: attempt === undefined ? undefined : Number(attempt),
          other: otherAttempt ?? otherCall,
          isStory: hash === '#story',
        }
      : undefined;
  const named = isOneOf(SECTIONS, first) ? first : 'live';
  const section = detail !== undefined && isOneOf(SECTIONS, openedFrom) ? openedFrom : named;
  return { section, detail, filter };
}

/** An address to go to from another one: what is opened beside a list keeps the list's filter and page. */
export function besideList(path: string, { search }: Pick<Address, 'search'>): string {
  const to = new URL(path, 'http://console');
  if (to.search === '' && readRoute(to).detail !== undefined) to.search = search;
  return to.pathname + to.search + to.hash;
}

/** The address of the list that a detail was opened from, with its filter and page. */
export function closedPath({ section }: Pick<Route, 'section'>, { search }: Pick<Address, 'search'>): string {
  return sectionPath(section) + search;
}

/** The address of a section. */
export function sectionPath(section: Section): string {
  return section === 'live' ? '/' : `/${section}`;
}

/** What an address asks of a list: a filter and a page of it. */
export type ListQuery = Readonly<Record<string, string>>;

/** The parameters of a list in an address; `filter` is its own one. */
export function listQuery(search: string, filter: string): ListQuery {
  const known = [...new URLSearchParams(search)].filter(
    ([name, value]) => value !== '' && [filter, 'after', 'before'].includes(name),
  );
  return Object.fromEntries(known);
}

/** The address of a list with these parameters. */
export function listPath(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
