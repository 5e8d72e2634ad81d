import type { JournalEntry } from '../core/journal.js';

/** One row of a world in a snapshot, as plain JSON; the store does not look into it. */
export type StateRow = readonly [table: string, row: unknown];

/** Takes in what was kept, in order: the rows of the snapshot, then the entries since. What it throws ends the reading. */
export interface Restorer {
  row(row: StateRow): void;
  entry(entry: JournalEntry): void;
}

/** Who writes: stands in the header of every file, and tells what can be read. */
export interface Writer {
  /** What is read must have been written by this version of the core. */
  readonly coreVersion: number;
  /** The package's version, which a later one names as the one that can export. */
  readonly packageVersion: string;
}

/** Where changes go before they are acknowledged. */
export interface Journal {
  /** Takes the entry as it is now; cheap, and never waits. Throws only after the store was closed. */
  append(entry: JournalEntry): void;
  /** Resolves when all that was appended so far is on the disk, or can no longer get there (`failure`). Never rejects. */
  flushed(): Promise<void>;
  /** Why nothing is written any more; null while all is well. */
  readonly failure: Error | null;
}
