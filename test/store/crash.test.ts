import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreError } from '../../src/store/store-error.js';
import type { Files } from '../../src/store/files.js';
import { crashingFiles, failingFiles, quickFiles, volatileFiles } from '../helpers/store/store-files.js';
import { entryOf, machineOf, opened } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';

const BEFORE = [1, 2, 3];
const BURSTS = [[4], [5, 6, 7], [8, 9]];
const ALL = [...BEFORE, ...BURSTS.flat()];

interface Run {
  /** What had been acknowledged when it ended. */
  readonly acknowledged: readonly number[];
  readonly isAllKept: boolean;
  readonly warnings: readonly string[];
}

/** A start that was refused has acknowledged nothing more. */
const REFUSED: Run = { acknowledged: BEFORE, isAllKept: false, warnings: [] };

/** A sandbox that goes on with a directory, changes things, and stops cleanly, so far as it comes. */
async function run(directory: string, files: Files, pid: number, before = BEFORE): Promise<Run> {
  const acknowledged = [...before];
  const { store, kept, warnings } = await opened(directory, { files, machine: machineOf(pid) });
  const journal = await store.begin(store.isEmpty ? null : kept.all());
  for (const burst of BURSTS) {
    for (const number of burst) {
      kept.entry(entryOf(number));
      journal.append(entryOf(number));
    }
    await journal.flushed();
    if (journal.failure === null) acknowledged.push(...burst);
  }
  const isAllKept = await store.close(kept.all());
  return { acknowledged, isAllKept, warnings };
}

/** A directory with a snapshot and a journal, whose sandbox was killed. */
async function prepare(directory: string): Promise<void> {
  mkdirSync(directory);
  for (const part of [BEFORE.slice(0, 2), BEFORE.slice(2)]) {
    const { store, kept } = await opened(directory, { files: quickFiles, machine: machineOf(1) });
    const journal = await store.begin(kept.all());
    for (const number of part) journal.append(entryOf(number));
    await store.abandon();
  }
}

/** Opens it as a later process does, which can go on with it. */
async function numbersIn(directory: string): Promise<readonly number[]> {
  const { store, kept, warnings } = await opened(directory, { files: quickFiles, machine: machineOf(3) });
  expect((await store.begin(store.isEmpty ? null : kept.all())).failure).toBeNull();
  await store.abandon();
  expect(warnings.filter((warning) => !warning.includes('was cut off'))).toEqual([]);
  return kept.numbers;
}

interface Outcome {
  readonly ended: Run | StoreError;
  /** No operation was reached that something happens to. */
  readonly isUntouched: boolean;
}

/** Does something else to each operation in turn, always from the same beginning, until none is left. */
async function atEveryPoint(
  life: (directory: string, at: number) => Promise<Outcome>,
  check: (ended: Run | StoreError, numbers: readonly number[], at: number) => void,
  before: (directory: string) => Promise<void> | void = prepare,
): Promise<number> {
  using folder = memoryFolder();
  const prepared = join(folder.path, 'prepared');
  await before(prepared);
  for (let at = 1; ; at += 1) {
    const directory = join(folder.path, String(at));
    cpSync(prepared, directory, { recursive: true });
    const { ended, isUntouched } = await life(directory, at);
    const numbers = await numbersIn(directory);
    check(ended, numbers, at);
    if (isUntouched) return at;
  }
}

async function endOf(work: Promise<Run>): Promise<Run | StoreError> {
  return await work.catch((error: unknown) => {
    if (error instanceof StoreError) return error;
    throw error;
  });
}

function expectKept(ended: Run | StoreError, numbers: readonly number[], at: number): void {
  const { acknowledged, isAllKept } = ended instanceof StoreError ? REFUSED : ended;
  const fewest = isAllKept ? ALL.length : acknowledged.length;
  expect(numbers, `operation ${at}`).toEqual(ALL.slice(0, numbers.length));
  expect(numbers.length, `operation ${at}`).toBeGreaterThanOrEqual(fewest);
}

const TIMEOUT_MS = 60_000;

test(
  'any one operation fails: nothing acknowledged is lost, and what is lost is said',
  async () => {
    const points = await atEveryPoint(
      async (directory, at) => {
        const { files, count } = failingFiles('ENOSPC', (number) => number === at);
        return { ended: await endOf(run(directory, files, 2)), isUntouched: count() < at };
      },
      (ended, numbers, at) => {
        expectKept(ended, numbers, at);
        const isSaid = ended instanceof StoreError || ended.warnings.length > 0;
        expect(isSaid || numbers.length === ALL.length, `operation ${at}`).toBe(true);
      },
    );
    expect(points).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);

test(
  'everything fails from any one operation on: nothing acknowledged is lost',
  async () => {
    await atEveryPoint(async (directory, at) => {
      const { files, count } = failingFiles('EIO', (number) => number >= at);
      return { ended: await endOf(run(directory, files, 2)), isUntouched: count() < at };
    }, expectKept);
  },
  TIMEOUT_MS,
);

test(
  'a crash at any one operation: nothing acknowledged is lost',
  async () => {
    const points = await atEveryPoint(async (directory, at) => {
      const { files, count } = crashingFiles(at);
      return { ended: await endOf(run(directory, files, 2)), isUntouched: count() < at };
    }, expectKept);
    expect(points).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);

test(
  'a power failure at any one operation, which takes what was not synced: nothing acknowledged is lost',
  async () => {
    await atEveryPoint(async (directory, at) => {
      const { files: inner, failPower } = volatileFiles();
      const { files, count } = crashingFiles(at, inner);
      const ended = await endOf(run(directory, files, 2));
      failPower();
      return { ended, isUntouched: count() < at };
    }, expectKept);
  },
  TIMEOUT_MS,
);

test.each([
  ['a crash', quickFiles],
  ['a power failure', undefined],
])(
  '%s at any one operation of a first start: the directory opens, and nothing acknowledged is lost',
  async (_, given) => {
    const fresh = BURSTS.flat();
    const points = await atEveryPoint(
      async (directory, at) => {
        const { files: inner, failPower } = volatileFiles();
        const { files, count } = crashingFiles(at, given ?? inner);
        const ended = await endOf(run(directory, files, 2, []));
        if (given === undefined) failPower();
        return { ended, isUntouched: count() < at };
      },
      (ended, numbers, at) => {
        const { acknowledged, isAllKept } =
          ended instanceof StoreError ? { acknowledged: [], isAllKept: false } : ended;
        expect(numbers, `operation ${at}`).toEqual(fresh.slice(0, numbers.length));
        const fewest = isAllKept ? fresh.length : acknowledged.length;
        expect(numbers.length, `operation ${at}`).toBeGreaterThanOrEqual(fewest);
      },
      (directory) => {
        mkdirSync(directory);
      },
    );
    expect(points).toBeGreaterThan(30);
  },
  TIMEOUT_MS,
);
