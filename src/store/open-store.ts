import { join, resolve } from 'node:path';
import { Low } from 'lowdb';
import { nodeFiles, regardless } from './files.js';
import type { Files } from './files.js';
import { latestLock, takeLock } from './lock.js';
import type { Lock, LockOptions } from './lock.js';
import { thisMachine } from './machine.js';
import type { Machine } from './machine.js';
import { restore, SNAPSHOT_NAME } from './restore.js';
import type { RestoreOptions } from './restore.js';
import { snapshotAdapter } from './snapshot.js';
import type { Snapshot } from './snapshot.js';
import { dataSource } from './source.js';
import { Store } from './store.js';
import type { Owner } from './store.js';
import { asStoreError, saysUnwritable, textOf } from './store-error.js';
import type { Writer } from './types.js';

/** Generations of snapshots count from 1. */
const NO_SNAPSHOT: Snapshot = { generation: 0, rows: [] };

export interface StoreOptions extends Writer, RestoreOptions {
  readonly directory: string;
  readonly files?: Files;
  readonly machine?: Machine;
}

/**
 * Opens a data directory, creating it if needed, becomes its only owner and passes its contents to the restorer. If nothing can be
 * written it warns, and the store continues in memory. Throws a StoreError, and changes no data, if another process owns the
 * directory or a file in it is damaged.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { files = nodeFiles, machine = thisMachine, onWarning } = options;
  const directory = resolve(options.directory);
  const lockOptions: LockOptions = { files, directory, machine, onWait: onWarning };
  const { lock, unwritable } = await own(lockOptions);
  const owner: Owner = { lock };
  try {
    const source = dataSource(directory, join(directory, SNAPSHOT_NAME));
    const confirm = async () => owner.lock?.check();
    const snapshots = new Low(snapshotAdapter(files, source, options, confirm), NO_SNAPSHOT);
    const last = lock ?? (await latestLock(files, directory).catch(() => NO_LOCK));
    const isEmpty = await restore(files, directory, snapshots, last.mark, options);
    const { generation } = snapshots.data;
    if (unwritable !== null)
      onWarning(
        `Could not write to the data directory: ${textOf(unwritable)}. Everything is in memory only until it can be written, and ends with this sandbox; to keep it: npx sandbox state export > state.json`,
      );
    const lastLock = last.number;
    return new Store({
      writer: options,
      onWarning,
      lockOptions,
      snapshots,
      isEmpty,
      generation,
      owner,
      lastLock,
      unwritable,
    });
  } catch (error) {
    await regardless(lock?.release());
    throw asStoreError(error, directory, 'a data directory that can be read');
  }
}

const NO_LOCK = { number: 0, mark: null };

async function own(
  options: LockOptions,
): Promise<{ readonly lock: Lock | null; readonly unwritable: Error | null }> {
  const { files, directory, machine, onWait } = options;
  try {
    await files.makeDirectory(directory);
    return { lock: await takeLock(files, directory, machine, onWait), unwritable: null };
  } catch (error) {
    if (saysUnwritable(error)) return { lock: null, unwritable: error };
    throw asStoreError(error, directory, 'a folder for the data');
  }
}
