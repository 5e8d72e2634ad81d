import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Adapter } from 'lowdb';
import { replaceFile } from './temporary-files.js';
import { readFully, regardless, withFile, writeAll } from './files.js';
import type { Files, OpenFile } from './files.js';
import { headerText, readHeader, SNAPSHOT_FORMAT } from './header.js';
import { readChunks, readLines } from './lines.js';
import { crcText } from './seal.js';
import { damaged } from './source.js';
import type { Source } from './source.js';
import { systemCodeOf } from './store-error.js';
import type { StateRow, Writer } from './types.js';

const PIECE_CHARS = 256 * 1024;
/** The last line; its checksum covers all bytes before `,"crc"`, including the number of rows. */
const END = /(?=,"crc")(?<=\n\{"end":\{"rows":(\d+)),"crc":"([0-9a-f]{8})"\}\}\n$/;
const END_BYTES = 64;

/** A whole world; its rows are read and written one by one, so that it is never in memory twice. */
export interface Snapshot {
  readonly generation: number;
  readonly rows: Iterable<StateRow> | AsyncIterable<StateRow>;
}

/**
 * Keeps a snapshot in one file of lines: a header, a `[table, row]` for each row, and an end with their number and checksum. It
 * replaces lowdb's file adapter, which does not sync, does not keep permissions and needs the whole text in memory.
 * `confirm` is called right before a new snapshot takes the place of the old one. `read` resolves to null if there is no file, and throws a StoreError if the file is damaged.
 */
export function snapshotAdapter(
  files: Files,
  source: Source,
  writer: Writer,
  confirm?: () => Promise<unknown>,
): Adapter<Snapshot> {
  return {
    read: async () => {
      try {
        return await withFile(files, source.path, (file) => checked(file, files, source, writer.coreVersion));
      } catch (error) {
        if (systemCodeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
    write: async (snapshot) => {
      const write = (draft: OpenFile) => writeSnapshot(draft, snapshot, writer);
      const file = await replaceFile(files, source.path, write, confirm);
      await regardless(file.close());
      await files.syncDirectory(dirname(source.path));
    },
  };
}

async function writeSnapshot(file: OpenFile, snapshot: Snapshot, writer: Writer): Promise<void> {
  let text = `${headerText(SNAPSHOT_FORMAT, writer, snapshot.generation)}\n`;
  let [position, crc, count] = [0, 0, 0];
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(text);
    text = '';
    await writeAll(file, bytes, position);
    position += bytes.length;
    crc = crc32(bytes, crc);
  };
  for await (const row of snapshot.rows) {
    text += `${JSON.stringify(row)}\n`;
    count += 1;
    if (text.length >= PIECE_CHARS) await flush();
  }
  text += `{"end":{"rows":${count}`;
  await flush();
  text = `,"crc":"${crcText(crc)}"}}\n`;
  await flush();
}

/** Checks the whole file before reading a row: rows of a damaged file are never used. */
async function checked(file: OpenFile, files: Files, source: Source, coreVersion: number): Promise<Snapshot> {
  const { size } = await file.stat();
  const tailAt = Math.max(0, size - END_BYTES);
  const tail = Buffer.from(await readFully(file, Buffer.alloc(size - tailAt), tailAt)).toString('latin1');
  const end = END.exec(tail);
  if (end === null)
    throw damaged(source, { byte: size }, 'a last line with the number of rows', 'an end without it');
  const bodyBytes = tailAt + end.index;
  let crc = 0;
  for await (const chunk of readChunks(file, bodyBytes)) crc = crc32(chunk, crc);
  if (crcText(crc) !== end[2])
    throw damaged(source, { byte: bodyBytes }, `content with the checksum ${end[2]}`, crcText(crc));
  for await (const line of readLines(file)) {
    const header = readHeader(parsed(line.bytes), SNAPSHOT_FORMAT, coreVersion, source);
    return { generation: header.generation, rows: readRows(files, source, Number(end[1])) };
  }
  throw damaged(source, { byte: 0 }, 'a header', 'nothing');
}

async function* readRows(files: Files, source: Source, count: number): AsyncGenerator<StateRow> {
  const file = await files.open(source.path, 'read');
  try {
    for await (const { bytes, number, start } of readLines(file)) {
      if (number === 1) continue;
      if (number === count + 2) return;
      const row = parsed(bytes);
      if (!isRow(row))
        throw damaged(source, { line: number, byte: start }, 'a row, [table, row]', 'something else');
      yield row;
    }
  } finally {
    await regardless(file.close());
  }
}

function isRow(json: unknown): json is StateRow {
  return Array.isArray(json) && json.length === 2 && typeof json[0] === 'string';
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
