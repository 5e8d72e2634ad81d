import { crc32, deflateSync } from 'node:zlib';
import { encodeQR } from 'qr';
import { Recent } from './recent.js';

const QUIET_ZONE_MODULES = 4;
/** Two modules then fill one byte of pixels. */
const PIXELS_PER_MODULE = 4;
/**
 * Low correction, because a code on a screen or in a file gets neither dirty nor torn, and larger modules are easier to scan;
 * a fixed mask, because every mask scans and finding the best of eight nearly doubles the time.
 */
const QR_OPTIONS = { ecc: 'low', encoding: 'byte', mask: 0, border: QUIET_ZONE_MODULES } as const;
/** Level 6 takes twice the time to save a seventh. */
const DEFLATE_OPTIONS = { level: 1 } as const;

const FILTER_UP = 2;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const END = chunk('IEND', Buffer.alloc(0));

/**
 * Draws a text as a QR code: a PNG, one bit a pixel, four pixels a module, with its quiet zone.
 * Throws when the text is longer than a QR code holds, 2953 bytes of UTF-8.
 */
export function qrPng(text: string): Buffer {
  const modules = encodeQR(text, 'raw', QR_OPTIONS);
  const pixels = deflateSync(scanlines(modules), DEFLATE_OPTIONS);
  return Buffer.concat([SIGNATURE, header(modules.length * PIXELS_PER_MODULE), chunk('IDAT', pixels), END]);
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

/** The first line of a module's four is drawn; the others say "as above", which is the filter Up over zeros. */
function scanlines(modules: boolean[][]): Buffer {
  const lineBytes = 1 + Math.ceil(modules.length / 2);
  const lines = Buffer.alloc(lineBytes * modules.length * PIXELS_PER_MODULE);
  let at = 0;
  for (const row of modules) {
    for (let x = 0; x < row.length; x += 2) {
      lines[at + 1 + x / 2] = (row[x] ? 0 : 0xf0) | (row[x + 1] ? 0 : 0x0f);
    }
    at += lineBytes;
    for (let i = 1; i < PIXELS_PER_MODULE; i += 1, at += lineBytes) lines[at] = FILTER_UP;
  }
  return lines;
}

/** One bit a pixel, greyscale (so black is 0), and the defaults for the rest. */
function header(sizePixels: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(sizePixels, 0);
  data.writeUInt32BE(sizePixels, 4);
  data[8] = 1;
  return chunk('IHDR', data);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
