import { crc32, deflateSync } from 'node:zlib';
import { encodeQR } from 'qr';
import { RecentMap } from '../subscribers.js';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const QUIET_ZONE_MODULES = 4;

/**
 * Draws a text as a QR code PNG: grayscale, one bit per pixel and one pixel per module, with a quiet zone.
 * Pages scale the image. Uses a fixed mask, because comparing all eight masks takes most of the time, and
 * deflate level 0, because the output of other levels depends on the zlib version. Throws if the text exceeds
 * 2953 bytes of UTF-8, a QR code's capacity.
 */
export function drawQrPng(text: string): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'low', mask: 0, border: QUIET_ZONE_MODULES });
  const size = modules.length;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.concat(modules.map(packRow)), { level: 0 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND')]);
}

/** Packs a row into bits (0 is black), preceded by the "no filter" byte. */
function packRow(modules: readonly boolean[]): Buffer {
  const row = Buffer.alloc(1 + Math.ceil(modules.length / 8));
  for (const [x, isBlack] of modules.entries()) {
    if (!isBlack) row[1 + (x >> 3)] = (row[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
  }
  return row;
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/**
 * Creates a function that draws QR codes as base64 PNGs without a data URL prefix (`qr_code_base64`, §2.1).
 * Caches the newest images, because a charge's response and event contain the same code.
 */
export function createQrDrawer(): (text: string) => string {
  const images = new RecentMap<string>(256);
  return (text) => {
    const image = images.get(text) ?? drawQrPng(text).toString('base64');
    images.set(text, image);
    return image;
  };
}
