import { join, resolve } from 'node:path';
import { Low } from 'lowdb';
import { draftKindOf } from './temporary-files.js';
import { nodeFiles, regardless } from './files.js';
import type { Files } from './files.js';
import { createJournal, readJournal } from './journal-file.js';
import { JournalWriter } from './journal-writer.js';
import { latestLock, takeLock } from './lock.js';
import type { Lock, Mark } from './lock.js';
import { thisMachine } from './machine.js';
import type { Machine } from './machine.js';
import { snapshotAdapter } from './snapshot.js';
import type { Snapshot } from './snapshot.js';
import { damaged, dataSource } from './source.js';
import type { Source } from './source.js';
import { asStoreError, saysUnwritable, systemCodeOf, textOf } from './store-error.js';
import type { Journal, Restorer, StateRow, Writer } from './types.js';

const SNAPSHOT_NAME = 'snapshot.ndjson';
const JOURNAL_NAME = /^journal\.(0|[1-9]\d{0,14})\.ndjson$/;
/** Generations of snapshots count from 1. */
const NO_SNAPSHOT: Snapshot = { generation: 0, rows: [] };

export interface StoreOptions extends Writer {
  readonly directory: string;
  /** Receives the stored data before `openStore` resolves. */
  readonly restorer: Restorer;
  /** Called with what the user has to know: a dropped torn line, a full disk. */
  readonly onWarning: (message: string) => void;
  readonly files?: Files;
  readonly machine?: Machine;
}

/** What `openStore` found, and what it continues with. */
interface Opened {
  readonly options: StoreOptions;
  readonly files: Files;
  readonly directory: string;
  readonly snapshots: Low<Snapshot>;
  readonly isEmpty: boolean;
  /** Of the snapshot that was read; 0 if there is none. */
  readonly generation: number;
  /** Null if nothing can be written; then `unwritable` says why. */
  readonly lock: Lock | null;
  readonly unwritable: Error | null;
}

/**
 * A directory that survives its process: a snapshot of a whole world, and a journal of the changes since. Only the journal of the
 * snapshot's generation counts; a change of generation writes the new snapshot first, then the new journal, and removes the old
 * files last, so that the directory can be opened after a crash at any moment.
 */
