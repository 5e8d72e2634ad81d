import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffValues, judgeRows, formatValue } from '../../src/scenario/expectations.js';

const ROWS = [
  { type: 'pix.expired', status: 'DELIVERED', attempts: 1 },
  { type: 'pix.settled', status: 'FAILED', attempts: 8 },
  { type: 'pix.settled', status: 'PENDING', attempts: 2 },
];

function missesOf(wanted: unknown, rows: readonly object[] = ROWS): string {
  return judgeRows('deliveries', wanted, rows as typeof ROWS).mismatches.join('\n');
}

describe('differences', () => {
  test('differences are none between a value and itself, or a part of it', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('*'));
    fc.assert(
      fc.property(plain, fc.dictionary(fc.string(), plain), (value, more) => {
        expect(diffValues(value, value)).toEqual([]);
        expect(diffValues({ value }, Object.assign(more, { value }))).toEqual([]);
      }),
    );
  });

  test.each([
    [{ a: 1 }, { a: 2, b: 3 }, ['a is 2, expected 1']],
    [{ a: { b: 'x' } }, { a: {} }, ['a.b is nothing, expected "x"']],
    [{ a: { b: 1 } }, { a: null }, ['a is null, expected {"b":1}']],
    [[1, 2], [1], ['it is [1], expected [1,2]']],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, ['a[0].b is 2, expected 1']],
    ['10', 10, ['it is 10, expected "10"']],
    [null, 0, ['it is 0, expected null']],
    [{ a: 'evt_*' }, { a: null }, ['a is null, expected "evt_*"']],
    [{ toString: 'x' }, {}, ['toString is nothing, expected "x"']],
  ])('%j differs from %j', (expected, actual, words) => {
    expect(diffValues(expected, actual)).toEqual(words);
  });

  test.each([
    ['evt_*', 'evt_0123'],
    ['4*', 404],
    ['*', true],
    [null, undefined],
    [{ a: null }, {}],
  ])('%j matches %j', (expected, actual) => {
    expect(diffValues(expected, actual)).toEqual([]);
  });
});

test('shortens a value in a message', () => {
  expect(formatValue({ a: 'b' })).toBe('{"a":"b"}');
  expect(formatValue(undefined)).toBe('nothing');
  expect(formatValue('x'.repeat(500))).toHaveLength(121);
});

describe('rows', () => {
  test.each([
    'pix.settled',
    { type: 'pix.settled' },
    { type: 'pix.settled', count: 2 },
    { type: 'pix.failed', count: 0 },
    { count: 3 },
    { attempts: 8, status: 'F*' },
    ['pix.expired', 'pix.settled', { status: 'PENDING' }],
  ])('rows match the expectation %j', (wanted) => {
    expect(missesOf(wanted)).toBe('');
  });

  test('rows that match are found, so that later steps can refer to them', () => {
    expect(judgeRows('deliveries', { type: 'pix.settled' }, ROWS).found).toEqual(ROWS.slice(1));
  });

  test('reports the expected row, the nearest ones, and all', () => {
    expect(missesOf({ type: 'pix.settled', status: 'DELIVERED' })).toBe(
      [
        'deliveries: expected at least 1 with {"type":"pix.settled","status":"DELIVERED"}; got 0.',
        '  The closest match is pix.expired DELIVERED attempts 1: type is "pix.expired", expected "pix.settled"',
        '  Found: 3',
        '    pix.expired DELIVERED attempts 1',
        '    pix.settled FAILED attempts 8',
        '    pix.settled PENDING attempts 2',
      ].join('\n'),
    );
  });

  test('reports too many rows, and none', () => {
    expect(missesOf({ type: 'pix.settled', count: 1 })).toBe(
      [
        'deliveries: expected 1 with {"type":"pix.settled"}; got 2.',
        '  Matching: 2',
        '    pix.settled FAILED attempts 8',
        '    pix.settled PENDING attempts 2',
      ].join('\n'),
    );
    expect(missesOf('pix.settled', [])).toContain('None found.');
    expect(
      missesOf(
        { count: 0 },
        Array.from({ length: 20 }, () => ROWS[0] ?? {}),
      ),
    ).toContain('and 12 more');
  });

  test('matches a list only completely and in its order', () => {
    expect(missesOf(['pix.settled', 'pix.expired', 'pix.settled'])).toContain(
      'Number 1: pix.expired DELIVERED attempts 1: type is "pix.expired", expected "pix.settled"',
    );
    expect(missesOf(['pix.expired', 'pix.settled'])).toContain('The first 2 match, but more were found.');
    expect(missesOf([...ROWS, 'pix.failed'])).toContain('Number 4: {"type":"pix.failed"} is missing');
    expect(missesOf([], [])).toBe('');
  });
});
