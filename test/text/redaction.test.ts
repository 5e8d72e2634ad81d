import { describe, expect, test } from 'vitest';
import {
  shortenSecret,
  shortenCredential,
  redactFields,
  redactHeaders,
  redactUrl,
} from '../../src/text/redaction.js';

describe('a URL for display', () => {
  test.each([
    ['http://localhost:3000/hook', 'http://localhost:3000/hook'],
    ['http://localhost:3000/?a=1&b&limit=50', 'http://localhost:3000/?a=1&b&limit=50'],
    ['http://user:word@localhost/', 'http://…@localhost/'],
    ['user:word@localhost:3000', '…@localhost:3000'],
    ['pix.*=user:word@localhost', 'pix.*=…@localhost'],
    ['https://shop.example=http://user:word@localhost', 'https://shop.example=http://…@localhost'],
    ['localhost:3000/@me', 'localhost:3000/@me'],
    ['/hook?token=a&x=1', '/hook?token=…&x=1'],
    ['/hook?x=0123456789abc', '/hook?x=…'],
    ['/hook?0123456789abc', '/hook?…'],
    ['/hook#access', '/hook#…'],
  ])('shows %s as %s', (text, expected) => {
    expect(redactUrl(text)).toBe(expected);
  });

  test('keeps the values of known parameters', () => {
    const target = '/pix?after=0123456789abc&afterwards=0123456789abc';
    expect(redactUrl(target, new Set(['after']))).toBe('/pix?after=0123456789abc&afterwards=…');
  });
});

test('shows headers without credentials, recognized by their names', () => {
  expect(
    redactHeaders([
      ['Set-Cookie', 'a=b'],
      ['content-type', 'text/plain'],
      ['Proxy-Authorization', 'Basic eA=='],
      ['x-api-key', 'k'],
      ['X-Auth-Token', 't'],
      ['Location', '/login?token=t&page=2'],
    ]),
  ).toEqual([
    ['Set-Cookie', '…'],
    ['content-type', 'text/plain'],
    ['Proxy-Authorization', '…'],
    ['x-api-key', '…'],
    ['X-Auth-Token', '…'],
    ['Location', '/login?token=…&page=2'],
  ]);
});

test('shortened values never show a whole secret', () => {
  expect(shortenSecret('whsec_abcdefghijk=')).toBe('whsec_ab…k=');
  expect(shortenSecret('short')).toBe('…');
});

test.each([
  ['Bearer abcdefghijklmnop', 'Bearer abcdefgh…op'],
  ['bearer  "abcdefghijklmnop"', 'bearer  "abcdefg…p"'],
  ['abcdefghijklmnop', 'abcdefgh…op'],
  ['Bearer', '…'],
  ['Basic short', 'Basic …'],
])('shows the credential %s as %s', (value, shown) => {
  expect(shortenCredential(value)).toBe(shown);
});

test.each([
  ['{"password":"correct horse battery","amount":"1.00"}', '{"password":"correct …ry","amount":"1.00"}'],
  ['{"client_secret" : "short"}', '{"client_secret" : "…"}'],
  ['{"apiKey":"with \\" quotes inside"', '{"apiKey":"with \\" …de"'],
  ['{"token":null,"secrets":["a"],"api_token":""}', '{"token":null,"secrets":["a"],"api_token":""}'],
  ['{"token":"cut off in the midd', '{"token":"cut off …dd'],
  ['token=abcdefghijklmnop&code=order-1', 'token=abcdefgh…op&code=order-1'],
  ['{"code":"order-1-and-much-more-of-it"}', '{"code":"order-1-and-much-more-of-it"}'],
])('shows the body %s as %s', (body, shown) => {
  expect(redactFields(body)).toBe(shown);
});

test('redacts queries only in headers that contain a URL', () => {
  const url = 'https://shop.example/?next=0123456789abcdef';
  const names = ['Location', 'content-location', 'Referer', 'x-location', 'Referers', 'location-id'];
  const shown = redactHeaders(names.map((name) => [name, url]));
  expect(shown.filter(([, value]) => value === url).map(([name]) => name)).toEqual(names.slice(3));
  expect(shown[0]?.[1]).toBe('https://shop.example/?next=…');
});
