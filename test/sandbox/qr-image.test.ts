import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { encodeQR } from 'qr';
import { describe, expect, test } from 'vitest';
import { brCodeWriter } from '../../src/core/payments/brcode.js';
import { createQrDrawer, qrPng, qrPngBase64 } from '../../src/sandbox/qr-image.js';

const PIXELS_PER_MODULE = 4;
const QUIET_ZONE_PIXELS = 16;
const HEADER_OFFSET_BYTES = 24;

function chargeCode(urlCharacters: number, name = 'Pix Sandbox', city = 'Sao Paulo'): string {
  const url = 'pix.sandbox.localhost/'.padEnd(urlCharacters, '0b3f-9A7e');
  return brCodeWriter({ merchantName: name, merchantCity: city })(url);
}

function readBack(image: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(image);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

function isBlack(image: PNG, x: number, y: number): boolean {
  return image.data[(y * image.width + x) * 4] === 0;
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

  test.each([61, 77])(
    'shows each module as a square of four pixels inside a quiet zone (url of %d)',
    (length) => {
      const text = chargeCode(length);
      const modules = encodeQR(text, 'raw', { ecc: 'low', encoding: 'byte', mask: 0, border: 1 });
      const image = PNG.sync.read(qrPng(text));
      const sizePixels = (modules.length - 2) * PIXELS_PER_MODULE + 2 * QUIET_ZONE_PIXELS;
      expect([image.width, image.height]).toEqual([sizePixels, sizePixels]);
      const wrong: string[] = [];
      for (let y = 0; y < sizePixels; y += 1) {
        for (let x = 0; x < sizePixels; x += 1) {
          const row = modules[Math.floor((y - QUIET_ZONE_PIXELS) / PIXELS_PER_MODULE) + 1];
          const expected = row?.[Math.floor((x - QUIET_ZONE_PIXELS) / PIXELS_PER_MODULE) + 1] ?? false;
          if (isBlack(image, x, y) !== expected) wrong.push(`${x},${y}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test('is the same for the same text', () => {
    expect(qrPng('charge').equals(qrPng('charge'))).toBe(true);
    expect(qrPng('charge').equals(qrPng('other'))).toBe(false);
  });

  test('refuses a text that no QR code holds', () => {
    expect(readBack(qrPng('a'.repeat(300)))).toBe('a'.repeat(300));
    expect(() => qrPng('a'.repeat(2954))).toThrow('Capacity overflow');
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
