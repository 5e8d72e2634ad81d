import { readFully } from './files.js';
import type { OpenFile } from './files.js';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/** A line without its newline, and its position. */
export interface Line {
  readonly bytes: Buffer;
  /** Counts from 1. */
  readonly number: number;
  /** In the file, in bytes, from 0. */
  readonly start: number;
  /** It ended with a newline; false for the rest at the end of a file. */
  readonly isWhole: boolean;
}

/** The bytes from one position to another, or to the end, in chunks that stay valid. */
export async function* readChunks(file: OpenFile, to = Infinity): AsyncGenerator<Buffer> {
  for (let position = 0; position < to;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - position));
    const { length } = await readFully(file, chunk, position);
    if (length === 0) return;
    yield chunk.subarray(0, length);
    position += length;
  }
}

/** The lines of a file, one by one; a file may be larger than memory, and a line many megabytes long. */
export async function* readLines(file: OpenFile): AsyncGenerator<Line> {
  let begun: Buffer[] = [];
  let number = 0;
  let start = 0;
  const lineOf = (last: Buffer, isWhole: boolean): Line => {
    const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last]);
    const line = { bytes, number: (number += 1), start, isWhole };
    start += bytes.length + 1;
    begun = [];
    return line;
  };
  for await (const chunk of readChunks(file)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield lineOf(chunk.subarray(from, at), true);
      from = at + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield lineOf(Buffer.alloc(0), false);
}
