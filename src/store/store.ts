import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { type Adapter, Low } from 'lowdb';
import type { JournalEntry } from '../core/journal.js';
import { makeDirectory } from '../directories.js';
import { type JournalSink, JournalWriter, readJournal } from './journal.js';
import { type Lock, type LockRecord, parseLockRecord, readLock, RENEW_MS, acquireLock } from './lock.js';
import { type ProcessTable, currentProcess } from './process-table.js';
import {
  checkVersion,
  createHeaderLine,
  isDraft,
  readChecksummedFile,
  ignoreFailure,
  replaceFile,
  addChecksum,
  formatErrorText,
  writeDraft,
  type FileWriter,
} from './checksummed-file.js';
import {
  toError,
  toStoreError,
  createDamagedError,
  createDataSource,
  FILE_GONE_MESSAGE,
  createLostError,
  catchMissingFile,
  isUnwritable,
  SaveFailure,
  StoreError,
  getSystemCode,
} from './store-error.js';

const SNAPSHOT_NAME = 'snapshot.ndjson';
const JOURNAL_NAME = 'journal.ndjson';
/** Matches data file names, including names from earlier core versions. */
const DATA_NAME = /^(snapshot|journal)(\.\d+)?\.ndjson$/;

/** Receives the stored data: a snapshot of a world as JSON, then the journal's entries. */
interface Restorer {
  state(state: unknown): void;
  entry(entry: JournalEntry): void;
}

export interface StoreOptions extends FileWriter {
  readonly directory: string;
  /** Receives the stored data in order. An error stops reading. */
  readonly restorer: Restorer;
  /** Called with warnings for the user, e.g. about a dropped line or a full disk. */
  readonly onWarning: (message: string) => void;
  /** Replaced in tests. */
  readonly processes?: ProcessTable;
}

/** Source of new snapshots while the store is in use. */
interface LiveState {
  /** Returns the complete current state. */
  readonly state: () => unknown;
  /** Called when saving fails or works again. */
  readonly onChange: () => void;
}

/** A complete state with its generation; 0 if no snapshot exists. */
interface Snapshot {
  readonly generation: number;
  readonly state: unknown;
}

/**
 * Stores a snapshot in a two-line file: header and state. Replaces lowdb's own adapter, which does not sync,
 * preserve permissions or detect damage. Calls `confirm` right before replacing the old snapshot.
 */
function snapshotAdapter(
  directory: string,
  writer: FileWriter,
  confirm: () => Promise<unknown>,
): Adapter<Snapshot> {
  const source = createDataSource(directory, join(directory, SNAPSHOT_NAME));
  return {
    read: async () => {
      const states: unknown[] = [];
      const content = await readChecksummedFile(
        source,
        'pix-sandbox-snapshot',
        writer.coreVersion,
        (json) => {
          states.push((json as { readonly state?: unknown }).state);
        },
      );
      if (content === null) return null;
      if (states.length !== 1 || content.truncatedAt !== null) {
        throw createDamagedError(
          source,
          content.truncatedAt ?? {},
          'a header and a complete state',
          `${states.length} states`,
        );
      }
      return { generation: content.header.generation, state: states[0] };
    },
    write: async ({ generation, state }) => {
      const text = createHeaderLine('pix-sandbox-snapshot', writer, generation) + addChecksum({ state });
      await replaceFile(source.path, text, confirm);
    },
  };
}

/** Contents of an opened directory. */
interface Opened {
  readonly options: StoreOptions;
  readonly directory: string;
  readonly snapshots: Low<Snapshot>;
  readonly owner: { lock: Lock | undefined };
  readonly isEmpty: boolean;
  /** The last owner's lock content, if this process could not acquire the lock. */
  readonly lastLock: string | null;
  readonly unwritable: Error | null;
}

