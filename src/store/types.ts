import type { JournalEntry } from '../core/journal.js';

/** One row of a world in a snapshot, as plain JSON; the store does not interpret it. */
export type StateRow = readonly [table: string, row: unknown];

/** Takes the stored data in order: the rows of the snapshot, then the entries since. An error ends the reading. */
export interface Restorer {
  row(row: StateRow): void;
  entry(entry: JournalEntry): void;
}

/** The writer, as in the header of every file; it decides which files can be read. */
export interface Writer {
  /** Only files of this version of the core can be read. */
  readonly coreVersion: number;
  /** The version of the package; a later one names it as the one that can export. */
  readonly packageVersion: string;
}

/** Stores changes before they are acknowledged. */
export interface Journal {
  /** Takes the entry as it is now; cheap and without waiting. Throws only after the store was closed. */
  append(entry: JournalEntry): void;
  /** Resolves when everything appended before is on the disk, or cannot be written (`failure`). Never rejects. */
  flushed(): Promise<void>;
  /** Why nothing is written any more; null while writing works. */
  readonly failure: Error | null;
}
