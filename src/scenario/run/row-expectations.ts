import type { ListName } from '../format/expectations.js';
import type { Row } from './observed.js';
import { differences, shown } from './match.js';

/** What was found, and what is missing: nothing when the expectation holds. */
export interface Judged {
  readonly found: readonly Row[];
  readonly misses: readonly string[];
}

const MOST_SHOWN = 8;

/** The fields that identify a row, on one line. */
const TOLD_BY: Readonly<Record<ListName, readonly string[]>> = {
  events: ['type', 'resource'],
  deliveries: ['type', 'status', 'attempts', 'last_response_status', 'last_error'],
  received: ['type', 'code', 'attempt', 'answer', 'verified', 'duplicate'],
  calls: ['method', 'path', 'status', 'error'],
  transactions: ['direction', 'amount', 'code'],
};

/**
 * Checks the rows of a list against a word (at least one of that type), a matcher (at least one, or `count`), or a list of both: then
 * all of them, in their order.
 */
export function judgeRows(list: ListName, wanted: unknown, rows: readonly Row[]): Judged {
  if (Array.isArray(wanted)) return judgeAll(list, wanted.map(matcherOf), rows);
  const { count, ...matcher } = matcherOf(wanted);
  const judged = rows.map((row) => ({ row, wrong: differences(matcher, row) }));
  const found = judged.filter(({ wrong }) => wrong.length === 0).map(({ row }) => row);
  const isMet = count === undefined ? found.length > 0 : found.length === count;
  if (isMet) return { found, misses: [] };
  const number = count === undefined ? 'at least 1' : shown(count);
  const what = Object.keys(matcher).length === 0 ? '' : ` with ${shown(matcher)}`;
  const [nearest] = judged
    .filter(({ wrong }) => wrong.length > 0 && wrong.length < Math.max(Object.keys(matcher).length, 2))
    .sort((a, b) => a.wrong.length - b.wrong.length);
  const isShort = found.length === 0 && nearest !== undefined;
  return {
    found,
    misses: [
      `${list}: expected ${number}${what}; got ${found.length}.`,
      ...(isShort ? [`  The nearest is ${line(list, nearest.row)}: ${nearest.wrong.join('; ')}`] : []),
      ...inventory(list, found.length > 0 ? found : rows, found.length > 0 ? 'Those' : 'There'),
    ],
  };
}

function matcherOf(wanted: unknown): Row {
  return typeof wanted === 'string' ? { type: wanted } : (wanted as Row);
}

function judgeAll(list: ListName, matchers: readonly Row[], rows: readonly Row[]): Judged {
  const wrong = matchers.map((matcher, index) => {
    const row = rows[index];
    if (row === undefined) return `${shown(matcher)} did not come`;
    const misses = differences(matcher, row);
    return misses.length === 0 ? undefined : `${line(list, row)}: ${misses.join('; ')}`;
  });
  const first = wrong.findIndex((one) => one !== undefined);
  if (first < 0 && rows.length === matchers.length) return { found: rows, misses: [] };
  const order = matchers.map(shown).join(', ');
  return {
    found: rows,
    misses: [
      `${list}: expected exactly these ${matchers.length} in this order: ${order}; got ${rows.length}.`,
      first < 0
        ? `  The first ${matchers.length} are right, and more came.`
        : `  Number ${first + 1}: ${wrong[first]}`,
      ...inventory(list, rows, 'There'),
    ],
  };
}

function inventory(list: ListName, rows: readonly Row[], word: string): string[] {
  if (rows.length === 0) return ['  There is none at all.'];
  const more = rows.length > MOST_SHOWN ? [`    and ${rows.length - MOST_SHOWN} more`] : [];
  const lines = rows.slice(0, MOST_SHOWN).map((row) => `    ${line(list, row)}`);
  return [`  ${word}: ${rows.length}`, ...lines, ...more];
}

function line(list: ListName, row: Row): string {
  return TOLD_BY[list]
    .filter((field) => row[field] !== null && row[field] !== undefined)
    .map((field) => {
      const value = row[field];
      const { code } = (field === 'resource' ? value : {}) as { readonly code?: string };
      if (code !== undefined) return code;
      return typeof value === 'string' ? value : `${field} ${shown(value)}`;
    })
    .join(' ');
}
