import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences, shown } from '../../src/scenario/expectations.js';

describe('differences', () => {
  test('there are none between a value and itself, or a part of it', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('*'));
    fc.assert(
      fc.property(plain, fc.dictionary(fc.string(), plain), (value, more) => {
        expect(differences(value, value)).toEqual([]);
        expect(differences({ value }, Object.assign(more, { value }))).toEqual([]);
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
  ])('%j is not %j', (expected, actual, words) => {
    expect(differences(expected, actual)).toEqual(words);
  });

  test.each([
    ['evt_*', 'evt_0123'],
    ['4*', 404],
    ['*', true],
    [null, undefined],
    [{ a: null }, {}],
  ])('%j fits %j', (expected, actual) => {
    expect(differences(expected, actual)).toEqual([]);
  });
});

test('a value in a message is short', () => {
  expect(shown({ a: 'b' })).toBe('{"a":"b"}');
  expect(shown(undefined)).toBe('nothing');
  expect(shown('x'.repeat(500))).toHaveLength(121);
});
