import { join } from 'node:path';
import type { Low } from 'lowdb';
import type { JournalEntry } from '../core/journal.js';
import { checkFile, FILE_GONE, lost } from './check-file.js';
import { regardless } from './files.js';
import { draftJournal } from './journal-file.js';
import { JournalWriter } from './journal-writer.js';
import { latestLock, RENEW_MS, takeLock } from './lock.js';
import type { Lock, LockOptions } from './lock.js';
import { journalName, removeLeftovers, SNAPSHOT_NAME } from './restore.js';
import { SaveFailure } from './save-failure.js';
import type { Snapshot } from './snapshot.js';
import { asError, StoreError, systemCodeOf, textOf } from './store-error.js';
import type { Journal, StateRow, Writer } from './types.js';

/** The source of a fresh snapshot while the store is in use. */
export interface LiveState {
  /** Returns the rows of the whole state as it is when the first one is read. Changes may follow before the last one. */
  readonly rows: () => Iterable<StateRow>;
  /** Called when saving fails or works again. */
  readonly onChange: () => void;
}

/** The results of `openStore`. */
export interface Opened {
  readonly writer: Writer;
  readonly onWarning: (message: string) => void;
  readonly lockOptions: LockOptions;
  readonly snapshots: Low<Snapshot>;
  readonly isEmpty: boolean;
  /** Generation of the snapshot that was read; 0 if there is none. */
  readonly generation: number;
  readonly owner: Owner;
  /** Number of the latest lock when the directory was read. */
  readonly lastLock: number;
  readonly unwritable: Error | null;
}

export interface Owner {
  /** Null while nothing can be written. */
  lock: Lock | null;
}

/**
 * A directory that survives its process: a snapshot of a whole world, and a journal of the changes since. Only the journal of the
 * snapshot's generation counts; a change of generation writes the new snapshot first, then the new journal, and removes the old
 * files last, so that the directory can be opened after a crash at any moment.
 *
 * After a failure the journal has a gap, and a failed sync leaves unknown contents, so only a fresh snapshot in new files can save
 * again. It is attempted at the next change and at intervals, but only while the directory still has our lock.
 */
