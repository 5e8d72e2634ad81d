import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { isWholeJson, lengthOf } from '../../../src/core/input/kinds.js';
import { ENDPOINT_URL, NONCE, SESSION_SECRET, TOKEN } from '../../../src/core/rows.js';
import { read, type Schema } from '../../../src/schema/schema.js';

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
  expect(lengthOf('a🙂')).toBe(2);
});

const isRead = (schema: Schema<unknown>, value: string) => read(schema, value).mistakes.length === 0;

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
