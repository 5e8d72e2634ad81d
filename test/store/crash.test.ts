import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreError } from '../../src/store/store-error.js';
import { crashAt, failAt, rememberSyncs, resetSystem, useSystem } from '../helpers/store/store-system.js';
import { entryOf, life, opened, processesOf } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';

useSystem();

const BEFORE = [1, 2, 3];
const BURSTS = [[4], [5, 6, 7], [8, 9]];
const TIMEOUT_MS = 60_000;

/** What had been acknowledged when a life ended. */
interface Ended {
  readonly acknowledged: readonly number[];
  readonly isAllKept: boolean;
  readonly isSaid: boolean;
}

/** A sandbox that continues with a directory, changes things, and stops cleanly, as far as it gets. */
async function run(directory: string, before: readonly number[]): Promise<Ended> {
  const acknowledged = [...before];
  try {
    const { store, kept, warnings } = await opened(directory, { processes: processesOf(2) });
    const journal = await store.begin(store.isEmpty ? undefined : kept.all);
    for (const burst of BURSTS) {
      for (const number of burst) {
        kept.entry(entryOf(number));
        journal.append(entryOf(number));
      }
      await journal.flushed();
      if (journal.failure === null) acknowledged.push(...burst);
    }
    const isAllKept = await store.close(kept.all);
    return { acknowledged, isAllKept, isSaid: warnings.length > 0 };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { acknowledged, isAllKept: false, isSaid: true };
  }
}

/** Lets something happen at each operation in turn, always from the same beginning, until none is left; returns their number. */
async function atEveryOperation(
  before: readonly number[],
  happens: (at: number) => () => number,
): Promise<number> {
  using folder = memoryFolder();
  const prepared = join(folder.path, 'prepared');
  mkdirSync(prepared);
  for (const number of before) await life(prepared, [number], 'killed');
  const all = [...before, ...BURSTS.flat()];
  for (let at = 1; ; at += 1) {
    const directory = join(folder.path, String(at));
    cpSync(prepared, directory, { recursive: true });
    const count = happens(at);
    const { acknowledged, isAllKept, isSaid } = await run(directory, before);
    const isUntouched = count() < at;
    resetSystem();
    // As a later process does, which can go on with it.
    const { store, kept, warnings } = await opened(directory, { processes: processesOf(3) });
    expect((await store.begin(store.isEmpty ? undefined : kept.all)).failure).toBeNull();
    await store.abandon();
    expect(warnings.filter((warning) => !warning.includes('was cut off'))).toEqual([]);
    const { numbers } = kept;
    expect(numbers, `operation ${at}`).toEqual(all.slice(0, numbers.length));
    const fewest = isAllKept ? all.length : acknowledged.length;
    expect(numbers.length, `operation ${at}`).toBeGreaterThanOrEqual(fewest);
    expect(isSaid || numbers.length === all.length || isUntouched, `operation ${at}`).toBe(true);
    if (isUntouched) return at;
  }
}

test.each<[string, (at: number) => () => number]>([
  ['any one operation fails', (at) => failAt('ENOSPC', (count) => count === at)],
  ['everything fails from any one operation on', (at) => failAt('EIO', (count) => count >= at)],
  ['a crash at any one operation', (at) => crashAt(at)],
])('loses nothing acknowledged: %s', { timeout: TIMEOUT_MS }, async (_, happens) => {
  expect(await atEveryOperation(BEFORE, happens)).toBeGreaterThan(50);
  expect(await atEveryOperation([], happens)).toBeGreaterThan(30);
});

test(
  'loses nothing acknowledged when a power failure drops unsynced writes at any operation',
  { timeout: TIMEOUT_MS },
  async () => {
    const happens = (at: number) => {
      const failPower = rememberSyncs();
      const count = crashAt(at);
      return () => {
        failPower();
        return count();
      };
    };
    expect(await atEveryOperation(BEFORE, happens)).toBeGreaterThan(50);
    expect(await atEveryOperation([], happens)).toBeGreaterThan(30);
  },
);
