import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { createBodySchema, readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import {
  AMOUNT_INPUT,
  acceptChoices,
  CODE_INPUT,
  DOCUMENT_INPUT,
  acceptDuration as durationOf,
  isWholeJson,
  countCharacters,
  METADATA_INPUT,
  createNumberAboveSchema,
  acceptText,
  acceptText as textOf,
  UUID_INPUT,
  createValuesSchema,
  integerRange,
} from '../../../src/core/input/kinds.js';
import { ENDPOINT_URL, NONCE, SESSION_SECRET, TOKEN } from '../../../src/core/rows.js';
import { nullish } from '../../../src/schema/object.js';
import { read, type Schema } from '../../../src/schema/schema.js';
import { enumOf } from '../../../src/schema/values.js';
import { tries } from '../../helpers/soak-scale.js';

/** A list in a list, and so on. */
function nested(levels: number): unknown {
  let value: unknown = 'a';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

test('JSON may be as deep as bodies, and no deeper', () => {
  expect(isWholeJson(nested(LIMITS.jsonDepth))).toBe(true);
  expect(isWholeJson(nested(LIMITS.jsonDepth + 1))).toBe(false);
  expect([isWholeJson([], 0), isWholeJson('a', 0), isWholeJson(null, 0), isWholeJson(1, 0)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(isWholeJson({ '\ud800': 1 })).toBe(false);
  expect(countCharacters('a🙂')).toBe(2);
});

const isRead = (schema: Schema<unknown>, value: string) => read(schema, value).issues.length === 0;

test.each([
  ['https://shop.example/', true],
  ['http://shop.example:1/a/b?c=d~', true],
  ['http://[::1]/', true],
  ['https://shop.example:65535/', true],
  ['https://shop.example:65536/', false],
  ['https://shop.example:123456/', false],
  ['https://shop.example:/', false],
  ['https://shop.example', false],
  ['xhttps://shop.example/', false],
  ['ftp://shop.example/', false],
  ['https://user@shop.example/', false],
  ['https://shop.example/ a', false],
  ['https://shop.example/a ', false],
  ['https://shop.example/ç', false],
  ['https:///', false],
  ['https://[]/', false],
  ['https://[::g]/', false],
  [`https://shop.example/${'a'.repeat(LIMITS.urlLength)}`, false],
  [`https://shop.example/${'a'.repeat(LIMITS.urlLength - 'https://shop.example/'.length)}`, true],
])('%s: the URL of an endpoint is %s', (url, is) => {
  expect(isRead(ENDPOINT_URL, url)).toBe(is);
});

test.each([
  ['!~', true],
  ['', false],
  ['a b', false],
  ['a\n', false],
  ['ç', false],
])('%j: a token is %s', (text, is) => {
  expect(isRead(TOKEN, text)).toBe(is);
});

test.each([
  ['a', true],
  ['a'.repeat(LIMITS.nonceLengthMax), true],
  ['a'.repeat(LIMITS.nonceLengthMax + 1), false],
  ['', false],
  ['a b', false],
])('%j: a nonce is %s', (text, is) => {
  expect(isRead(NONCE, text)).toBe(is);
});

test.each([
  ['Aa0_-', true],
  ['a'.repeat(140), true],
  ['a'.repeat(141), false],
  ['', false],
  ['a.b', false],
])('%j: the secret of a session is %s', (text, is) => {
  expect(isRead(SESSION_SECRET, text)).toBe(is);
});

/** Beyond the first plane there are characters of few kinds, most of them none. */
const STEP_BEYOND = tries({ part: 61, whole: 1 });

function accepts(schema: Schema<unknown>, value: string): boolean {
  return read(schema, value).issues.length === 0;
}

/** The pattern of a schema, as engines read it that know the flag u, and as others do. */
function patternsOf({ json }: Schema<unknown>): RegExp[] {
  return ['', 'u'].map((flags) => new RegExp(String(json['pattern']), flags));
}

/** Every character. Half of a surrogate pair is none: UTF-8 cannot carry it, and no portable pattern can name it. */
function* characters(): Generator<string> {
  for (let point = 0; point <= 0x10_ff_ff; point += point < 0x1_00_00 ? 1 : STEP_BEYOND) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

describe('schema patterns with and without the flag u', () => {
  test('schema patterns with and without the flag u match the accepted texts, and no others', () => {
    const kind = acceptText(2);
    const patterns = patternsOf(kind);
    for (const character of characters()) {
      const isTaken = accepts(kind, character);
      if (patterns.every((pattern) => pattern.test(character) === isTaken)) continue;
      expect.fail(`U+${character.codePointAt(0)?.toString(16)} is ${isTaken ? '' : 'not '}taken.`);
    }
  });

  test('schema patterns match every accepted code, and none with a space or a control character', () => {
    const patterns = patternsOf(CODE_INPUT);
    for (const character of characters()) {
      const isTaken = accepts(CODE_INPUT, character);
      const isPlain = !/[\s\p{Cc}]/u.test(character);
      if (patterns.every((pattern) => pattern.test(character) === (isTaken || isPlain))) continue;
      expect.fail(`U+${character.codePointAt(0)?.toString(16)} is ${isTaken ? '' : 'not '}taken.`);
    }
  });

  test.each(
    [
      ['0.01', '0.1', '0.10', '0.99', '1', '1.5', '10.05', '9999999999.99'],
      ['0', '0.0', '0.00', '00.10', '01', '1.', '.5', '1.234', '-1', '10000000000', '1,00', ''],
    ].flat(),
  )(
    'schema patterns with and without the flag u match the amount "%s" if and only if it is accepted',
    (amount) => {
      const isTaken = accepts(AMOUNT_INPUT, amount);
      expect(patternsOf(AMOUNT_INPUT).map((pattern) => pattern.test(amount))).toEqual([isTaken, isTaken]);
    },
  );
});

/** What reading a field of this value gives: the value, or the message of what is wrong with it. */
function readField<Value>(value: unknown, schema: Schema<Value, unknown>): Value | string | undefined {
  try {
    return readBodyOrRefuse(createBodySchema({ field: schema }), { field: value }).field;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.details.map(({ field, message }) => `refused: ${field} ${message}`).join();
  }
}

const refused = (text = '') => expect.stringMatching(new RegExp(`^refused: field .*${text}`));

describe('a text', () => {
  const text = (value: unknown) => readField(value, textOf(5));

  test.each(['a', 'abcde', 'olá', ' ', '"', '🙂🙂🙂🙂🙂'])('accepts %j', (value) =>
    expect(text(value)).toBe(value),
  );

  test.each([
    ['', '1 to 5 characters; got 0'],
    ['abcdef', '1 to 5 characters; got 6'],
    ['🙂🙂🙂🙂🙂🙂', '1 to 5 characters; got 6'],
    ['a\nb', 'control characters'],
    ['a\u0000', 'control characters'],
    ['\u009f', 'control characters'],
    ['a\ud800', 'lone surrogates'],
    [5, 'a string; got the number 5'],
    [true, 'a string; got the boolean true'],
    [[], 'a string; got a list'],
    [{}, 'a string; got an object'],
  ])('rejects %j', (value, message) => expect(text(value)).toEqual(refused(message)));
});

describe('a code', () => {
  const code = (value: unknown) => readField(value, CODE_INPUT);

  test.each(['order-1', '!~', 'café', '🙂', 'x'.repeat(100)])('accepts %j', (value) =>
    expect(code(value)).toBe(value),
  );

  test.each(['a b', ' a', '\u00a0', 'a\u2003b', '\u3000', 'a\u2028', 'a\u200bb', '\ud800', 'x'.repeat(101)])(
    'rejects spaces and invisible characters: %j',
    (value) => expect(code(value)).toEqual(refused()),
  );
});

describe('a UUID', () => {
  const uuid = (value: unknown) => readField(value, UUID_INPUT);

  test('a UUID is lowercased', () => {
    expect(uuid('ABCDEF00-0000-4000-8000-000000000001')).toBe('abcdef00-0000-4000-8000-000000000001');
  });

  test.each(['', 'x', '{00000000-0000-4000-8000-000000000001}', 1])('rejects %j', (value) =>
    expect(uuid(value)).toEqual(refused()),
  );
});

describe('an amount', () => {
  const amount = (value: unknown) => readField(value, AMOUNT_INPUT);

  test('an amount is parsed into cents', () => expect(amount('10.5')).toBe(1_050));

  test.each([
    [10, 'must be a string, such as .*; got the number 10'],
    ['0.00', 'must be above zero'],
    ['1,00', 'must be a decimal number with'],
    [undefined, 'Is required'],
  ])('rejects %j', (value, message) => expect(amount(value)).toEqual(refused(message)));
});

describe('a document', () => {
  const document = (value: unknown) => readField(value, DOCUMENT_INPUT);

  test.each([
    ['529.982.247-25', '52998224725'],
    ['12ABC34501DE35', '12ABC34501DE35'],
  ])('%s is stored as %s', (value, bare) => expect(document(value)).toBe(bare));

  // A letter that becomes an I or two S in capitals stands for neither.
  test.each(['52998224724', '11111111111', 'x', 52_998_224_725, '12ABC34501DE3ß', '12aıc34501de35'])(
    'rejects %j',
    (value) => expect(document(value)).toEqual(refused()),
  );
});

describe('a duration', () => {
  const wanted = { minMs: 1, maxMs: 60_000, example: '3s' };
  const duration = (value: unknown) => readField(value, durationOf(wanted));

  test('a duration is parsed into milliseconds', () => expect(duration('1m')).toBe(60_000));

  test.each(['0s', '61s', 'soon', '', 3])('rejects %j', (value) =>
    expect(duration(value)).toEqual(refused()),
  );
});

describe('numbers', () => {
  const whole = (value: unknown) => readField(value, integerRange(1, 9));
  const share = (value: unknown) => readField(value, createNumberAboveSchema(0, 1));

  test('numbers are integers in their range', () => {
    expect([whole(1), whole(9)]).toEqual([1, 9]);
    for (const value of [0, 10, 1.5, '1', true]) expect(whole(value)).toEqual(refused('from 1 to 9; got'));
  });

  test('numbers may have an exclusive minimum', () => {
    expect([share(0.001), share(1)]).toEqual([0.001, 1]);
    for (const value of [0, 1.01, '1']) expect(share(value)).toEqual(refused('above 0 and up to 1; got'));
  });
});

describe('metadata', () => {
  const metadata = (value: unknown) => readField(value, nullish(METADATA_INPUT, {}));
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

  test('metadata is empty when absent', () => expect(metadata(undefined)).toEqual({}));

  test('contains up to 50 keys of up to 40 characters with values of up to 500', () => {
    expect(metadata(keys(50))).toEqual(keys(50));
    const longest = { ['k'.repeat(40)]: 'v'.repeat(500) };
    expect(metadata(longest)).toEqual(longest);
  });

  test.each([
    [keys(51), 'at most 50 keys'],
    [{ '': 'x' }, '1 to 40 characters; got 0'],
    [{ ['k'.repeat(41)]: 'x' }, '1 to 40 characters; got 41'],
    [{ k: 'v'.repeat(501) }, 'at most 500 characters'],
    [{ k: '\udc00' }, 'lone surrogates'],
    [{ '\ud800': '' }, 'lone surrogates'],
    [{ k: 1 }, 'must be a string; got the number 1'],
    [{ k: null }, 'must be a string; got null'],
    [{ k: {} }, 'must be a string; got an object'],
    ['text', 'an object of strings'],
    [[], 'an object of strings; got a list'],
  ])('rejects %j', (value, message) => expect(metadata(value)).toEqual(refused(message)));

  test('preserves every key, whatever its name, and changes no prototype', () => {
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
  const values = (value: unknown) => readField(value, createValuesSchema({}));

  test('values by name accept any JSON', () =>
    expect(values({ a: [{ b: '🙂' }] })).toEqual({ a: [{ b: '🙂' }] }));

  test.each([{ a: ['\ud800'] }, { a: { '\udc00': 1 } }])('values by name reject %j', (value) =>
    expect(values(value)).toEqual(refused('lone surrogates')),
  );
});

describe('a choice', () => {
  const COLORS = ['red', 'green'] as const;

  test('a choice is one of a list', () => {
    const one = (value: unknown) => readField(value, nullish(enumOf(COLORS)));
    expect(one('red')).toBe('red');
    expect(one(undefined)).toBeUndefined();
    for (const value of ['blue', 'RED', 1, ['red'], '']) expect(one(value)).toEqual(refused('red, green'));
  });

  test('a choice may be several, in the order of the choices and each once', () => {
    const several = (value: unknown) => readField(value, acceptChoices(COLORS));
    expect(several(['green', 'red', 'green'])).toEqual(['red', 'green']);
    for (const value of [undefined, [], 'red', {}, ['red', 'blue'], [null]]) {
      expect(several(value)).toEqual(refused());
    }
  });
});
