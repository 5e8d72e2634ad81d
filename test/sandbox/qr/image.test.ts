import { describe, expect, test } from 'vitest';
import { createBrCode } from '../../../src/core/resources/serialize.js';
import { createQrDrawer, drawQrPng } from '../../../src/sandbox/qr/image.js';
import { readQr } from '../../helpers/read-qr.js';

const FORMAT_OFFSET_BYTES = 24;
const PIXELS_OFFSET_BYTES = 41;

function chargeCode(urlCharacters: number): string {
  return createBrCode('pix.sandbox.localhost/'.padEnd(urlCharacters, '0b3f-9A7e'));
}

describe('drawQrPng', () => {
  const lengths = Array.from({ length: 19 }, (_, i) => 23 + i * 3);

  test.each(lengths)('drawQrPng is read back to the same text, for a URL of %d characters', (length) => {
    const text = chargeCode(length);
    expect(readQr(drawQrPng(text))).toBe(text);
  });

  test.each([
    ['the longest', chargeCode(77)],
    ['no charge at all', 'x'],
    ['not ASCII', 'Pagamento de João ☕'],
  ])('drawQrPng is read back when the text is %s', (_, text) => {
    expect(readQr(drawQrPng(text))).toBe(text);
  });

  test('drawQrPng has one pixel per module and one bit per pixel', () => {
    const image = drawQrPng(chargeCode(61));
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([57, 57]);
    expect([...image.subarray(FORMAT_OFFSET_BYTES, FORMAT_OFFSET_BYTES + 2)]).toEqual([1, 0]);
    expect(image.length).toBeLessThan(1000);
  });

  test('stores the pixels uncompressed, which every version of zlib does alike', () => {
    const [header, lastStoredBlock] = [[0x78, 0x01], 0x01];
    const pixels = drawQrPng(chargeCode(61)).subarray(PIXELS_OFFSET_BYTES);
    expect([...pixels.subarray(0, 3)]).toEqual([...header, lastStoredBlock]);
    expect(pixels.readUInt16LE(3)).toBe(57 * (1 + Math.ceil(57 / 8)));
  });

  test('rejects a text that is too long for a QR code', () => {
    const longest = 'a'.repeat(2953);
    expect(readQr(drawQrPng(longest))).toBe(longest);
    expect(() => drawQrPng(`${longest}a`)).toThrow('overflow');
  });
});

test('a drawer draws the bare base64 of the image repeatedly', () => {
  const draw = createQrDrawer();
  const text = chargeCode(61);
  expect(draw(text)).toMatch(/^iVBORw0KGgo[\w+/]+=*$/);
  expect([draw(text), draw(text)]).toEqual(Array(2).fill(drawQrPng(text).toString('base64')));
});