export class Store {
  readonly #opened: Opened;
  #generation: number;
  #journal: JournalWriter | null = null;
  #failure: Error | null;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.#generation = opened.generation;
    this.#failure = opened.unwritable;
  }

  /** Nothing was stored here before. */
  get isEmpty(): boolean {
    return this.#opened.isEmpty;
  }

  /**
   * Begins a journal; call it once: after a snapshot of what was restored (`rows`), or with null in an empty directory. If
   * nothing can be written it warns and resolves to a journal with `failure`.
   */
  async begin(rows: Iterable<StateRow> | null): Promise<Journal> {
    if (rows === null && !this.isEmpty) throw new Error('Expected the rows of what the directory holds');
    if (this.#journal !== null) throw new Error('Expected to begin once');
    if (this.#failure !== null) return inMemory(this.#failure);
    try {
      if (rows !== null) await this.#writeSnapshot(rows);
      this.#journal = await this.#createJournal();
      // Before anything is acknowledged, so that a lost change is noticed.
      await this.#opened.lock?.note({ generation: this.#generation, hasJournal: true });
      await this.#removeLeftovers();
      return this.#journal;
    } catch (error) {
      if (!(error instanceof Error) || systemCodeOf(error) === undefined) throw error;
      this.#failure = error;
      this.#warnOfMemory(textOf(error));
      return inMemory(error);
    }
  }

  /**
   * Writes the whole state and releases the directory; nothing may be appended afterwards. Tries even if the journal had
   * to stop. Resolves to whether everything is on the disk, and warns if it is not.
   */
  async close(rows: Iterable<StateRow>): Promise<boolean> {
    await this.#journal?.close();
    if (this.#opened.lock === null) return false;
    const failure = this.#failure ?? this.#journal?.failure ?? null;
    let mark: Mark | undefined;
    try {
      await this.#writeSnapshot(rows);
      mark = { generation: this.#generation, hasJournal: false };
      await this.#removeLeftovers();
      return true;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      const kept = failure === null ? 'Nothing is lost: the journal holds every change' : LOST;
      this.#opened.options.onWarning(`Could not write the whole state: ${textOf(error)}. ${kept}.`);
      return failure === null && this.#journal !== null;
    } finally {
      await regardless(this.#opened.lock.release(mark));
    }
  }

  /** Releases the directory as it is: flushes what was appended, and writes no snapshot. */
  async abandon(): Promise<void> {
    await this.#journal?.close();
    await regardless(this.#opened.lock?.release());
  }

  async #writeSnapshot(rows: Iterable<StateRow>): Promise<void> {
    // Incremented even if writing fails: a snapshot that may be complete keeps its number.
    this.#generation += 1;
    const { snapshots } = this.#opened;
    snapshots.data = { generation: this.#generation, rows };
    await snapshots.write();
  }

  async #createJournal(): Promise<JournalWriter> {
    const { files, directory, options } = this.#opened;
    const path = join(directory, journalName(this.#generation));
    const file = await createJournal(files, path, options, this.#generation);
    return new JournalWriter(file, (why) => this.#warnOfMemory(why));
  }

  /** Leftover files are never read again, so failing to remove them does no harm. */
  async #removeLeftovers(): Promise<void> {
    const { files, directory } = this.#opened;
    const names = await files.list(directory).catch(() => []);
    for (const name of names) {
      const draft = draftKindOf(name);
      const isOld = (generationOf(name) ?? Infinity) < this.#generation;
      if (isOld || draft === 'snapshot' || draft === 'journal')
        await regardless(files.remove(join(directory, name)));
    }
  }

  #warnOfMemory(why: string): void {
    this.#opened.options.onWarning(
      `Could not write to the data directory: ${why}. Changes from now on are in memory only. Free some space and stop with Ctrl-C: the whole state is then written.`,
    );
  }
}

const LOST = 'Changes since the first warning are lost';

/**
 * Opens a data directory, creating it if needed, becomes its only owner and passes its contents to the restorer. If nothing can be
 * written it warns, and the store continues in memory. Throws a StoreError, and changes no data, if another process owns the
 * directory or a file in it is damaged.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { files = nodeFiles, machine = thisMachine, onWarning } = options;
  const directory = resolve(options.directory);
  const { lock, unwritable } = await own(files, directory, machine, onWarning);
  try {
    const source = dataSource(directory, join(directory, SNAPSHOT_NAME));
    const snapshots = new Low(snapshotAdapter(files, source, options), NO_SNAPSHOT);
    const last = lock ?? (await latestLock(files, directory).catch(() => null));
    const mark = last?.mark ?? null;
    const isEmpty = await restore(files, directory, snapshots, mark, options);
    const generation = snapshots.data.generation;
    if (unwritable !== null)
      onWarning(
        `Could not write to the data directory: ${textOf(unwritable)}. Everything is in memory only and ends with this sandbox; to keep it: npx sandbox state export > state.json`,
      );
    return new Store({ options, files, directory, snapshots, isEmpty, generation, lock, unwritable });
  } catch (error) {
    await regardless(lock?.release());
    throw asStoreError(error, directory, 'a data directory that can be read');
  }
}

async function own(
  files: Files,
  directory: string,
  machine: Machine,
  onWarning: (message: string) => void,
): Promise<Pick<Opened, 'lock' | 'unwritable'>> {
  try {
    await files.makeDirectory(directory);
    return { lock: await takeLock(files, directory, machine, onWarning), unwritable: null };
  } catch (error) {
    if (saysUnwritable(error)) return { lock: null, unwritable: error };
    throw asStoreError(error, directory, 'a folder for the data');
  }
}

/** Passes on the snapshot and its journal; resolves to whether there was nothing. */
async function restore(
  files: Files,
  directory: string,
  snapshots: Low<Snapshot>,
  mark: Mark | null,
  { restorer, coreVersion, onWarning }: StoreOptions,
): Promise<boolean> {
  const names = await files.list(directory).catch((error: unknown): string[] => {
    // It could not even be created.
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const sourceOf = (name: string) => dataSource(directory, join(directory, name));
  await snapshots.read();
  const { generation, rows } = snapshots.data;
  const came = generation === 0 ? 'none' : `one of generation ${generation}`;
  const orphan = names.find((name) => (generationOf(name) ?? 0) > generation);
  if (orphan !== undefined)
    throw damaged(sourceOf(orphan), {}, `a snapshot of generation ${generationOf(orphan)} beside it`, came);
  if (mark !== null && generation < mark.generation)
    throw damaged(
      sourceOf(SNAPSHOT_NAME),
      {},
      `the snapshot of generation ${mark.generation} that was written here`,
      came,
    );
  const isMissed = mark !== null && mark.hasJournal && generation === mark.generation;
  if (isMissed && !names.includes(journalName(generation)))
    throw damaged(sourceOf(journalName(generation)), {}, 'the journal that was written here', 'none');
  await restoreRows(rows, restorer, sourceOf(SNAPSHOT_NAME));
  if (!names.includes(journalName(generation))) return generation === 0;
  const source = sourceOf(journalName(generation));
  const take = restorer.entry.bind(restorer);
  const { header, entries } = await readJournal({ files, source, coreVersion, take, onWarning });
  if (header.generation !== generation)
    throw damaged(source, { line: 1 }, `generation ${generation}`, String(header.generation));
  return generation === 0 && entries === 0;
}

async function restoreRows(rows: Snapshot['rows'], restorer: Restorer, source: Source): Promise<void> {
  let line = 1;
  for await (const row of rows) {
    line += 1;
    try {
      restorer.row(row);
    } catch (error) {
      throw damaged(source, { line }, 'a row that can be restored', textOf(error), error);
    }
  }
}

function journalName(generation: number): string {
  return `journal.${generation}.ndjson`;
}

function generationOf(name: string): number | undefined {
  const digits = JOURNAL_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function inMemory(failure: Error): Journal {
  return { failure, append: () => undefined, flushed: () => Promise.resolve() };
}
