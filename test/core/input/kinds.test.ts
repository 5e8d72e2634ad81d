import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { body, readBody } from '../../../src/core/input/bodies.js';
import {
  AMOUNT,
  choices,
  CODE,
  DOCUMENT,
  duration as durationOf,
  METADATA,
  NO_METADATA,
  numberAbove,
  text as textOf,
  UUID,
  valuesByName,
  wholeNumber,
} from '../../../src/core/input/kinds.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { nullish } from '../../../src/schema/object.js';
import type { Schema } from '../../../src/schema/schema.js';
import { oneOf } from '../../../src/schema/values.js';

/** What reading a field of this value gives: the value, or the message of what is wrong with it. */
function read<Value>(value: unknown, schema: Schema<Value>): Value | string | undefined {
  try {
    return readBody(body({ field: schema }), { field: value }).field;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.details.map(({ field, message }) => `refused: ${field} ${message}`).join();
  }
}

const refused = (text = '') => expect.stringMatching(new RegExp(`^refused: field .*${text}`));

describe('a text', () => {
  const text = (value: unknown) => read(value, textOf(5));

  test.each(['a', 'abcde', 'olá', ' ', '"', '🙂🙂🙂🙂🙂'])('may be %j', (value) =>
    expect(text(value)).toBe(value),
  );

  test.each([
    ['', '1 to 5 characters; got 0'],
    ['abcdef', '1 to 5 characters; got 6'],
    ['🙂🙂🙂🙂🙂🙂', '1 to 5 characters; got 6'],
    ['a\nb', 'control characters'],
    ['a\u0000', 'control characters'],
    ['\u009f', 'control characters'],
    ['a\ud800', 'half of a surrogate pair'],
    [5, 'a string; got the number 5'],
    [true, 'a string; got the boolean true'],
    [[], 'a string; got a list'],
    [{}, 'a string; got an object'],
  ])('is not %j', (value, message) => expect(text(value)).toEqual(refused(message)));
});

describe('a code', () => {
  const code = (value: unknown) => read(value, CODE);

  test.each(['order-1', '!~', 'café', '🙂', 'x'.repeat(100)])('may be %j', (value) =>
    expect(code(value)).toBe(value),
  );

  test.each(['a b', ' a', '\u00a0', 'a\u2003b', '\u3000', 'a\u2028', 'a\u200bb', '\ud800', 'x'.repeat(101)])(
    'has no space and nothing that cannot be seen: %j',
    (value) => expect(code(value)).toEqual(refused()),
  );
});

describe('a UUID', () => {
  const uuid = (value: unknown) => read(value, UUID);

  test('is taken in lower case', () => {
    expect(uuid('ABCDEF00-0000-4000-8000-000000000001')).toBe('abcdef00-0000-4000-8000-000000000001');
  });

  test.each(['', 'x', '{00000000-0000-4000-8000-000000000001}', 1])('is not %j', (value) =>
    expect(uuid(value)).toEqual(refused()),
  );
});

describe('an amount', () => {
  const amount = (value: unknown) => read(value, AMOUNT);

  test('is cents', () => expect(amount('10.5')).toBe(1_050));

  test.each([
    [10, 'must be a string, such as .*; got the number 10'],
    ['0.00', 'must be above zero'],
    ['1,00', 'must be digits with a point'],
    [undefined, 'Is required'],
  ])('is not %j', (value, message) => expect(amount(value)).toEqual(refused(message)));
});

describe('a document', () => {
  const document = (value: unknown) => read(value, DOCUMENT);

  test.each([
    ['529.982.247-25', '52998224725'],
    ['12ABC34501DE35', '12ABC34501DE35'],
  ])('%s is kept as %s', (value, bare) => expect(document(value)).toBe(bare));

  // A letter that becomes an I or two S in capitals stands for neither.
  test.each(['52998224724', '11111111111', 'x', 52_998_224_725, '12ABC34501DE3ß', '12aıc34501de35'])(
    'is not %j',
    (value) => expect(document(value)).toEqual(refused()),
  );
});

