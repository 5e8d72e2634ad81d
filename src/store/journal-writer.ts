import { setImmediate } from 'node:timers';
import type { JournalEntry } from '../core/journal.js';
import { regardless, writeAll } from './files.js';
import type { OpenFile } from './files.js';
import { sealedLine } from './seal.js';
import { textOf } from './store-error.js';
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

/**
 * Appends lines to a journal: only one write and sync run at a time, and lines that arrive meanwhile share the next one.
 * When writing fails, the file is cut back to what was acknowledged, and `onFailure` is called once with the reason.
 */
export class JournalWriter implements Journal {
  readonly #file: OpenFile;
  readonly #onFailure: (why: string) => void;
  /** On the disk, in bytes. */
  #size: number;
  #appended = 0;
  #batches: Batch[] = [];
  #failure: Error | null = null;
  #isClosed = false;

  constructor({ path, file, size }: JournalFile, onFailure: (why: string) => void) {
    this.#file = file;
    this.#size = size;
    this.#onFailure = (why) => onFailure(`${path}: ${why}`);
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
      if (this.#failure !== null) await this.#cutBack();
      batch.resolve();
      this.#batches.shift();
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    await writeAll(this.#file, bytes, this.#size);
    await this.#file.datasync();
    this.#size += bytes.length;
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = error instanceof Error ? error : new Error(textOf(error));
    this.#onFailure(this.#failure.message);
  }

  async #cutBack(): Promise<void> {
    await regardless(this.#file.truncate(this.#size));
    await regardless(this.#file.sync());
  }
}