export class Store {
  readonly #opened: Opened;
  readonly #stopBeats: () => void;
  #generation: number;
  #writer: JournalWriter | null = null;
  #failure: SaveFailure | null;
  #recovery: string | null = null;
  #live: LiveState | null = null;
  #retrying: Promise<void> | null = null;
  #isBegun = false;
  #isClosed = false;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.#generation = opened.generation;
    const { unwritable, lockOptions } = opened;
    const { machine } = lockOptions;
    this.#failure = unwritable === null ? null : new SaveFailure(unwritable, machine.now());
    this.#stopBeats = machine.every(RENEW_MS, () => this.#beat());
  }

  /** Nothing was stored here before. */
  get isEmpty(): boolean {
    return this.#opened.isEmpty;
  }

  /** Sentence about the last failure after which everything was saved again; null if there was none. */
  get recovery(): string | null {
    return this.#recovery;
  }

  /**
   * Begins a journal; call it once: after a snapshot of what was restored (`rows`), or with null in an empty directory. If
   * nothing can be written it warns and resolves to a journal with `failure`.
   */
  async begin(rows: Iterable<StateRow> | null): Promise<Journal> {
    if (rows === null && !this.isEmpty) throw new Error('Expected the rows of what the directory holds');
    if (this.#isBegun) throw new Error('Expected to begin once');
    this.#isBegun = true;
    const { lock } = this.#opened.owner;
    if (lock !== null) {
      try {
        await this.#startJournal(lock, rows === null ? null : () => rows);
      } catch (error) {
        if (!(error instanceof Error) || systemCodeOf(error) === undefined) throw error;
        this.#fail(error);
      }
    }
    return this.#journal();
  }

  /** Enables saving again after a failure; call it once the state is in use. */
  attach(live: LiveState): void {
    this.#live = live;
    if (this.#failure !== null) live.onChange();
  }

  /**
   * Writes the whole state and releases the directory; nothing may be appended afterwards. Tries even if the journal had
   * to stop. Resolves to whether everything is on the disk, and warns if it is not.
   */
  async close(rows: Iterable<StateRow>): Promise<boolean> {
    const isJournalWhole = await this.#stop();
    const { lock } = this.#opened.owner;
    if (lock === null) return false;
    try {
      await lock.check();
      await this.#writeSnapshot(rows);
      await removeLeftovers(this.#opened.lockOptions, this.#generation);
      await regardless(lock.release({ generation: this.#generation, hasJournal: false }));
      this.#setSaved();
      return true;
    } catch (error) {
      await regardless(lock.release());
      const isLost = error instanceof StoreError;
      if (!isLost && systemCodeOf(error) === undefined) throw error;
      if (isLost || !isJournalWhole) this.#failure ??= new SaveFailure(asError(error), this.#nowMs);
      const rest = isLost ? UNSAVED : isJournalWhole ? WHOLE_JOURNAL : LOST;
      this.#opened.onWarning(`Could not write the whole state: ${textOf(error)}. ${rest}.`);
      return isJournalWhole && !isLost;
    }
  }

  /** Releases the directory as it is: flushes what was appended, and writes no snapshot. */
  async abandon(): Promise<void> {
    await this.#stop();
    await regardless(this.#opened.owner.lock?.release());
  }

  get #nowMs(): number {
    return this.#opened.lockOptions.machine.now();
  }

  /** Flushes and closes the journal. Resolves to whether it holds every change. */
  async #stop(): Promise<boolean> {
    this.#isClosed = true;
    this.#stopBeats();
    await this.#retrying;
    const isIntact = await this.#writer?.isIntact();
    await this.#writer?.close();
    return this.#failure === null && isIntact === true;
  }

  /** Outlives the files that it writes to. */
  #journal(): Journal {
    const failure = () => this.#failure?.error ?? null;
    return {
      append: (entry) => this.#append(entry),
      flushed: () => this.#writer?.flushed() ?? Promise.resolve(),
      get failure() {
        return failure();
      },
    };
  }

  #append(entry: JournalEntry): void {
    if (this.#isClosed) throw new Error('Expected no change after the journal was closed');
    this.#writer?.append(entry);
    if (this.#failure?.isDue) this.#retry();
  }

  #beat(): void {
    if (this.#failure === null) void this.#writer?.check();
    this.#failure?.beat();
    if (this.#failure?.isDue) this.#retry();
  }

  #fail(error: Error, path?: string): void {
    if (this.#failure !== null) return;
    this.#failure = new SaveFailure(error, this.#nowMs);
    this.#opened.onWarning(this.#failure.warning(path));
    this.#live?.onChange();
  }

  #retry(): void {
    if (this.#retrying !== null || this.#live === null || this.#isClosed) return;
    this.#retrying = this.#recover(this.#live).finally(() => {
      this.#retrying = null;
    });
  }

  async #recover(live: LiveState): Promise<void> {
    const { owner, onWarning } = this.#opened;
    try {
      owner.lock ??= await this.#lateLock();
      await this.#startJournal(owner.lock, live.rows);
    } catch (error) {
      const reminder = this.#failure?.postpone(asError(error));
      if (reminder === undefined) return;
      onWarning(reminder);
    }
    live.onChange();
  }

  /** Ends a failure once the whole state is saved. */
  #setSaved(): void {
    if (this.#failure === null) return;
    this.#recovery = this.#failure.recovery(this.#nowMs);
    this.#failure = null;
    this.#opened.onWarning(this.#recovery);
  }

  /** Takes the lock that could not be taken at the start, unless another process had the directory meanwhile. */
  async #lateLock(): Promise<Lock> {
    const { lockOptions, lastLock } = this.#opened;
    const { files, directory } = lockOptions;
    await files.makeDirectory(directory);
    const { number } = await latestLock(files, directory);
    const lock =
      number === lastLock
        ? await takeLock(files, directory, lockOptions.machine, lockOptions.onWait)
        : undefined;
    if (lock?.number === lastLock + 1) return lock;
    await regardless(lock?.release());
    throw lost(directory, 'Another process has used the data directory since this sandbox read it');
  }

  /** Writes a snapshot, if there are rows, and begins its journal, to which every change goes from the instant of the rows on. */
  async #startJournal(lock: Lock, rows: (() => Iterable<StateRow>) | null): Promise<void> {
    const failed = this.#writer;
    this.#writer = null;
    await failed?.close();
    await lock.check();
    const { files, directory } = this.#opened.lockOptions;
    const generation = this.#generation + (rows === null ? 0 : 1);
    const path = join(directory, journalName(generation));
    const draft = await draftJournal(files, path, this.#opened.writer, generation);
    let isPublished = false;
    const writer: JournalWriter = new JournalWriter(draft, {
      check: async (size) => {
        const names = await lock.check();
        // Until then it has another name, and nothing is promised.
        if (!isPublished) return;
        const isWhole = generation === 0 || names.includes(SNAPSHOT_NAME);
        if (!isWhole) throw lost(join(directory, SNAPSHOT_NAME), FILE_GONE);
        await checkFile(files, path, draft.file, size);
      },
      onFailure: (error) => {
        if (isPublished) this.#fail(error, path);
      },
    });
    const useWriter = () => {
      this.#writer = writer;
    };
    try {
      if (rows === null) useWriter();
      else await this.#writeSnapshot(after(useWriter, rows));
      await lock.check();
      await draft.publish();
      // Before anything is acknowledged, so that a lost change is noticed.
      await lock.note({ generation, hasJournal: true });
      if (writer.failure !== null) throw writer.failure;
      isPublished = true;
      this.#setSaved();
    } catch (error) {
      this.#writer = null;
      await writer.close();
      await draft.discard();
      throw error;
    }
    await removeLeftovers(this.#opened.lockOptions, this.#generation);
  }

  async #writeSnapshot(rows: Iterable<StateRow>): Promise<void> {
    // Incremented even if writing fails: a snapshot that may be complete keeps its number.
    this.#generation += 1;
    const { snapshots } = this.#opened;
    snapshots.data = { generation: this.#generation, rows };
    await snapshots.write();
  }
}

const UNSAVED = 'The state of this sandbox was not saved';
const LOST = 'Changes since the first warning are lost';
const WHOLE_JOURNAL = 'Nothing is lost: the journal holds every change';

/** Runs a function right before the first row is read. */
function* after(run: () => void, rows: () => Iterable<StateRow>): Generator<StateRow> {
  run();
  yield* rows();
}
