import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildReplayHeaders,
  needsSignature,
  readSender,
  formatScenarioSender,
  SENDER_HEADER,
  presentBody,
  replaceMember,
} from '../../../src/text/exchange/present-exchange.js';

test('shows UTF-8 bodies as text, byte for byte', () => {
  for (const text of ['', 'olá', '\u{feff}{}', 'a\0b\r\n', '😀']) {
    expect(presentBody(Buffer.from(text))).toEqual({ body: text });
  }
});

test('shows other bodies in base64', () => {
  for (const bytes of [[0xff], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    expect(presentBody(Buffer.from(bytes))).toEqual({ body_base64: Buffer.from(bytes).toString('base64') });
  }
});

test('restores any bytes from their shown form', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const { body, body_base64: encoded = '' } = presentBody(bytes);
        const back = body === undefined ? Buffer.from(encoded, 'base64') : Buffer.from(body);
        expect(back.equals(bytes)).toBe(true);
      },
    ),
  );
});

test('shows a body that was cut within a character as text without it', () => {
  const bytes = Buffer.from('olá');
  expect(presentBody(bytes.subarray(0, 3), true)).toEqual({ body: 'ol' });
  expect(presentBody(bytes.subarray(0, 3))).toEqual({ body_base64: 'b2zD' });
  expect(presentBody(Buffer.from([0xff, 0x61]), true)).toEqual({ body_base64: '/2E=' });
});

test('preserves any scenario name in a header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const sent = new Headers({ [SENDER_HEADER]: formatScenarioSender(name) }).get(SENDER_HEADER) ?? '';
      expect(readSender(sent, 1000)).toEqual({ by: 'scenario', scenario: name });
    }),
    { examples: [[' '], ['late  '], ['late\u00a0']] },
  );
});

test.each([
  ['console', { by: 'console' }],
  ['scenario paid late', { by: 'scenario', scenario: 'paid late' }],
  ['scenario 100%', { by: 'scenario', scenario: '100%' }],
  ['scenario 01234567890', { by: 'scenario', scenario: '0123456789' }],
  ['scenario 012345678%F0%9F%98%80', { by: 'scenario', scenario: '012345678' }],
  ['scenario', { by: 'scenario', scenario: '' }],
  ['clock', undefined],
  ['', undefined],
])('%j names %j', (value, sender) => {
  expect(readSender(value, 10)).toEqual(sender);
});

test('a lone surrogate in a file name breaks no request', () => {
  expect(readSender(formatScenarioSender('a\ud800'), 10)).toEqual({ by: 'scenario', scenario: 'a\u{fffd}' });
});

test.for([
  ['{"code":"a"}', '{"code":"new"}'],
  ['{ "code" : {"code":[1,"}"]} , "b":1.50 }', '{ "code" : "new" , "b":1.50 }'],
  ['{"b":{"code":"x"},"code":"a"}', '{"b":{"code":"x"},"code":"new"}'],
  [String.raw`{"b":"\"code\":1","c\u006fde":-1e3}`, String.raw`{"b":"\"code\":1","c\u006fde":"new"}`],
  ['{"code":1,"code":2}', '{"code":1,"code":"new"}'],
  ['{"b":["code","a"]}', undefined],
  ['{"b":"code"}', undefined],
  ['{}', undefined],
  ['["code","a"]', undefined],
  ['"code"', undefined],
  ['{"code":"a"', undefined],
  ['', undefined],
] as const)('replaces the member in %s, which becomes %s', ([json, expected]) => {
  expect(replaceMember(json, 'code', 'new')).toBe(expected);
});

test('changes nothing but the member, in any object', () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, code) => {
    const json = JSON.stringify({ ...object, code }, null, 1);
    const edited = replaceMember(json, 'code', 'new') ?? '';
    expect(JSON.parse(edited)).toEqual({ ...(JSON.parse(json) as object), code: 'new' });
  });
  fc.assert(property, { numRuns: 60 });
});

test('replaces old values with fresh ones, each once, or appends them', () => {
  const kept = [
    ['X-Nonce', 'old'],
    ['Accept', '*/*'],
    ['x-nonce', 'older'],
    ['Content-Length', '2'],
    ['Cookie', 'a…b'],
  ] as const;
  expect(
    buildReplayHeaders(kept, { 'x-nonce': 'new', authorization: 'Bearer t', 'content-length': undefined }),
  ).toEqual({
    headers: [
      ['X-Nonce', 'new'],
      ['Accept', '*/*'],
      ['authorization', 'Bearer t'],
    ],
    leftOut: ['cookie'],
  });
});

test.for([
  ['POST', 'api', [], true],
  ['GET', 'api', [], false],
  ['GET', 'api', [['X-Signature', 'a']], true],
  ['POST', 'identity', [['X-Signature', 'a']], false],
] as const)('%s at the API %s with the headers %j is signed: %s', ([method, api, headers, isSigned]) => {
  expect(needsSignature({ api, method, headers })).toBe(isSigned);
});
