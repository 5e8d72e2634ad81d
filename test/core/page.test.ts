import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBodyOrRefuse } from '../../src/core/input/bodies.js';
import { type ListKey, type RowPage, paginate, PAGE_QUERY, type PageQuery } from '../../src/core/page.js';
import { Refusal } from '../../src/contract/refusals.js';
import { thrownBy } from '../helpers/thrown-by.js';
import { TestWorld } from '../helpers/core/world.js';

interface Row {
  readonly ordinal: number;
  readonly isEven: boolean;
}

const KEY: ListKey = { list: 'things', owner: 'app-1', filters: { status: 'PENDING' } };
const { world } = new TestWorld();

function rowsUpTo(count: number): Row[] {
  return Array.from({ length: count }, (_, ordinal) => ({ ordinal, isEven: ordinal % 2 === 0 }));
}

function ordinals(shown: RowPage<Row>): number[] {
  return shown.rows.map(({ ordinal }) => ordinal);
}

function list(rows: readonly Row[], query: PageQuery, key = KEY): RowPage<Row> {
  return paginate(world, rows, key, query);
}

/** What is wrong, as the answer's details name it. */
function problemOf(query: PageQuery, key = KEY): string {
  try {
    list(rowsUpTo(60), query, key);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') return error.details[0]?.field ?? '';
    throw error;
  }
  return 'none';
}

describe('a page', () => {
  test('contains 25 rows by default, newest first', () => {
    const first = list(rowsUpTo(60), {});
    expect(ordinals(first)).toEqual(Array.from({ length: 25 }, (_, index) => 59 - index));
    expect(first.before).toBeNull();
    expect(first.after).toEqual(expect.any(String));
  });

  test.each([0, 51, -1, 1.5, '5'])('rejects the limit %j', (limit) => {
    const { details } = thrownBy(() => readBodyOrRefuse(PAGE_QUERY, { limit }), Refusal);
    expect(details).toEqual([
      { field: 'limit', message: expect.stringContaining('a whole number from 1 to 50; got ') },
    ]);
  });

  test('a page has no cursors for the whole list or an empty one', () => {
    expect(list(rowsUpTo(25), {})).toMatchObject({ after: null, before: null });
    expect(list([], {})).toEqual({ rows: [], after: null, before: null });
  });

  test('continues with after and returns with before, and reports the ends', () => {
    const rows = rowsUpTo(5);
    const first = list(rows, { limit: 2 });
    const second = list(rows, { limit: 2, after: first.after ?? '' });
    const third = list(rows, { limit: 2, after: second.after ?? '' });
    expect([first, second, third].map(ordinals)).toEqual([[4, 3], [2, 1], [0]]);
    expect(third.after).toBeNull();
    const back = list(rows, { limit: 2, before: third.before ?? '' });
    expect(ordinals(back)).toEqual([2, 1]);
    const start = list(rows, { limit: 2, before: back.before ?? '' });
    expect(ordinals(start)).toEqual([4, 3]);
    expect(start.before).toBeNull();
  });
});

describe('a cursor', () => {
  const rows = rowsUpTo(60);
  const cursor = list(rows, { limit: 10 }).after ?? '';

  test('a cursor is a position that outlives its row and the rows around it', () => {
    const survivors = rows.filter(({ ordinal }) => ordinal < 45 || ordinal > 55);
    expect(ordinals(list(survivors, { limit: 3, after: cursor }))).toEqual([44, 43, 42]);
    expect(ordinals(list(survivors, { limit: 3, before: cursor }))).toEqual([58, 57, 56]);
  });

  test.each([
    ['another list', { ...KEY, list: 'other' }],
    ['another owner', { ...KEY, owner: 'app-2' }],
    ['another filter', { ...KEY, filters: { status: 'FAILED' } }],
    ['no filter', { list: KEY.list, owner: 'app-1' }],
  ])('a cursor is rejected by %s', (_, key) => {
    expect(problemOf({ after: cursor })).toBe('none');
    expect(problemOf({ after: cursor }, key)).toBe('after');
    expect(problemOf({ before: cursor }, key)).toBe('before');
  });

  test('a cursor is the same whatever the order in which the filters are named', () => {
    const one = list(rows, {}, { list: 'x', filters: { a: '1', b: '2' } }).after ?? '';
    expect(problemOf({ after: one }, { list: 'x', filters: { b: '2', a: '1' } })).toBe('none');
  });

  test('a cursor is rejected in a sandbox with another seed', () => {
    const other = new TestWorld({ seed: 'other' }).world;
    expect(() => paginate(other, rows, KEY, { after: cursor })).toThrow(Refusal);
  });

  test('a cursor is rejected if any character was changed, and if it was never issued', () => {
    fc.assert(
      fc.property(
        fc.nat(cursor.length - 1),
        fc.constantFrom('0', '1', '9', 'a', 'f', 'z', '-', 'A', ' '),
        (index, character) => {
          const tampered = cursor.slice(0, index) + character + cursor.slice(index + 1);
          fc.pre(tampered !== cursor);
          expect(problemOf({ after: tampered })).toBe('after');
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(problemOf({ before: text })).toBe('before');
      }),
    );
  });

  test('rejects a second cursor', () => {
    expect(problemOf({ after: cursor, before: cursor })).toBe('before');
  });
});

describe('pagination', () => {
  const anyWalk = fc.record({
    count: fc.nat(40),
    limit: fc.integer({ min: 1, max: 7 }),
    /** How many rows are added before each request. */
    added: fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
    onlyEven: fc.boolean(),
  });

  test('pagination forwards returns each initial row once, in order, while rows are added', () => {
    fc.assert(
      fc.property(anyWalk, ({ count, limit, added, onlyEven }) => {
        const rows = rowsUpTo(count);
        const matches = (row: Row) => !onlyEven || row.isEven;
        const expected = rows.filter(matches).map(({ ordinal }) => ordinal);
        const walked: number[] = [];
        let after: string | null = '';
        for (let request = 0; after !== null; request += 1) {
          const shown: RowPage<Row> = paginate(world, rows, KEY, { limit, after }, matches);
          walked.push(...ordinals(shown));
          after = shown.after;
          rows.push(...rowsUpTo(rows.length + (added[request % added.length] ?? 0)).slice(rows.length));
        }
        expect(walked).toEqual(expected.reverse());
      }),
    );
  });

  test('pagination backwards returns each newer row once, including those added meanwhile', () => {
    fc.assert(
      fc.property(anyWalk, ({ count, limit, added, onlyEven }) => {
        const rows = rowsUpTo(count + 2);
        const matches = (row: Row) => !onlyEven || row.isEven;
        const oldest = list(rows, { limit: 1, after: list(rows, { limit: 1 }).after ?? '' });
        const walked: number[] = [];
        let before: string | null = oldest.before;
        for (let request = 0; before !== null; request += 1) {
          const more = request < added.length ? (added[request] ?? 0) : 0;
          rows.push(...rowsUpTo(rows.length + more).slice(rows.length));
          const shown: RowPage<Row> = paginate(world, rows, KEY, { limit, before }, matches);
          walked.push(...ordinals(shown).reverse());
          before = shown.before;
        }
        const newer = rows.filter((row) => matches(row) && row.ordinal > (oldest.rows[0]?.ordinal ?? 0));
        expect(walked).toEqual(newer.map(({ ordinal }) => ordinal));
      }),
    );
  });
});
