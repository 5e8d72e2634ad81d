import { describe, expect, test } from 'vitest';
import { brCodeWriter } from '../../../src/core/resources/serialize.js';
import { createQrDrawer, qrPng, qrPngBase64 } from '../../../src/sandbox/qr/image.js';
import { readQr } from '../../helpers/read-qr.js';

const FORMAT_OFFSET_BYTES = 24;
const PIXELS_OFFSET_BYTES = 41;

function chargeCode(urlCharacters: number, name = 'Pix Sandbox', city = 'Sao Paulo'): string {
  const url = 'pix.sandbox.localhost/'.padEnd(urlCharacters, '0b3f-9A7e');
  return brCodeWriter({ merchantName: name, merchantCity: city })(url);
}

describe('qrPng', () => {
  const lengths = Array.from({ length: 19 }, (_, i) => 23 + i * 3);

  test.each(lengths)('is read back to the very same text, for a url of %d characters', (length) => {
    const text = chargeCode(length);
    expect(readQr(qrPng(text))).toBe(text);
  });

  test.each([
    ['the shortest', chargeCode(22, 'A', 'B')],
    ['the longest', chargeCode(77, 'A'.repeat(25), 'B'.repeat(15))],
    ['no charge at all', 'x'],
    ['not ASCII', 'Pagamento de João ☕'],
  ])('is read back when the text is %s', (_, text) => {
    expect(readQr(qrPng(text))).toBe(text);
  });

  test('has one pixel per module and one bit per pixel', () => {
    const image = qrPng(chargeCode(61));
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([57, 57]);
    expect([...image.subarray(FORMAT_OFFSET_BYTES, FORMAT_OFFSET_BYTES + 2)]).toEqual([1, 0]);
    expect(image.length).toBeLessThan(1000);
  });

  test('stores the pixels uncompressed, which every version of zlib does alike', () => {
    const [header, lastStoredBlock] = [[0x78, 0x01], 0x01];
    const pixels = qrPng(chargeCode(61)).subarray(PIXELS_OFFSET_BYTES);
    expect([...pixels.subarray(0, 3)]).toEqual([...header, lastStoredBlock]);
    expect(pixels.readUInt16LE(3)).toBe(57 * (1 + Math.ceil(57 / 8)));
  });

  test('rejects a text longer than a QR code holds', () => {
    const longest = 'a'.repeat(2953);
    expect(readQr(qrPng(longest))).toBe(longest);
    expect(() => qrPng(`${longest}a`)).toThrow('overflow');
  });
});

describe('qrPngBase64', () => {
  test('is the bare base64 of the image', () => {
    const text = chargeCode(61);
    expect(qrPngBase64(text)).toBe(qrPng(text).toString('base64'));
    expect(qrPngBase64(text)).toMatch(/^iVBORw0KGgo[\w+/]+=*$/);
  });
});

describe('createQrDrawer', () => {
  function countingDrawer(cacheSize: number) {
    const drawn: string[] = [];
    const draw = (text: string) => {
      drawn.push(text);
      return `image of ${text}`;
    };
    return { draw: createQrDrawer({ cacheSize, draw }), drawn };
  }

  test('draws the same as qrPngBase64, again and again', () => {
    const draw = createQrDrawer();
    const text = chargeCode(61);
    expect([draw(text), draw(text)]).toEqual([qrPngBase64(text), qrPngBase64(text)]);
  });

  test('draws a text once while it is kept', () => {
    const { draw, drawn } = countingDrawer(2);
    expect(['a', 'b', 'a', 'b'].map(draw)).toEqual(['image of a', 'image of b', 'image of a', 'image of b']);
    expect(drawn).toEqual(['a', 'b']);
  });

  test('forgets the one unused for longest', () => {
    const { draw, drawn } = countingDrawer(2);
    ['a', 'b', 'a', 'c', 'a', 'b'].forEach(draw);
    expect(drawn).toEqual(['a', 'b', 'c', 'b']);
  });

  test('keeps nothing at a size of zero', () => {
    const { draw, drawn } = countingDrawer(0);
    ['a', 'a'].forEach(draw);
    expect(drawn).toEqual(['a', 'a']);
  });
});
