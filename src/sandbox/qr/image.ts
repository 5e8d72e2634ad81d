import { codewords } from './codewords.js';
import { seal, templateOf } from './template.js';
import { Recent } from '../recent.js';

/**
 * Draws a text as a QR code: a PNG, one bit a pixel, four pixels a module, with its quiet zone. It inverts the bits of a file that
 * was drawn before, because a library's modules and zlib take eight times as long. The bytes do not depend on the version of zlib.
 * Throws when the text is longer than a QR code holds, 2953 bytes of UTF-8.
 */
export function qrPng(text: string): Buffer {
  const { version, bytes } = codewords(text);
  const { png: template, adler, places, sums, sumsOfSums } = templateOf(version);
  const png = Buffer.from(template);
  let { sum, sumOfSums } = adler;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    for (let bit = 8 * i, mask = 0x80; mask !== 0; bit += 1, mask >>= 1) {
      if ((byte & mask) === 0) continue;
      const place = places[bit] ?? 0;
      png[place >> 3] = (png[place >> 3] ?? 0) ^ (1 << (place & 7));
      sum += sums[bit] ?? 0;
      sumOfSums += sumsOfSums[bit] ?? 0;
    }
  }
  seal(png, { sum, sumOfSums });
  return png;
}

/** The PNG of `qrPng` as bare base64, `qr_code_base64` of §2.1. */
export function qrPngBase64(text: string): string {
  return qrPng(text).toString('base64');
}

/**
 * Caches the most recently used images, at most `cacheSize`, because a charge's code is drawn for its response and again
 * for its event. `draw` is the cached function, by default `qrPngBase64`.
 */
export function createQrDrawer({ cacheSize = 256, draw = qrPngBase64 } = {}): (text: string) => string {
  const images = new Recent<string>(cacheSize);
  return (text) => {
    const image = images.get(text) ?? draw(text);
    images.set(text, image);
    return image;
  };
}
