import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownBody } from '../../src/text/exchange/shown.js';

test('a body is text where it is UTF-8, with every byte of it', () => {
  for (const text of ['', 'olá', '\u{feff}{}', 'a\0b\r\n', '😀']) {
    expect(shownBody(Buffer.from(text))).toEqual({ body: text });
  }
});

test('a body is in base64 where it is not', () => {
  for (const bytes of [[0xff], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    expect(shownBody(Buffer.from(bytes))).toEqual({ body_base64: Buffer.from(bytes).toString('base64') });
  }
});

test('any bytes come back from what is shown', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const { body, body_base64: encoded = '' } = shownBody(bytes);
        const back = body === undefined ? Buffer.from(encoded, 'base64') : Buffer.from(body);
        expect(back.equals(bytes)).toBe(true);
      },
    ),
  );
});

test('a body that was cut within a character is text without it', () => {
  const bytes = Buffer.from('olá');
  expect(shownBody(bytes.subarray(0, 3), true)).toEqual({ body: 'ol' });
  expect(shownBody(bytes.subarray(0, 3))).toEqual({ body_base64: 'b2zD' });
  expect(shownBody(Buffer.from([0xff, 0x61]), true)).toEqual({ body_base64: '/2E=' });
});
