import { crc32 } from 'node:zlib';
import type { Adler, Cell } from './pixel-stream.js';
import { PIXELS_PER_MODULE, PixelStream } from './pixel-stream.js';
import { symbolOf } from './symbol.js';

const QUIET_ZONE_MODULES = 4;
const ADLER_MODULUS = 65_521;
const ADLER_BYTES = 4;
const CRC_BYTES = 4;
const CHUNK_TYPE_BYTES = 4;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const END = chunk('IEND', Buffer.alloc(0));
/** Where the chunk of the pixels begins, with its type. */
const PIXELS_AT = SIGNATURE.length + header(0).length + 4;

/** The PNG of a QR code in which all bits of the codewords are 0. Each of them inverts one bit of the file. */
export interface Template {
  readonly png: Buffer;
  readonly adler: Adler;
  /** Of each bit of the codewords, the bit of the file, the highest first in a byte, and what it adds to Adler-32. */
  readonly places: Uint32Array;
  readonly sums: Uint32Array;
  readonly sumsOfSums: Uint32Array;
}

const TEMPLATES = new Map<number, Template>();

/** The template of a version, 1 to 40: one bit a pixel, four pixels a module, with its quiet zone. */
export function templateOf(version: number): Template {
  const kept = TEMPLATES.get(version);
  if (kept !== undefined) return kept;
  const template = drawTemplate(version);
  TEMPLATES.set(version, template);
  return template;
}

function drawTemplate(version: number): Template {
  const { modules, free } = symbolOf(version);
  const size = modules.length + 2 * QUIET_ZONE_MODULES;
  const stream = new PixelStream(size);
  const quietRow = Array.from({ length: size }, () => true);
  const side = quietRow.slice(0, QUIET_ZONE_MODULES);
  stream.write(quietRow, QUIET_ZONE_MODULES);
  const rows = modules.map((row) => stream.write([...side, ...row.map((isBlack) => !isBlack), ...side]));
  stream.write(quietRow, QUIET_ZONE_MODULES);
  const pixels = chunk('IDAT', Buffer.concat([stream.end(), Buffer.alloc(ADLER_BYTES)]));
  const inverted = free.map(([x, y]) =>
    invert(rows[y]?.(x + QUIET_ZONE_MODULES) as Cell, modules[y]?.[x] === true),
  );
  return {
    png: Buffer.concat([SIGNATURE, header(size * PIXELS_PER_MODULE), pixels, END]),
    adler: stream.adler,
    places: Uint32Array.from(inverted, ({ bit }) => 8 * (PIXELS_AT + CHUNK_TYPE_BYTES) + bit),
    sums: Uint32Array.from(inverted, ({ sum }) => sum),
    sumsOfSums: Uint32Array.from(inverted, ({ sumOfSums }) => sumOfSums),
  };
}

/** What it adds to the checksum to make a module white, or to make it black; never below 0. */
function invert({ bit, sum, sumOfSums }: Cell, isBlack: boolean): Cell {
  const change = (by: number) => {
    const rest = by % ADLER_MODULUS;
    return isBlack ? rest : ADLER_MODULUS - rest;
  };
  return { bit, sum: change(sum), sumOfSums: change(sumOfSums) };
}

/** Writes the checksums of an image that was made from a template: Adler-32 of its pixels, and CRC-32 of their chunk. */
export function seal(png: Buffer, { sum, sumOfSums }: Adler): void {
  const crcAt = png.length - END.length - CRC_BYTES;
  const adlerAt = crcAt - ADLER_BYTES;
  png.writeUInt32BE((sumOfSums % ADLER_MODULUS) * 0x10000 + (sum % ADLER_MODULUS), adlerAt);
  png.writeUInt32BE(crc32(png.subarray(PIXELS_AT, crcAt)), crcAt);
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
