import type { Entry } from './entry.js';
import type { Recorded } from './recorded.js';

/** The newest entries by number; the next one replaces the oldest. */
export class EntryRing {
  /** Removes known secrets from a text. */
  hide: (text: string) => string = (text) => text;
  readonly #most: number;
  readonly #slots: Recorded[] = [];
  #newest = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The number of the last entry; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the oldest entry that is kept; one above the newest when there is none. */
  get oldest(): number {
    return this.#newest - this.#slots.length + 1;
  }

  /** Keeps the entry with the next number; returns the one that made room. */
  add(entry: Recorded): Recorded | undefined {
    this.#newest = entry.seq;
    const slot = (entry.seq - 1) % this.#most;
    const dropped = this.#slots[slot];
    this.#slots[slot] = entry;
    return dropped;
  }

  get(seq: number): Entry | undefined {
    const entry = this.#slots[(seq - 1) % this.#most];
    return entry?.seq === seq ? this.read(entry) : undefined;
  }

  /** The entry in words without secrets. */
  read(recorded: Recorded): Entry {
    return recorded.entry(this.hide);
  }

  /** Puts all entries into words. */
  putIntoWords(): void {
    for (const entry of this.#slots) this.read(entry);
  }

  /** Oldest first, from one number to another, both included, as far as they are kept. */
  *between(first = this.oldest, last = this.newest): Generator<Entry> {
    const end = Math.min(last, this.newest);
    for (let seq = Math.max(first, this.oldest); seq <= end; seq += 1) {
      const entry = this.get(seq);
      if (entry !== undefined) yield entry;
    }
  }

  /** Newest first. */
  *backwards(last = this.newest): Generator<Entry> {
    for (let seq = Math.min(last, this.newest); seq >= this.oldest; seq -= 1) {
      const entry = this.get(seq);
      if (entry !== undefined) yield entry;
    }
  }
}
