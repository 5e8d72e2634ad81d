import { setImmediate } from 'node:timers';
import type { JournalEntry } from '../core/journal.js';
import { regardless, writeAll } from './files.js';
import type { OpenFile } from './files.js';
import { sealedLine } from './seal.js';
import { asError, StoreError } from './store-error.js';
import type { Journal } from './types.js';

/** The size at which a new batch begins, so that no batch exceeds the longest possible string. */
const BATCH_CHARS = 4 * 1024 * 1024;

/** Lines that reach the disk together. */
class Batch {
  text = '';
  isOnItsWay = false;
  readonly done: Promise<void>;
  resolve: () => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => (this.resolve = resolve));
  }
}

export interface JournalFile {
  readonly path: string;
  /** Open for writing, with `size` bytes in it, all of them whole lines on the disk. */
  readonly file: OpenFile;
  readonly size: number;
}

export interface JournalWriterOptions {
  /** Called after each sync, before it is acknowledged, with the bytes that were there before; throws if the file is not in use. */
  readonly check: (size: number) => Promise<unknown>;
  /** Called once; nothing is written afterwards. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Appends lines to a journal: only one write and sync run at a time, and lines that arrive meanwhile share the next one.
 * When writing fails, the file is cut back to what was acknowledged.
 */
export class JournalWriter implements Journal {
  readonly #file: OpenFile;
  readonly #options: JournalWriterOptions;
  /** On the disk, in bytes. */
  #size: number;
  #appended = 0;
  #batches: Batch[] = [];
  #failure: Error | null = null;
  #isClosed = false;

  constructor({ file, size }: Pick<JournalFile, 'file' | 'size'>, options: JournalWriterOptions) {
    this.#file = file;
    this.#size = size;
    this.#options = options;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  append(entry: JournalEntry): void {
    if (this.#isClosed) throw new Error('Expected no change after the journal was closed');
    if (this.#failure !== null) return;
    try {
      const fields = JSON.stringify(entry).slice(1);
      this.#gathering().text += sealedLine(`{"n":${this.#appended + 1},${fields}`);
      this.#appended += 1;
    } catch (error) {
      // The entry is too long for a string: without it the journal would have a gap.
      this.#fail(error);
    }
  }

  flushed(): Promise<void> {
    return this.#batches.at(-1)?.done ?? Promise.resolve();
  }

  /** Checks the file without a write; never rejects. */
  async check(): Promise<void> {
    if (this.#failure !== null || this.#isClosed) return;
    await this.#options.check(this.#size).catch((error: unknown) => this.#fail(error));
  }

  /** Resolves to whether everything appended before can be read from the file. */
  async isIntact(): Promise<boolean> {
    await this.flushed();
    const isThere = await this.#options.check(this.#size).then(
      () => true,
      () => false,
    );
    return isThere && this.#failure === null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flushed();
    await regardless(this.#file.close());
  }

  /** The batch that is still open for lines. */
  #gathering(): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && !last.isOnItsWay && last.text.length < BATCH_CHARS) return last;
    const batch = new Batch();
    this.#batches.push(batch);
    // Deferred, so that everything appended in this turn of the event loop shares the first write.
    if (last === undefined) setImmediate(() => void this.#writeBatches());
    return batch;
  }

  async #writeBatches(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      batch.isOnItsWay = true;
      try {
        if (this.#failure === null) await this.#write(Buffer.from(batch.text));
      } catch (error) {
        this.#fail(error);
      }
      if (this.#failure !== null && this.#isOurs) await this.#cutBack();
      batch.resolve();
      this.#batches.shift();
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    await writeAll(this.#file, bytes, this.#size);
    await this.#file.datasync();
    await this.#options.check(this.#size);
    this.#size += bytes.length;
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = asError(error);
    this.#options.onFailure(this.#failure);
  }

  /** Not so if another process may have taken the directory over, and is reading the file. */
  get #isOurs(): boolean {
    return !(this.#failure instanceof StoreError);
  }

  async #cutBack(): Promise<void> {
    await regardless(this.#file.truncate(this.#size));
    await regardless(this.#file.sync());
  }
}