describe('a duration', () => {
  const wanted = { leastMs: 1, mostMs: 60_000, example: '3s' };
  const duration = (value: unknown) => read(value, durationOf(wanted));

  test('is milliseconds', () => expect(duration('1m')).toBe(60_000));

  test.each(['0s', '61s', 'soon', '', 3])('is not %j', (value) => expect(duration(value)).toEqual(refused()));
});

describe('numbers', () => {
  const whole = (value: unknown) => read(value, wholeNumber(1, 9));
  const share = (value: unknown) => read(value, numberAbove(0, 1));

  test('are whole ones in their range', () => {
    expect([whole(1), whole(9)]).toEqual([1, 9]);
    for (const value of [0, 10, 1.5, '1', true]) expect(whole(value)).toEqual(refused('from 1 to 9; got'));
  });

  test('are above their limit', () => {
    expect([share(0.001), share(1)]).toEqual([0.001, 1]);
    for (const value of [0, 1.01, '1']) expect(share(value)).toEqual(refused('above 0 and up to 1; got'));
  });
});

describe('metadata', () => {
  const metadata = (value: unknown) => read(value, nullish(METADATA, NO_METADATA));
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

  test('is empty when absent', () => expect(metadata(undefined)).toEqual({}));

  test('holds up to 50 keys of up to 40 characters with values of up to 500', () => {
    expect(metadata(keys(50))).toEqual(keys(50));
    const longest = { ['k'.repeat(40)]: 'v'.repeat(500) };
    expect(metadata(longest)).toEqual(longest);
  });

  test.each([
    [keys(51), 'at most 50 keys'],
    [{ '': 'x' }, '1 to 40 characters; got 0'],
    [{ ['k'.repeat(41)]: 'x' }, '1 to 40 characters; got 41'],
    [{ k: 'v'.repeat(501) }, 'at most 500 characters'],
    [{ k: '\udc00' }, 'half of a surrogate pair'],
    [{ '\ud800': '' }, 'half of a surrogate pair'],
    [{ k: 1 }, 'must be a string; got the number 1'],
    [{ k: null }, 'must be a string; got null'],
    [{ k: {} }, 'must be a string; got an object'],
    ['text', 'an object of strings'],
    [[], 'an object of strings; got a list'],
  ])('is not %j', (value, message) => expect(metadata(value)).toEqual(refused(message)));

  test('keeps every key, whatever it is called, and changes no prototype', () => {
    const anyMetadata = fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), fc.string());
    fc.assert(
      fc.property(anyMetadata, (value) => {
        expect(metadata(value)).toEqual(value);
      }),
    );
    const hostile = metadata(JSON.parse('{"__proto__":"x","constructor":"y"}'));
    expect(JSON.stringify(hostile)).toBe('{"__proto__":"x","constructor":"y"}');
  });
});

describe('values by name', () => {
  const values = (value: unknown) => read(value, valuesByName({}));

  test('are any JSON', () => expect(values({ a: [{ b: '🙂' }] })).toEqual({ a: [{ b: '🙂' }] }));

  test.each([{ a: ['\ud800'] }, { a: { '\udc00': 1 } }])('are not %j', (value) =>
    expect(values(value)).toEqual(refused('half of a surrogate pair')),
  );
});

describe('a choice', () => {
  const COLOURS = ['red', 'green'] as const;

  test('is one of a list', () => {
    const one = (value: unknown) => read(value, nullish(oneOf(COLOURS)));
    expect(one('red')).toBe('red');
    expect(one(undefined)).toBeUndefined();
    for (const value of ['blue', 'RED', 1, ['red'], '']) expect(one(value)).toEqual(refused('red, green'));
  });

  test('may be several, in the order of the choices and each once', () => {
    const several = (value: unknown) => read(value, choices(COLOURS));
    expect(several(['green', 'red', 'green'])).toEqual(['red', 'green']);
    for (const value of [undefined, [], 'red', {}, ['red', 'blue'], [null]]) {
      expect(several(value)).toEqual(refused());
    }
  });
});
