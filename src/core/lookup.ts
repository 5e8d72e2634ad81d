import type { FieldProblem } from '../contract/refusals.js';
import { Refusal } from '../contract/refusals.js';

/** Rows of one kind, and what people name them by. */
export interface Named<Row> {
  /** Such as `charge`; with an s it is the plural, unless that is given. */
  readonly what: string;
  readonly plural?: string;
  /** What precedes a text that names none, such as `charge with the id or code`; by default `what`. */
  readonly called?: string;
  /** What precedes the hex digits of an id, such as `evt_`. */
  readonly prefix: string;
  readonly rows: () => Iterable<Row>;
  readonly idOf: (row: Row) => string;
  readonly byId: (id: string) => Row | undefined;
  /** The rows that have a code or name. */
  /** What `byCode` looks for, when it is not a code. */
  readonly coded?: 'code' | 'name';
  readonly byCode?: (code: string) => readonly Row[];
  /** What tells a row from others, beside its id. */
  readonly label: (row: Row) => string;
  /** What to do where there is no such row. */
  readonly hint: string;
  /** Shortens an id for errors, where ids are credentials. */
  readonly shorten?: (id: string) => string;
}

const LEAST_DIGITS = 4;
const MOST_SHOWN = 5;

/**
 * The row of this id, or else of this code, or else the only row whose id begins so; undefined where there is none. Refuses
 * (INVALID_REQUEST) a text that stands for several rows.
 */
export function lookUpIfAny<Row>(named: Named<Row>, text: string): Row | undefined {
  const exact = named.byId(text) ?? byCode(named, text);
  if (exact !== undefined) return exact;
  const digits = digitsOf(named, text);
  if (digits === undefined || countOf(digits) < LEAST_DIGITS) return undefined;
  const found = beginningWith(named, digits);
  if (found.length > 1) throw ambiguous(named, text, found);
  return found[0];
}

/** The same; refuses with NOT_FOUND where there is no such row. */
export function lookUpIn<Row>(named: Named<Row>, text: string): Row {
  const found = lookUpIfAny(named, text);
  if (found === undefined) throw unknown(named, text);
  return found;
}

/** The row of this whole id, for what cannot be undone. Refuses the beginning of an id with INVALID_REQUEST and names the whole. */
export function lookUpWholeIn<Row>(named: Named<Row>, text: string): Row {
  const exact = named.byId(text);
  if (exact !== undefined) return exact;
  const { what, idOf, label } = named;
  const meant = lookUpIn(named, text);
  const id = idOf(meant);
  // A whole id in capitals names the row as well as the id itself.
  if (id === text.toLowerCase()) return meant;
  throw new Refusal(
    'INVALID_REQUEST',
    `This takes the whole id of the ${what} ${label(meant)}; got ${text}.`,
    {
      hint: `Give ${id}.`,
    },
  );
}

function byCode<Row>({ what, byCode, coded = 'code' }: Named<Row>, text: string): Row | undefined {
  const rows = byCode?.(text) ?? [];
  if (rows.length > 1) {
    throw new Refusal(
      'INVALID_REQUEST',
      `${rows.length} applications have a ${what} with the ${coded} ${text}.`,
      {
        hint: 'Give its id instead.',
      },
    );
  }
  return rows[0];
}

/** The digits with which an id begins, in lower case; undefined for a text that begins no id. */
function digitsOf({ prefix }: Pick<Named<unknown>, 'prefix'>, text: string): string | undefined {
  const bare = text.replace(/…$/, '').toLowerCase();
  const digits = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare;
  return /^[0-9a-f][0-9a-f-]*$/.test(digits) ? digits : undefined;
}

function countOf(digits: string): number {
  return digits.replaceAll('-', '').length;
}

function beginningWith<Row>({ prefix, rows, idOf }: Named<Row>, digits: string): Row[] {
  const beginning = prefix + digits;
  const found: Row[] = [];
  for (const row of rows()) if (idOf(row).startsWith(beginning)) found.push(row);
  return found;
}

function ambiguous<Row>(
  { what, plural = `${what}s`, idOf, label, shorten }: Named<Row>,
  text: string,
  found: readonly Row[],
): Refusal {
  const shown = found.slice(-MOST_SHOWN).reverse();
  const details = shown.map((row): FieldProblem => {
    const id = idOf(row);
    return { field: 'id', message: `${shorten?.(id) ?? id} ${label(row)}` };
  });
  const left = found.length - shown.length;
  return new Refusal(
    'INVALID_REQUEST',
    `The ids of ${found.length} ${plural} begin with ${shorten?.(text) ?? text}.`,
    {
      details,
      hint: left === 0 ? 'Give more of the id.' : `Give more of the id; ${left} more begin so.`,
    },
  );
}

function unknown<Row>(named: Named<Row>, text: string): Refusal {
  const { what, called = what, prefix, hint, shorten } = named;
  const message = shorten === undefined ? `There is no ${called} ${text}.` : `There is no such ${what}.`;
  return new Refusal('NOT_FOUND', message, { hint: notFoundHint(prefix, text, hint) });
}

/** A hint, after saying that a text is too short to begin an id, where it is. */
export function notFoundHint(prefix: string, text: string, hint: string): string {
  const digits = digitsOf({ prefix }, text);
  const count = digits === undefined ? LEAST_DIGITS : countOf(digits);
  if (count >= LEAST_DIGITS) return hint;
  return `The beginning of an id takes at least ${LEAST_DIGITS} of its digits; got ${count}. ${hint}`;
}
