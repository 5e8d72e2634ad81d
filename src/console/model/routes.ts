import { consoleTexts } from '../words.js';

/** Pages in navigation order. */
export const SECTIONS = Object.keys(consoleTexts.sections) as Section[];
export type Section = keyof typeof consoleTexts.sections;

const DETAILS = ['calls', 'events', 'deliveries', 'charges', 'withdrawals', 'endpoints', 'identity'] as const;
export type DetailKind = (typeof DETAILS)[number];

/** An open row or its trace, optionally compared with another row. */
interface DetailRoute {
  readonly kind: DetailKind;
  readonly id: string;
  readonly attempt: number | undefined;
  /** The request or attempt number to compare with. */
  readonly other: string | undefined;
  readonly isTraceOpen: boolean;
}

/** A section, its open detail, and the live list's filter. */
export interface Route {
  readonly section: Section;
  readonly detail: DetailRoute | undefined;
  readonly filter: string;
}

function isOneOf<Word extends string>(words: readonly Word[], word: string | undefined): word is Word {
  return (words as readonly (string | undefined)[]).includes(word);
}

/** Decodes a URL segment. Returns invalid escapes unchanged. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Address = Readonly<Record<'pathname' | 'search' | 'hash', string>>;

/**
 * Parses a URL; unknown URLs show the live list. `openedFrom` is the section in which a detail was opened, by
 * default the section in the URL.
 */
export function readRoute({ pathname, search, hash }: Address, openedFrom?: string): Route {
  const [first, second] = pathname.split('/').filter((part) => part !== '');
  const filter = new URLSearchParams(search).get('q') ?? '';
  const named = isOneOf(SECTIONS, first) ? first : 'live';
  if (!isOneOf(DETAILS, first) || second === undefined) return { section: named, detail: undefined, filter };
  const [, attempt, otherAttempt] = /^#attempt-(\d+)(?:-with-(\d+))?$/.exec(hash) ?? [];
  const detail = {
    kind: first,
    id: decodePart(second),
    attempt: attempt === undefined ? undefined : Number(attempt),
    other: otherAttempt ?? /^#with-(.+)$/.exec(hash)?.[1],
    isTraceOpen: hash === '#trace',
  };
  return { section: isOneOf(SECTIONS, openedFrom) ? openedFrom : named, detail, filter };
}

/** Returns a detail's URL that preserves the current list's filter and page. */
export function getListPath(path: string, { search }: Pick<Address, 'search'>): string {
  const to = new URL(path, 'http://console');
  if (to.search === '' && readRoute(to).detail !== undefined) to.search = search;
  return to.pathname + to.search + to.hash;
}

/** Returns the URL of the list behind a detail, with the same filter and page. */
export function getClosedPath(
  { section }: Pick<Route, 'section'>,
  { search }: Pick<Address, 'search'>,
): string {
  return getSectionPath(section) + search;
}

export function getSectionPath(section: Section): string {
  return section === 'live' ? '/' : `/${section}`;
}

export type ListQuery = Readonly<Record<string, string>>;

/** Returns a list's paging parameters and its `filter` parameter from a URL query. */
export function formatListQuery(search: string, filter: string): ListQuery {
  const known = [...new URLSearchParams(search)].filter(
    ([name, value]) => value !== '' && [filter, 'after', 'before'].includes(name),
  );
  return Object.fromEntries(known);
}

export function formatListPath(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/**
 * Returns the control token from a URL fragment, which browsers never send. Returns undefined if a header
 * cannot contain the token.
 */
export function parseToken({ hash }: { readonly hash: string }): string | undefined {
  const token = decodePart(/^#token=(.+)$/.exec(hash)?.[1] ?? '');
  return /^[!-~]+$/.test(token) ? token : undefined;
}

const STORED = 'pix-sandbox-control-token';

/** `sessionStorage` in a browser. */
interface TabStorage {
  readonly getItem: (name: string) => string | null;
  readonly setItem: (name: string, value: string) => void;
}

/**
 * Stores the tab's control token and a link's token. Anyone can create a link, so its token is used without
 * confirmation only if the sandbox refuses the tab's token, or requires a token and the tab has none.
 */
export function createTokenStore(storage: TabStorage) {
  let offered: string | undefined;
  const token = {
    current: () => storage.getItem(STORED) ?? undefined,
    store: (value: string) => storage.setItem(STORED, value),
    offer: (value: string | undefined) => {
      offered = value === token.current() ? undefined : value;
    },
    withdrawOffer: () => {
      const withdrawn = offered;
      offered = undefined;
      return withdrawn;
    },
    /** Switches to the link's token. Returns false if no token was offered. */
    acceptOffer: () => {
      const accepted = token.withdrawOffer();
      if (accepted !== undefined) token.store(accepted);
      return accepted !== undefined;
    },
  };
  return token;
}
