import type { FileHandle } from 'node:fs/promises';
import { open, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { JournalEntry } from '../core/journal.js';
import { createHeaderLine, readSealed, ignoreFailure, sealLine, formatErrorText } from './sealed-file.js';
import type { Header, SealedContent, FileWriter } from './sealed-file.js';
import {
  toError,
  toStoreError,
  createDamagedError,
  FILE_GONE_MESSAGE,
  createLostError,
  returnNullIfMissing,
  createRecordingSource,
  StoreError,
  getSystemCode,
} from './store-error.js';
import type { FileSource } from './store-error.js';

/** Stores changes before they are acknowledged. */
export interface JournalSink {
  /** Appends the entry as it is now; cheap and without waiting. Throws only after the store was closed. */
  append(entry: JournalEntry): void;
  /** Resolves when everything appended before is on the disk, or cannot be written (`failure`). Never rejects. */
  flushed(): Promise<void>;
  /** The error that stopped all writing; null while writing works. */
  readonly failure: Error | null;
}

interface JournalFile {
  readonly path: string;
  /** Open for writing at its end, with `size` bytes in it. */
  readonly file: FileHandle;
  readonly size: number;
  /** True once the file has its final name; before, nothing is guaranteed or checked. */
  readonly isInPlace?: () => boolean;
  /** Called after each sync, before it is acknowledged; throws if the file is not in use. */
  readonly confirm?: () => Promise<unknown>;
  /** Called once; nothing is written afterwards. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Appends lines to a journal: only one write and sync run at a time, and lines that arrive meanwhile share
 * the next one.
 */
export class JournalWriter implements JournalSink {
  readonly #options: JournalFile;
  /** On the disk, in bytes. */
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
    if (this.#isClosed) throw new Error('Expected no change after the journal was closed');
    if (this.#failure !== null) return;
    // Deferred, so that everything appended in this turn of the event loop shares the first write.
    if (this.#text === '') this.#last = this.#last.then(() => setImmediate()).then(() => this.#write());
    this.#appended += 1;
    this.#text += sealLine({ n: this.#appended, ...entry });
  }

  flushed(): Promise<void> {
    return this.#last;
  }

  /** Checks the file without a write; never rejects. */
  async check(): Promise<void> {
    if (this.#failure === null && !this.#isClosed) await this.#attempt(() => this.#check());
  }

  /** Resolves to whether everything appended before can be read from the file. */
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

  /** Throws unless the path still refers to the open file, including all acknowledged entries. */
  async #check(): Promise<void> {
    const { path, file, isInPlace, confirm } = this.#options;
    if (isInPlace?.() === false) return;
    await confirm?.();
    const [found, own] = await Promise.all([
      stat(path, { bigint: true }).catch(returnNullIfMissing),
      file.stat({ bigint: true }),
    ]);
    if (found?.ino !== own.ino) throw createLostError(path, FILE_GONE_MESSAGE);
    if (found.size >= this.#size) return;
    throw createLostError(
      path,
      `The file was cut from ${this.#size} to ${found.size} bytes while the sandbox was using it`,
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
  /** Decides by the header whether to read the entries; true by default. */
  readonly begins?: (header: Header) => boolean;
  /** Takes each entry, in order; a damaged line is found after the entries before it were taken. */
  readonly take: (entry: JournalEntry) => void;
  /** Called for a torn last line, which is dropped. */
  readonly onWarning: (message: string) => void;
}

/**
 * Reads a journal and checks every line. Text after the last newline was never acknowledged and is dropped
 * with a warning; any other damage is a StoreError. Resolves to null if there is no file.
 */
export async function readJournal(
  source: FileSource,
  reading: JournalContent,
): Promise<SealedContent | null> {
  const { coreVersion, begins, take, onWarning } = reading;
  const content = await readSealed(source, 'pix-sandbox-journal', coreVersion, (json, place, header) => {
    if (begins?.(header) === false) return;
    const expected = `entry ${place.line - 1}`;
    const { n, ...entry } = json as JournalEntry & { readonly n: unknown };
    if (n !== place.line - 1) throw createDamagedError(source, place, expected, `entry ${String(n)}`);
    try {
      take(entry);
    } catch (error) {
      throw createDamagedError(source, place, `${expected} to be replayed`, formatErrorText(error), error);
    }
  });
  if (content !== null && content.truncatedAt !== null) {
    const { line, byte } = content.truncatedAt;
    onWarning(
      `${source.path}: the last line, ${line} (from byte ${byte}), was cut off when the ` +
        'sandbox stopped, and is dropped. It was never acknowledged.',
    );
  }
  return content;
}

interface RecordingOptions extends FileWriter {
  readonly path: string;
  /** Called once if the recording has to end early. */
  readonly onWarning: (message: string) => void;
}

/**
 * Creates a recording file readable only by its user. Throws a StoreError if the file exists or cannot be
 * created.
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
    if (getSystemCode(error) !== 'EEXIST') throw toStoreError(error, path, 'to begin a recording');
    const message =
      ': Expected a new file for the recording, got one that exists. Name another, or move it away.';
    throw new StoreError('exists', path, message, error);
  }
}

/**
 * Passes on the entries of a recording, or of any journal, in order; throws a StoreError at a damaged line,
 * after those before it.
 */
export async function readRecording(name: string, reading: JournalContent): Promise<void> {
  const path = resolve(name);
  try {
    const content = await readJournal(createRecordingSource(path), reading);
    if (content === null)
      throw new StoreError('unusable', path, ': Expected a readable journal, got no such file.');
  } catch (error) {
    throw toStoreError(error, path, 'a readable journal');
  }
}