/**
 * Opens and locks a data directory, creating it if necessary, and passes its contents to the restorer. Warns
 * and continues in memory if the directory is not writable. Throws a StoreError without changing any data if
 * another process owns the directory, a file is damaged, or a file is from another core version.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { processes = currentProcess, onWarning } = options;
  const directory = resolve(options.directory);
  const owner: Opened['owner'] = { lock: undefined };
  let unwritable: Error | null = null;
  try {
    makeDirectory(directory, 0o700);
    await checkVersions(directory, options.coreVersion);
    owner.lock = await acquireLock(directory, processes, onWarning);
  } catch (error) {
    if (!isUnwritable(error)) throw toStoreError(error, directory, 'a data directory');
    unwritable = error;
  }
  try {
    const snapshots = new Low(
      snapshotAdapter(directory, options, async () => owner.lock?.check()),
      { generation: 0, state: undefined },
    );
    const lastLock = owner.lock === undefined ? await readLock(directory) : null;
    const isEmpty = await restore(
      directory,
      snapshots,
      owner.lock?.mark ?? parseLockRecord(lastLock),
      options,
    );
    if (unwritable !== null) {
      onWarning(
        `Could not write to the data directory: ${formatErrorText(unwritable)}. All data is only in ` +
          'memory until the directory is writable, and is lost when this sandbox stops; to save it: npx ' +
          'sandbox state export > state.json',
      );
    }
    return new Store({ options, directory, snapshots, owner, isEmpty, lastLock, unwritable });
  } catch (error) {
    await ignoreFailure(owner.lock?.release());
    throw toStoreError(error, directory, 'a readable data directory');
  }
}

/** Rejects a directory from another core version before writing to it. */
async function checkVersions(directory: string, coreVersion: number): Promise<void> {
  const names = (await readdir(directory)).filter((name) => DATA_NAME.test(name));
  for (const name of names)
    await checkVersion(createDataSource(directory, join(directory, name)), coreVersion);
}

/** Passes the snapshot and its journal to the restorer. Resolves to true if the directory was empty. */
async function restore(
  directory: string,
  snapshots: Low<Snapshot>,
  mark: LockRecord | null,
  { restorer, coreVersion, onWarning }: StoreOptions,
): Promise<boolean> {
  const snapshotSource = createDataSource(directory, join(directory, SNAPSHOT_NAME));
  const source = createDataSource(directory, join(directory, JOURNAL_NAME));
  await snapshots.read();
  const { generation, state } = snapshots.data;
  snapshots.data = { generation, state: undefined };
  const came = generation === 0 ? 'none' : `one of generation ${generation}`;
  if (mark !== null && generation < mark.generation) {
    const expected = `the snapshot of generation ${mark.generation} written here`;
    throw createDamagedError(snapshotSource, {}, expected, came);
  }
  if (generation > 0) {
    try {
      restorer.state(state);
    } catch (error) {
      throw createDamagedError(
        snapshotSource,
        { line: 2 },
        'a restorable state',
        formatErrorText(error),
        error,
      );
    }
  }
  const journal = await readJournal(source, {
    coreVersion,
    // After a crash between the two writes, the journal still belongs to the previous snapshot.
    begins: (header) => header.generation === generation,
    onEntry: (entry) => restorer.entry(entry),
    onWarning,
  });
  const found = journal?.header.generation;
  if (found !== undefined && found > generation) {
    throw createDamagedError(source, {}, `a snapshot of generation ${found} next to it`, came);
  }
  const isMissed = mark !== null && mark.hasJournal && generation === mark.generation;
  if (isMissed && found !== generation) {
    const other = found === undefined ? 'none' : `one of generation ${found}`;
    throw createDamagedError(source, {}, 'the journal written here', other);
  }
  return generation === 0 && (journal?.lines ?? 0) === 0;
}

const UNSAVED = 'The state of this sandbox was not saved';
const LOST = 'Changes since the first warning are lost';
const WHOLE_JOURNAL = 'Nothing is lost: the journal contains every change';

