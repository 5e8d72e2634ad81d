import { Refusal } from '../../contract/refusals.js';
import { parseDuration } from '../../contract/time.js';
import { isFailed } from '../../contract/transitions.js';
import { suggest } from '../../text/closest.js';
import { matchesGlob } from '../../text/globs.js';
import type { Entry } from './entry.js';
import { ENTRY_KINDS } from './entry.js';

/** Tests whether an entry matches; `now` is sandbox time in milliseconds. */
export type EntryPredicate = (entry: Entry, now: number) => boolean;

const EXAMPLE =
  'status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"';

/** Predicates for the values of `is:`. */
const STATES: Readonly<Record<string, (entry: Entry) => boolean>> = {
  failed: ({ kind, facts: { status, error, to } }) =>
    (kind === 'call' && (status ?? 0) >= 400) ||
    (kind === 'attempt' && error != null) ||
    (kind === 'delivery' && isFailed(to)),
  unmatched: ({ facts }) => facts.matched === false,
  faulted: ({ facts }) => facts.faults !== undefined,
};

/**
 * Filter keys. Each builds a predicate from a value, or describes the valid values if the value is invalid.
 */
const KEYS: Readonly<Record<string, (value: string) => EntryPredicate | string>> = {
  kind: (value) => among(ENTRY_KINDS, value, ({ kind }) => kind === value),
  is: (value) => among(Object.keys(STATES), value, (entry) => STATES[value]?.(entry) ?? false),
  status: (value) => {
    if (!/^[1-9](?:\d\d|xx)$/.test(value)) return 'a status such as 404 or 5xx';
    const start = value.replaceAll('x', '');
    return ({ facts }) => facts.status != null && String(facts.status).startsWith(start);
  },
  method: (value) => ofText(value.toUpperCase(), ({ facts }) => facts.method),
  path: (value) => ofText(value, ({ facts }) => facts.path?.split('?')[0]),
  type: (value) => ofText(value, ({ facts }) => facts.event_type),
  to: (value) => containing(value, ({ facts }) => facts.target),
  by: (value) => ofText(value, (entry) => entry.by),
  id: (value) => (entry) => entry.id?.startsWith(value) ?? false,
  charge: (value) => ofRow(value),
  withdrawal: (value) => ofRow(value),
  since: (value) => {
    const ms = parseDuration(value);
    return ms === undefined ? 'a duration such as 5m' : ({ at }, now) => at >= now - ms;
  },
};

function among(known: readonly string[], value: string, test: EntryPredicate): EntryPredicate | string {
  return known.includes(value) ? test : `one of ${known.join(', ')}`;
}

/** Creates a predicate for a pattern in which `*` matches any text. */
function ofText(pattern: string, textOf: (entry: Entry) => string | undefined): EntryPredicate {
  return (entry) => {
    const text = textOf(entry);
    return text !== undefined && matchesGlob(pattern, text);
  };
}

function containing(part: string, textOf: (entry: Entry) => string | undefined): EntryPredicate {
  const wanted = part.toLowerCase();
  return (entry) => textOf(entry)?.toLowerCase().includes(wanted) ?? false;
}

function ofRow(value: string): EntryPredicate {
  return ({ id, facts }) => id === value || facts.code === value || facts.resource_id === value;
}

/** Matches a word, `key:value` or "quoted text" with an optional leading minus. Values can be quoted. */
const TERM = /(-?)(?:([A-Za-z_]+):)?(?:"([^"]*)"|([^\s"]+))/y;

function testOf(key: string | undefined, value: string): EntryPredicate {
  if (key === undefined) return containing(value, textOf);
  const of = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (of === undefined) throw refused(`Unknown filter key "${key}".${suggest(key, Object.keys(KEYS))}`);
  const test = of(value);
  if (typeof test === 'function') return test;
  const known = key === 'kind' ? ENTRY_KINDS : key === 'is' ? Object.keys(STATES) : [];
  throw refused(`${key}: expects ${test}; got ${value}.${suggest(value, known)}`);
}

function refused(message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message, { hint: `For example: ${EXAMPLE}` });
}

function textOf({ title, id, facts }: Entry): string {
  return [title, id, facts.code, facts.path, facts.error, facts.target].join(' ');
}

/** A parsed filter: `matches` tests the plain terms, `excludes` the terms with a leading minus. */
interface FilterTerms {
  readonly matches: EntryPredicate;
  readonly excludes: EntryPredicate;
}

/**
 * Parses a filter of space-separated terms. Entries must match every plain term and no term with a leading
 * minus. Rejects unknown keys and invalid values with a suggestion (INVALID_REQUEST).
 */
export function readFilter(text: string): EntryPredicate {
  const { matches, excludes } = readFilterTerms(text);
  return (entry, now) => matches(entry, now) && !excludes(entry, now);
}

/**
 * Parses a filter into two predicates. Lists of traces use the predicates separately, because one matching
 * entry is enough to show a trace.
 */
export function readFilterTerms(text: string): FilterTerms {
  const wanted: EntryPredicate[] = [];
  const unwanted: EntryPredicate[] = [];
  let rest = text.trim();
  while (rest !== '') {
    TERM.lastIndex = 0;
    const match = TERM.exec(rest);
    if (match === null) {
      throw refused(`Unclosed quotation mark: ${rest}`);
    }
    const [term, minus, key, quoted, bare = ''] = match;
    const test = testOf(key, quoted ?? bare);
    (minus === '-' ? unwanted : wanted).push(test);
    rest = rest.slice(term.length).trimStart();
  }
  return {
    matches: (entry, now) => wanted.every((test) => test(entry, now)),
    excludes: (entry, now) => unwanted.some((test) => test(entry, now)),
  };
}
