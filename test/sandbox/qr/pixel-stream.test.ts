import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PixelStream } from '../../../src/sandbox/qr/pixel-stream.js';

/** The sizes of QR codes with their quiet zones, versions 1 to 40. */
const SIZES = Array.from({ length: 40 }, (_, i) => 29 + 4 * i);
const LINES_PER_MODULE = 4;
const QUIET_ROWS = 4;

/** A row whose modules depend on its place, as black and white by turns would not tell them apart. */
function rowOf(size: number, y: number): boolean[] {
  return Array.from({ length: size }, (_, x) => (x * x + 3 * x * y + 5 * y) % 7 < 3);
}

function lineOf(row: readonly boolean[]): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(row.length / 2));
  for (const [x, isWhite] of row.entries()) {
    if (isWhite) line[1 + (x >> 1)] = (line[1 + (x >> 1)] ?? 0) | (x % 2 === 0 ? 0xf0 : 0x0f);
  }
  return line;
}

function drawn(size: number) {
  const stream = new PixelStream(size);
  const rows = Array.from({ length: size - QUIET_ROWS + 1 }, (_, y) => rowOf(size, y));
  const cells = rows.map((row, y) => stream.write(row, y === 0 ? QUIET_ROWS : 1));
  return { rows, cells, bytes: stream.end(), adler: stream.adler };
}

/** zlib checks the sums. */
function inflated(bytes: Buffer, { sum, sumOfSums }: { sum: number; sumOfSums: number }): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE(sumOfSums % 65_521, 0);
  checksum.writeUInt16BE(sum % 65_521, 2);
  return inflateSync(Buffer.concat([bytes, checksum]));
}

describe('PixelStream', () => {
  test.each(SIZES)('inflates to its lines, in an image of %d modules', (size) => {
    const { rows, bytes, adler } = drawn(size);
    const lines = rows.flatMap((row, y) =>
      Array.from({ length: LINES_PER_MODULE * (y === 0 ? QUIET_ROWS : 1) }, () => lineOf(row)),
    );
    expect(inflated(bytes, adler).equals(Buffer.concat(lines))).toBe(true);
  });

  test.each([
    [0, 0],
    [0, 28],
    [5, 4],
    [25, 13],
  ])('knows the bit of a module and its share of the checksum (row %d, column %d)', (y, x) => {
    const { rows, cells, bytes, adler } = drawn(29);
    const cell = cells[y]?.(x) ?? { bit: 0, sum: 0, sumOfSums: 0 };
    const sign = rows[y]?.[x] === true ? -1 : 1;
    bytes[cell.bit >> 3] = (bytes[cell.bit >> 3] ?? 0) ^ (1 << (cell.bit & 7));
    const changed = { sum: adler.sum + sign * cell.sum, sumOfSums: adler.sumOfSums + sign * cell.sumOfSums };
    const row = (rows[y] ?? []).map((isWhite, column) => isWhite !== (column === x));
    const firstLine = y === 0 ? 0 : LINES_PER_MODULE * (y + QUIET_ROWS - 1);
    const line = inflated(bytes, changed).subarray(firstLine * 16, firstLine * 16 + 16);
    expect(line.equals(lineOf(row))).toBe(true);
  });
});