/**
 * Persists a world in a directory: a snapshot and a journal of later changes. Replays only the journal with
 * the snapshot's generation. Each new generation writes its snapshot before its journal, so that the
 * directory can be opened after a crash at any point.
 *
 * A failed write leaves a gap in the journal, and a failed sync leaves unknown contents, so recovery requires
 * a fresh snapshot in new files. The store retries at the next change and then at intervals, as long as this
 * process owns the directory.
 */
export class Store implements JournalSink {
  readonly #opened: Opened;
  readonly #beating: NodeJS.Timeout;
  #generation: number;
  #writer: JournalWriter | undefined;
  #failure: SaveFailure | null;
  #recovery: string | null = null;
  #live: LiveState | undefined;
  #retrying: Promise<void> | undefined;
  #isClosed = false;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.#generation = opened.snapshots.data.generation;
    this.#failure = opened.unwritable === null ? null : new SaveFailure(opened.unwritable);
    this.#beating = setInterval(() => this.#onRenewal(), RENEW_MS).unref();
  }

  /** True if the directory was empty. */
  get isEmpty(): boolean {
    return this.#opened.isEmpty;
  }

  /** Describes the last failure from which the store has recovered; null if there was none. */
  get recovery(): string | null {
    return this.#recovery;
  }

  /**
   * Begins the journal. Call this method once, with the restored state (to write a snapshot first) or with
   * undefined for an empty directory. If the directory is not writable, warns and resolves to a journal with
   * `failure` set.
   */
  async begin(state: unknown): Promise<JournalSink> {
    const { lock } = this.#opened.owner;
    if (lock !== undefined) {
      try {
        await this.#startJournal(lock, state === undefined ? undefined : () => state);
      } catch (error) {
        if (!(error instanceof Error) || getSystemCode(error) === undefined) throw error;
        this.#fail(error);
      }
    }
    return this;
  }

  append(entry: JournalEntry): void {
    if (this.#isClosed) throw new Error('The journal is closed and accepts no more changes');
    this.#writer?.append(entry);
    if (this.#failure?.isDue) this.#retry();
  }

  flushed(): Promise<void> {
    return this.#writer?.flushed() ?? Promise.resolve();
  }

  get failure(): Error | null {
    return this.#failure?.error ?? null;
  }

  /** Enables recovery after a failed save. Call this method as soon as the state is in use. */
  attach(live: LiveState): void {
    this.#live = live;
    if (this.#failure !== null) live.onChange();
  }

  /**
   * Writes the complete state and releases the directory, even if journaling has failed. Nothing can be
   * appended afterward. Resolves to true if everything is on disk; otherwise warns.
   */
  async close(state: unknown): Promise<boolean> {
    const isJournalWhole = await this.#stop();
    const { directory, owner, options } = this.#opened;
    if (owner.lock === undefined) return false;
    try {
      await owner.lock.check();
      await this.#writeSnapshot(state);
      await ignoreFailure(rm(join(directory, JOURNAL_NAME), { force: true }));
      await ignoreFailure(owner.lock.release({ generation: this.#generation, hasJournal: false }));
      this.#setSaved();
      return true;
    } catch (error) {
      await ignoreFailure(owner.lock.release());
      const isLost = error instanceof StoreError;
      if (!isLost && getSystemCode(error) === undefined) throw error;
      if (isLost || !isJournalWhole) this.#failure ??= new SaveFailure(toError(error));
      const rest = isLost ? UNSAVED : isJournalWhole ? WHOLE_JOURNAL : LOST;
      options.onWarning(`Could not write the complete state: ${formatErrorText(error)}. ${rest}.`);
      return isJournalWhole && !isLost;
    }
  }

  /** Flushes the journal and releases the directory without writing a snapshot. */
  async abandon(): Promise<void> {
    await this.#stop();
    await ignoreFailure(this.#opened.owner.lock?.release());
  }

  /** Flushes and closes the journal. Resolves to true if the journal contains every change. */
  async #stop(): Promise<boolean> {
    this.#isClosed = true;
    clearInterval(this.#beating);
    await this.#retrying;
    const isIntact = await this.#writer?.isIntact();
    await this.#writer?.close();
    return this.#failure === null && isIntact === true;
  }

  #onRenewal(): void {
    if (this.#failure === null) void this.#writer?.check();
    this.#failure?.beat();
    if (this.#failure?.isDue) this.#retry();
  }

  #fail(error: Error, path?: string): void {
    if (this.#failure !== null) return;
    this.#failure = new SaveFailure(error);
    this.#opened.options.onWarning(this.#failure.warning(path));
    this.#live?.onChange();
  }

  #retry(): void {
    if (this.#retrying !== undefined || this.#live === undefined || this.#isClosed) return;
    this.#retrying = this.#recover(this.#live).finally(() => {
      this.#retrying = undefined;
    });
  }

  async #recover(live: LiveState): Promise<void> {
    const { owner, options } = this.#opened;
    try {
      owner.lock ??= await this.#lateLock();
      await this.#startJournal(owner.lock, live.state);
    } catch (error) {
      const reminder = this.#failure?.postpone(toError(error));
      if (reminder === undefined) return;
      options.onWarning(reminder);
    }
    live.onChange();
  }

  /** Clears the failure once the complete state is saved. */
  #setSaved(): void {
    if (this.#failure === null) return;
    this.#recovery = this.#failure.recovery();
    this.#failure = null;
    this.#opened.options.onWarning(this.#recovery);
  }

  /** Acquires the lock that was unavailable at startup, unless another process has used the directory. */
  async #lateLock(): Promise<Lock> {
    const { directory, lastLock, options } = this.#opened;
    makeDirectory(directory, 0o700);
    const lock = await acquireLock(
      directory,
      options.processes ?? currentProcess,
      options.onWarning,
      lastLock,
    );
    if (lock !== undefined) return lock;
    throw createLostError(
      directory,
      'Another process has used the data directory since this sandbox read it',
    );
  }

  /** Writes a snapshot if a state is provided, then begins the journal for all later changes. */
  async #startJournal(lock: Lock, state: (() => unknown) | undefined): Promise<void> {
    const failed = this.#writer;
    this.#writer = undefined;
    await failed?.close();
    await lock.check();
    const { directory, options } = this.#opened;
    const generation = this.#generation + (state === undefined ? 0 : 1);
    const path = join(directory, JOURNAL_NAME);
    const header = createHeaderLine('pix-sandbox-journal', options, generation);
    const draft = await writeDraft(path, header);
    let isPublished = false;
    const writer = new JournalWriter({
      path,
      file: draft.file,
      size: Buffer.byteLength(header),
      isInPlace: () => isPublished,
      confirm: async () => {
        await lock.check();
        const snapshot = join(directory, SNAPSHOT_NAME);
        const isWhole = generation === 0 || (await stat(snapshot).catch(catchMissingFile)) !== null;
        if (!isWhole) throw createLostError(snapshot, FILE_GONE_MESSAGE);
      },
      onFailure: (error) => {
        if (isPublished) this.#fail(error, path);
      },
    });
    // Set the writer in the event loop turn that serializes the snapshot, so that no change is lost.
    this.#writer = writer;
    try {
      if (state !== undefined) await this.#writeSnapshot(state());
      await lock.check();
      await draft.publish();
      // Record the new contents before acknowledging any change, so that a lost change is detected.
      await lock.note({ generation, hasJournal: true });
      if (writer.failure !== null) throw writer.failure;
      isPublished = true;
      this.#setSaved();
    } catch (error) {
      this.#writer = undefined;
      await writer.close();
      await draft.discard();
      throw error;
    }
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter(isDraft)) await ignoreFailure(rm(join(directory, name), { force: true }));
  }

  async #writeSnapshot(state: unknown): Promise<void> {
    // Increment even if writing fails: the snapshot with this generation might be complete.
    this.#generation += 1;
    const { snapshots } = this.#opened;
    snapshots.data = { generation: this.#generation, state };
    const writing = snapshots.write();
    snapshots.data = { generation: this.#generation, state: undefined };
    await writing;
  }
}
