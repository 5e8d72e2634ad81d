import type { FileHandle } from 'node:fs/promises';
import { open, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { JournalEntry } from '../core/journal.js';
import {
  createHeaderLine,
  readChecksummedFile,
  ignoreFailure,
  addChecksum,
  formatErrorText,
} from './checksummed-file.js';
import type { FileHeader, ChecksummedContent, FileWriter } from './checksummed-file.js';
import {
  toError,
  toStoreError,
  createDamagedError,
  FILE_GONE_MESSAGE,
  createLostError,
  catchMissingFile,
  createRecordingSource,
  StoreError,
  getSystemCode,
} from './store-error.js';
import type { FileSource } from './store-error.js';

/** Stores changes before they are acknowledged. */
export interface JournalSink {
  /** Serializes and queues the entry without waiting. Throws only if the store is closed. */
  append(entry: JournalEntry): void;
  /** Resolves once all earlier entries are on disk or writing has failed (see `failure`). Never rejects. */
  flushed(): Promise<void>;
  /** The error that stopped all writing; null while writing works. */
  readonly failure: Error | null;
}

interface JournalFile {
  readonly path: string;
  /** Open for appending; contains `size` bytes. */
  readonly file: FileHandle;
  readonly size: number;
  /** Returns true once the file has its final name. Checks are skipped before that. */
  readonly isInPlace?: () => boolean;
  /** Called after each sync, before the entries are acknowledged. Throws if the file is no longer in use. */
  readonly confirm?: () => Promise<unknown>;
  /** Called once, on the first error. Nothing is written afterward. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Appends lines to a journal. Writes never overlap; lines added during a write share the next write and sync.
 */
export class JournalWriter implements JournalSink {
  readonly #options: JournalFile;
  /** Size on disk in bytes. */
  #size: number;
  #appended = 0;
  #text = '';
  #last: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  #isClosed = false;

  constructor(options: JournalFile) {
    this.#options = options;
    this.#size = options.size;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  append(entry: JournalEntry): void {
    if (this.#isClosed) throw new Error('The journal is closed and accepts no more changes');
    if (this.#failure !== null) return;
    // Defer the write, so that all entries appended in this event loop turn share it.
    if (this.#text === '') this.#last = this.#last.then(() => setImmediate()).then(() => this.#write());
    this.#appended += 1;
    this.#text += addChecksum({ n: this.#appended, ...entry });
  }

  flushed(): Promise<void> {
    return this.#last;
  }

  /** Checks the file without writing. Never rejects. */
  async check(): Promise<void> {
    if (this.#failure === null && !this.#isClosed) await this.#attempt(() => this.#check());
  }

  /** Resolves to true if the file contains all earlier entries. */
  async isIntact(): Promise<boolean> {
    await this.flushed();
    const isThere = await this.#check().then(
      () => true,
      () => false,
    );
    return isThere && this.#failure === null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flushed();
    await ignoreFailure(this.#options.file.close());
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    if (this.#failure !== null) return;
    await this.#attempt(async () => {
      await this.#options.file.appendFile(bytes);
      await this.#options.file.datasync();
      await this.#check();
      this.#size += bytes.length;
    });
  }

  /** Throws unless the path still refers to the open file with all acknowledged entries. */
  async #check(): Promise<void> {
    const { path, file, isInPlace, confirm } = this.#options;
    if (isInPlace?.() === false) return;
    await confirm?.();
    const [found, own] = await Promise.all([
      stat(path, { bigint: true }).catch(catchMissingFile),
      file.stat({ bigint: true }),
    ]);
    if (found?.ino !== own.ino) throw createLostError(path, FILE_GONE_MESSAGE);
    if (found.size >= this.#size) return;
    throw createLostError(
      path,
      `The file was truncated from ${this.#size} to ${found.size} bytes while the sandbox was using it`,
    );
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#failure !== null) return;
      this.#failure = toError(error);
      this.#options.onFailure(this.#failure);
    }
  }
}

interface JournalContent {
  readonly coreVersion: number;
  /** Returns false to skip the entries of a file with this header. */
  readonly begins?: (header: FileHeader) => boolean;
  /** Called with each entry, in order, up to the first damaged line. */
  readonly onEntry: (entry: JournalEntry) => void;
  /** Called when an incomplete last line is dropped. */
  readonly onWarning: (message: string) => void;
}

/**
 * Reads a journal and checks every line. Drops text after the last newline with a warning, because it was
 * never acknowledged. Throws a StoreError for any other damage. Resolves to null if the file does not exist.
 */
export async function readJournal(
  source: FileSource,
  reading: JournalContent,
): Promise<ChecksummedContent | null> {
  const { coreVersion, begins, onEntry, onWarning } = reading;
  const content = await readChecksummedFile(
    source,
    'pix-sandbox-journal',
    coreVersion,
    (json, place, header) => {
      if (begins?.(header) === false) return;
      const expected = `entry ${place.line - 1}`;
      const { n, ...entry } = json as JournalEntry & { readonly n: unknown };
      if (n !== place.line - 1) throw createDamagedError(source, place, expected, `entry ${String(n)}`);
      try {
        onEntry(entry);
      } catch (error) {
        throw createDamagedError(source, place, `${expected} to be replayed`, formatErrorText(error), error);
      }
    },
  );
  if (content !== null && content.truncatedAt !== null) {
    const { line, byte } = content.truncatedAt;
    onWarning(
      `${source.path}: the last line, ${line} (from byte ${byte}), was cut off when the ` +
        'sandbox stopped, and has been dropped. This line was never acknowledged.',
    );
  }
  return content;
}

interface RecordingOptions extends FileWriter {
  readonly path: string;
  /** Called once if the recording ends early. */
  readonly onWarning: (message: string) => void;
}

/**
 * Creates a recording readable only by its owner. Throws a StoreError if the file exists or writing fails.
 */
export async function openRecording(options: RecordingOptions): Promise<JournalWriter> {
  const path = resolve(options.path);
  const header = createHeaderLine('pix-sandbox-journal', options, 0);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.appendFile(header).catch(async (error: unknown) => {
      await ignoreFailure(file.close());
      await ignoreFailure(rm(path));
      throw error;
    });
    const onFailure = (error: Error) => {
      const problem = error instanceof StoreError ? error.message : `${path}: ${error.message}`;
      options.onWarning(`${problem}. The recording ends here; the sandbox continues without it.`);
    };
    return new JournalWriter({ path, file, size: Buffer.byteLength(header), onFailure });
  } catch (error) {
    if (getSystemCode(error) !== 'EEXIST') throw toStoreError(error, path, 'a writable recording file');
    const message = ': The recording file already exists. Choose another name or move the file.';
    throw new StoreError('exists', path, message, error);
  }
}

/**
 * Reads a recording or any other journal, entry by entry. Throws a StoreError at the first damaged line,
 * after passing on all earlier entries.
 */
export async function readRecording(name: string, reading: JournalContent): Promise<void> {
  const path = resolve(name);
  try {
    const content = await readJournal(createRecordingSource(path), reading);
    if (content === null)
      throw new StoreError('unusable', path, ': Expected a readable journal, but the file does not exist.');
  } catch (error) {
    throw toStoreError(error, path, 'a readable journal');
  }
}
