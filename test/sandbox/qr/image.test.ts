import { inflateSync } from 'node:zlib';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { encodeQR } from 'qr';
import { describe, expect, test } from 'vitest';
import { brCodeWriter } from '../../../src/core/payments/brcode.js';
import { createQrDrawer, qrPng, qrPngBase64 } from '../../../src/sandbox/qr/image.js';

const PIXELS_PER_MODULE = 4;
/** The longest text of each version at the level Low, in bytes (ISO/IEC 18004, table 7). */
// prettier-ignore
const MOST_BYTES = [
  17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858,
  929, 1003, 1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953,
];
const HEADER_OFFSET_BYTES = 24;

function chargeCode(urlCharacters: number, name = 'Pix Sandbox', city = 'Sao Paulo'): string {
  const url = 'pix.sandbox.localhost/'.padEnd(urlCharacters, '0b3f-9A7e');
  return brCodeWriter({ merchantName: name, merchantCity: city })(url);
}

/** So many bytes, which do not repeat. */
function textOf(bytes: number): string {
  return Array.from({ length: bytes }, (_, i) => String.fromCodePoint(33 + ((i * i + 7 * i) % 89))).join('');
}

function readBack(image: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(image);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/** The pixels of a PNG with one chunk of them, a filter before each line. */
function linesOf(image: Buffer): Buffer {
  const start = image.indexOf('IDAT') + 4;
  return inflateSync(image.subarray(start, start + image.readUInt32BE(start - 8)));
}

/** A row of modules, true for black, as lines of one bit a pixel, unfiltered. */
function expectedLines(row: readonly boolean[]): Buffer[] {
  const pixels = [...row, true].map((isBlack) => (isBlack ? '0' : 'f'));
  const line = Buffer.from(`00${pixels.join('').slice(0, 2 * Math.ceil(row.length / 2))}`, 'hex');
  return Array.from({ length: PIXELS_PER_MODULE }, () => line);
}

describe('qrPng', () => {
  const lengths = Array.from({ length: 19 }, (_, i) => 23 + i * 3);

  test.each(lengths)('is read back to the very same text, for a url of %d characters', (length) => {
    const text = chargeCode(length);
    expect(readBack(qrPng(text))).toBe(text);
  });

  test.each([
    ['the shortest', chargeCode(22, 'A', 'B')],
    ['the longest', chargeCode(77, 'A'.repeat(25), 'B'.repeat(15))],
    ['no charge at all', 'x'],
    ['not ASCII', 'Pagamento de João ☕'],
  ])('is read back when the text is %s', (_, text) => {
    expect(readBack(qrPng(text))).toBe(text);
  });

  test('has one bit a pixel, greyscale', () => {
    const image = qrPng(chargeCode(61));
    expect([...image.subarray(HEADER_OFFSET_BYTES, HEADER_OFFSET_BYTES + 2)]).toEqual([1, 0]);
    expect(image.length).toBeLessThan(1000);
  });

  test.each(MOST_BYTES.map((most, index) => [index + 1, most, (MOST_BYTES[index - 1] ?? 0) + 1]))(
    'draws what another encoder draws, in version %d',
    (version, ...lengths) => {
      for (const text of lengths.map(textOf)) {
        const modules = encodeQR(text, 'raw', { ecc: 'low', encoding: 'byte', mask: 0, border: 4 });
        expect(modules).toHaveLength(25 + 4 * version);
        const image = qrPng(text);
        const sizePixels = modules.length * PIXELS_PER_MODULE;
        expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([sizePixels, sizePixels]);
        expect(linesOf(image).equals(Buffer.concat(modules.flatMap(expectedLines)))).toBe(true);
      }
    },
  );

  test('is the same for the same text', () => {
    expect(qrPng('charge').equals(qrPng('charge'))).toBe(true);
    expect(qrPng('charge').equals(qrPng('other'))).toBe(false);
  });

  test('refuses a text that no QR code holds', () => {
    expect(readBack(qrPng('a'.repeat(300)))).toBe('a'.repeat(300));
    expect(() => qrPng('a'.repeat(2954))).toThrow('Expected a text of at most 2953 bytes');
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
