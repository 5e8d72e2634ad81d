import { dirname } from 'node:path';
import type { JournalEntry } from '../core/journal.js';
import { createFile, regardless, withFile, writeAll } from './files.js';
import { draftPath } from './temporary-files.js';
import type { Files, OpenFile } from './files.js';
import { headerText, JOURNAL_FORMAT, readHeader } from './header.js';
import type { Header } from './header.js';
import type { JournalFile } from './journal-writer.js';
import { readLines } from './lines.js';
import type { Line } from './lines.js';
import { sealedLine, sealProblem } from './seal.js';
import { damaged } from './source.js';
import type { Source } from './source.js';
import { textOf } from './store-error.js';
import type { Writer } from './types.js';

const HEADER = `the header of a ${JOURNAL_FORMAT}`;

/** Writes the first line of a new journal; resolves to its size. */
export async function writeHeader(file: OpenFile, writer: Writer, generation: number): Promise<number> {
  const bytes = Buffer.from(sealedLine(headerText(JOURNAL_FORMAT, writer, generation)));
  await writeAll(file, bytes, 0);
  return bytes.length;
}

/** A journal that a reader does not see yet. */
export interface JournalDraft extends JournalFile {
  /** Puts it in the place of an existing one; it is on the disk when this resolves. */
  readonly publish: () => Promise<void>;
  /** Removes it. */
  readonly discard: () => Promise<void>;
}

/** Creates an empty journal for `path` under another name, open for writing. */
export async function draftJournal(
  files: Files,
  path: string,
  writer: Writer,
  generation: number,
): Promise<JournalDraft> {
  const draft = draftPath(path);
  let size = 0;
  const file = await createFile(files, draft, async (created) => {
    size = await writeHeader(created, writer, generation);
  });
  return {
    path,
    file,
    size,
    publish: async () => {
      await files.rename(draft, path);
      await files.syncDirectory(dirname(path));
    },
    discard: async () => {
      await regardless(file.close());
      await regardless(files.remove(draft));
    },
  };
}

export interface JournalReading {
  readonly files: Files;
  readonly source: Source;
  readonly coreVersion: number;
  /** Takes each entry, in order; a damaged line is found after the entries before it were taken. */
  readonly take: (entry: JournalEntry) => void;
  /** Called for a torn last line, which is dropped. */
  readonly onWarning: (message: string) => void;
}

/** The contents of a journal. */
export interface JournalContent {
  readonly header: Header;
  readonly entries: number;
}

/**
 * Reads a journal and checks every line. Text after the last newline was never acknowledged and is dropped with a warning; any
 * other damage is a StoreError. The header is on the disk before a journal gets its name, so a torn header was cut off later,
 * along with entries after it.
 */
export function readJournal(reading: JournalReading): Promise<JournalContent> {
  const { files, source, coreVersion, take, onWarning } = reading;
  return withFile(files, source.path, async (file) => {
    let header: Header | null = null;
    let entries = 0;
    for await (const line of readLines(file)) {
      if (header === null) {
        if (!line.isWhole) throw damaged(source, { line: 1, byte: 0 }, HEADER, 'part of a line');
        header = readHeader(unsealed(line, HEADER, source), JOURNAL_FORMAT, coreVersion, source);
      } else if (!line.isWhole) {
        refuseUnlessTorn(line, source);
        onWarning(tornMessage(source.path, line.number, line.start));
      } else {
        takeEntry(line, source, take);
        entries += 1;
      }
    }
    if (header === null) throw damaged(source, { line: 1, byte: 0 }, HEADER, 'an empty file');
    return { header, entries };
  });
}

function tornMessage(path: string, line: number, byte: number): string {
  return `${path}: the last line, ${line} (from byte ${byte}), was cut off when the sandbox stopped, and is dropped. It was never acknowledged.`;
}

/** A torn line is the beginning of a line; if it contains more, the file was changed afterwards. */
function refuseUnlessTorn({ bytes, number, start }: Line, source: Source): void {
  if (sealProblem(bytes.subarray(0, -1)) !== null) return;
  throw damaged(source, { line: number, byte: start }, 'a newline after a whole line', 'something else');
}

function unsealed({ bytes, number, start }: Line, expected: string, source: Source): unknown {
  const place = { line: number, byte: start };
  const problem = sealProblem(bytes);
  if (problem !== null) throw damaged(source, place, `${expected} with a matching checksum`, problem);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw damaged(source, place, `${expected} as JSON`, textOf(error), error);
  }
}

function takeEntry(line: Line, source: Source, take: (entry: JournalEntry) => void): void {
  const place = { line: line.number, byte: line.start };
  const expected = `entry ${line.number - 1}`;
  const json = unsealed(line, expected, source);
  if (!isNumbered(json)) throw damaged(source, place, expected, 'a line that is not an entry');
  const { n, crc: _crc, ...entry } = json;
  if (n !== line.number - 1) throw damaged(source, place, expected, `entry ${n}`);
  try {
    take(entry);
  } catch (error) {
    throw damaged(source, place, `${expected} to be replayed`, textOf(error), error);
  }
}

function isNumbered(json: unknown): json is JournalEntry & { readonly n: number; readonly crc: string } {
  return typeof json === 'object' && json !== null && 'n' in json && typeof json.n === 'number';
}
