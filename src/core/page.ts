import { object, optional } from '../schema/object.js';
import { withDoc, type Refinement, mapValue, refine } from '../schema/values.js';
import { computeHash128, toHex } from './ids.js';
import { RAW_TEXT, integerRange } from './input/kinds.js';
import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { type NumberedRow, findIndexByOrdinal } from './table.js';
import type { World } from './world.js';

/** Parameters of a list request (§2.6), with unparsed cursors. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/**
 * Page of rows, newest first. `after` continues with older rows and `before` with newer rows; a cursor is
 * null if no such rows exist.
 */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly after: string | null;
  readonly before: string | null;
}

/** Identifies the list to which a cursor belongs, by name, owner and filters. */
export interface ListKey {
  readonly list: string;
  readonly owner?: string;
  readonly filters?: Readonly<Record<string, string | undefined>>;
}

const PAGE_SIZE = refine(integerRange(1, LIMITS.pageSizeMax), (value): Refinement<number> => ({ value }), {
  default: LIMITS.pageSizeDefault,
});

/** Returns true for an empty cursor or the text `null` (§4.2). */
export function isEmptyCursor(text: string): boolean {
  return text === '' || text === 'null';
}

const CURSOR = withDoc(
  'A cursor from `paging`. Omit it for the first page.',
  optional(mapValue(RAW_TEXT, (text) => (isEmptyCursor(text) ? undefined : text))),
);

/** List query parameters (§4.2). */
export const PAGE_FIELDS = { limit: optional(PAGE_SIZE), after: CURSOR, before: CURSOR };
export const PAGE_QUERY = object('a query', PAGE_FIELDS);

/**
 * Returns one page of rows sorted by ordinal. Cursors are positions, so they stay valid while rows are added
 * or removed. Throws INVALID_REQUEST for two cursors or another list's cursor.
 */
export function paginate<Row extends NumberedRow>(
  world: World,
  rows: readonly Row[],
  key: ListKey,
  query: PageQuery,
  matches?: (row: Row) => boolean,
): RowPage<Row> {
  const { limit = LIMITS.pageSizeDefault, after, before } = query;
  if (after && before) throw invalid('before', 'Use either after or before, not both.');
  const cursor = cursorsOf(world, key);
  const list = matches === undefined ? rows : rows.filter(matches);
  const start = before ? findIndexByOrdinal(list, cursor.read('before', before) + 1) : 0;
  const end = after ? findIndexByOrdinal(list, cursor.read('after', after)) : list.length;
  const shown = before ? list.slice(start, start + limit) : list.slice(start, end).slice(-limit);
  const [oldest, newest] = [shown[0], shown.at(-1)];
  return {
    rows: shown.toReversed(),
    after: oldest && oldest !== list[0] ? cursor.write(oldest.ordinal) : null,
    before: newest && newest !== list.at(-1) ? cursor.write(newest.ordinal) : null,
  };
}

function cursorsOf(world: World, { list, owner = '', filters = {} }: ListKey) {
  const filterText = Object.keys(filters)
    .sort()
    .map((name) => `${name}=${filters[name] ?? ''}`)
    .join('&');
  const keyCodes = Array.from(`${list}\n${owner}\n${filterText}`, (character) => character.charCodeAt(0));
  const write = (ordinal: number) =>
    `${ordinal.toString(36)}-${toHex(computeHash128(world.seed, 'cursor', ordinal, ...keyCodes)).slice(0, 20)}`;
  const read = (field: string, text: string) => {
    const ordinal = Number.parseInt(text.split('-')[0] ?? '', 36);
    if (!Number.isSafeInteger(ordinal) || ordinal < 0 || write(ordinal) !== text) {
      throw invalid(field, 'Must be a cursor returned by this list with the same filters.');
    }
    return ordinal;
  };
  return { write, read };
}

function invalid(field: string, message: string): Refusal {
  return new Refusal('INVALID_REQUEST', 'The query is invalid.', {
    details: [{ field, message }],
    hint: 'For the first page, omit after and before; then follow paging.after.',
  });
}
