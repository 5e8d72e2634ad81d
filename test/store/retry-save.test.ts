import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { atRest, failWhile, system, useSystem } from '../helpers/store/store-system.js';
import type { Operation } from '../helpers/store/store-system.js';
import { entryOf, life, numbersIn, opened, processesOf } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-31T12:00:00Z') });
});
afterEach(() => void vi.useRealTimers());
useSystem();

const isFull = ({ name }: Operation) => (name === 'write' ? 'ENOSPC' : undefined);
const works = () => failWhile(() => undefined);

/** A store in use. */
async function inUse(directory: string) {
  const { store, kept, warnings } = await opened(directory, { processes: processesOf(1) });
  const journal = await store.begin(store.isEmpty ? undefined : kept.all);
  let changes = 0;
  store.attach({
    state: () => kept.all,
    onChange: () => {
      changes += 1;
    },
  });
  const append = (...numbers: number[]) => {
    for (const number of numbers) {
      kept.entry(entryOf(number));
      journal.append(entryOf(number));
    }
    return journal.flushed();
  };
  /** Lets the timers fire until saving works again. */
  const recovered = async () => {
    while (journal.failure !== null) {
      system.beat();
      await setImmediate();
    }
  };
  return {
    store,
    journal,
    warnings,
    append,
    recovered,
    close: () => store.close(kept.all),
    changes: () => changes,
  };
}

describe('after a failed write', () => {
  test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EFBIG', 'EMFILE'])(
    'saves every change again once %s has gone',
    async (code) => {
      using folder = memoryFolder();
      const one = await inUse(folder.path);
      await one.append(1);
      failWhile(({ name }) => (/^(?:write|sync|create|rename)$/.test(name) ? code : undefined));
      await one.append(2);
      expect(one.journal.failure?.message).toContain(code);
      const first = new RegExp(
        `journal\\.ndjson: ${code}.*Changes from now on are only in memory\\..*state export`,
      );
      expect(one.warnings).toEqual([expect.stringMatching(first)]);
      await one.append(3);
      works();
      await one.recovered();
      await one.append(4);
      expect(one.warnings.at(-1)).toMatch(
        new RegExp(`^All changes have been saved again since 2026-01-31T12:00:00\\.000Z.*${code}`),
      );
      expect(one.store.recovery).toBe(one.warnings.at(-1));
      expect(one.changes()).toBe(2);
      await one.store.abandon();
      expect(await numbersIn(folder.path)).toEqual([1, 2, 3, 4]);
    },
  );

  test('saves again at the next change without a timer', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    failWhile(isFull);
    await one.append(1);
    works();
    await one.append(2);
    while (one.journal.failure !== null) await setImmediate();
    await one.store.abandon();
    expect(await numbersIn(folder.path)).toEqual([1, 2]);
  });

  test('saves changes made while the snapshot is written once', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    failWhile(isFull);
    await one.append(1, 2);
    let last = 2;
    system.around = async ({ path }, work) => {
      if (/snapshot|journal/.test(path) && last < 20) {
        last += 1;
        void one.append(last);
      }
      return await work();
    };
    await one.recovered();
    await one.journal.flushed();
    await one.store.abandon();
    expect(last).toBeGreaterThan(5);
    expect(await numbersIn(folder.path)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  test('retries less and less often, and reminds even less often', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    await one.append(1);
    rmSync(join(folder.path, 'journal.ndjson'));
    let attempts = 0;
    failWhile(({ name }) => {
      if (name !== 'create') return undefined;
      attempts += 1;
      return 'ENOSPC';
    });
    await one.append(2);
    // Two minutes of changes and of timers, which fire every 2 s.
    for (let beat = 0; beat < 60; beat += 1) {
      system.beat();
      await atRest();
      for (let change = 0; change < 10; change += 1) await one.append(100 + beat);
      await atRest();
    }
    expect(attempts).toBeGreaterThan(4);
    expect(attempts).toBeLessThan(12);
    expect(one.warnings.length).toBeLessThan(8);
    expect(one.warnings.at(-1)).toMatch(/^Changes since .* are still only in memory: ENOSPC/);
    works();
    await one.recovered();
    await one.store.abandon();
    expect(await numbersIn(folder.path)).toHaveLength(602);
  });

  test('saves everything at a clean stop, and reports it', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    failWhile(isFull);
    await one.append(1);
    works();
    expect(await one.close()).toBe(true);
    expect(one.journal.failure).toBeNull();
    expect(one.warnings.at(-1)).toMatch(/^All changes have been saved again/);
    expect(await numbersIn(folder.path)).toEqual([1]);
  });

  test('reports what is lost when it stops without space', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    await one.append(1);
    failWhile(isFull);
    await one.append(2);
    expect(await one.close()).toBe(false);
    expect(one.journal.failure?.message).toContain('ENOSPC');
    expect(one.warnings.at(-1)).toMatch(/Could not write the complete state: ENOSPC.*are lost/);
    works();
    expect((await numbersIn(folder.path))[0]).toBe(1);
  });

  test('keeps everything in the journal when only the end fails', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    await one.append(1);
    failWhile(({ name, path }) => (name === 'write' && path.includes('snapshot') ? 'ENOSPC' : undefined));
    expect(await one.close()).toBe(true);
    expect(one.warnings).toEqual([expect.stringContaining('Nothing is lost')]);
    works();
    expect(await numbersIn(folder.path)).toEqual([1]);
  });

  test('acknowledges nothing as saved after a failed write of the lock', async () => {
    using folder = memoryFolder();
    const { store, warnings } = await opened(folder.path);
    failWhile(({ name, path }) => (name === 'rename' && path.endsWith('lock') ? 'ENOSPC' : undefined));
    expect((await store.begin(undefined)).failure?.message).toContain('ENOSPC');
    expect(warnings).toEqual([expect.stringContaining('only in memory')]);
    await store.abandon();
  });

  test('does not blame the disk for an error of the state itself', async () => {
    using folder = memoryFolder();
    const { store, warnings } = await opened(folder.path);
    const state = {
      toJSON: () => {
        throw new TypeError('ours');
      },
    };
    await expect(store.begin(state)).rejects.toThrow('ours');
    await expect(store.close(state)).rejects.toThrow('ours');
    expect(warnings).toEqual([]);
  });
});

describe('files that disappear while in use', () => {
  const journal = 'journal.ndjson';
  test.each<[string, (directory: string) => void]>([
    ['a deleted journal', (path) => rmSync(join(path, journal))],
    ['a deleted snapshot', (path) => rmSync(join(path, 'snapshot.ndjson'))],
    ['a truncated journal', (path) => truncateSync(join(path, journal), 10)],
    [
      'a journal replaced by another file',
      (path) => {
        writeFileSync(join(path, 'other'), 'another');
        renameSync(join(path, 'other'), join(path, journal));
      },
    ],
  ])('reports them, changes nothing and saves everything again: %s', async (_, remove) => {
    using folder = memoryFolder();
    await life(folder.path, [1], 'stopped');
    const one = await inUse(folder.path);
    await one.append(2);
    remove(folder.path);
    while (one.warnings.length === 0) {
      system.beat();
      await setImmediate();
    }
    expect(one.warnings[0]).toMatch(/while the sandbox was using it/);
    await one.recovered();
    await one.store.abandon();
    expect(await numbersIn(folder.path)).toEqual([1, 2]);
  });

  test('does not recreate a deleted directory, and uses it again when it returns', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    const one = await inUse(directory);
    await one.append(1);
    renameSync(directory, `${directory}.moved`);
    await one.append(2);
    expect(one.journal.failure?.message).toMatch(/deleted, moved or replaced/);
    for (let beat = 0; beat < 9; beat += 1) {
      system.beat();
      await one.append(3 + beat);
    }
    expect(readdirSync(folder.path)).toEqual(['data.moved']);
    renameSync(`${directory}.moved`, directory);
    await one.recovered();
    await one.store.abandon();
    expect(await numbersIn(directory)).toHaveLength(11);
  });

  test('fails at the end and calls nothing saved when the directory was deleted', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    const one = await inUse(directory);
    await one.append(1);
    rmSync(directory, { recursive: true });
    expect(await one.close()).toBe(false);
    expect(one.journal.failure).not.toBeNull();
    expect(one.warnings).toEqual([
      expect.stringMatching(/deleted, moved or replaced.*The state of this sandbox was not saved\.$/),
    ]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('writes nothing more to a directory that another process has taken over', async () => {
    using folder = memoryFolder();
    const one = await inUse(folder.path);
    await one.append(1);
    // The process is suspended for so long that another one believes it dead.
    const next = await opened(folder.path, { processes: processesOf(2) });
    const later = await next.store.begin(next.kept.all);
    later.append(entryOf(5));
    await later.flushed();
    await one.append(2);
    expect(one.journal.failure?.message).toMatch(/Another process has taken over/);
    for (let beat = 0; beat < 9; beat += 1) system.beat();
    expect(await one.close()).toBe(false);
    expect(later.failure).toBeNull();
    await next.store.abandon();
    expect(await numbersIn(folder.path)).toEqual([1, 5]);
  });
});

describe('a disk that rejects all writes at the start', () => {
  const takesNothing = (code: string) =>
    failWhile(({ name }) => (/^(?:mkdir|create|write|rename|rm)$/.test(name) ? code : undefined));

  test.each(['EROFS', 'EACCES', 'ENOSPC'])(
    'restores the state and stores changes in memory: %s',
    async (code) => {
      using folder = memoryFolder();
      await life(folder.path, [1, 2], 'killed');
      takesNothing(code);
      const { store, kept, warnings } = await opened(folder.path);
      expect(kept.numbers).toEqual([1, 2]);
      const journal = await store.begin(kept.all);
      expect(journal.failure?.message).toContain(code);
      journal.append(entryOf(3));
      await journal.flushed();
      expect(await store.close(kept.all)).toBe(false);
      expect(warnings).toEqual([expect.stringMatching(`${code}.*only in memory.*state export`)]);
      works();
      expect(await numbersIn(folder.path)).toEqual([1, 2]);
    },
  );

  test('saves everything once there is space', async () => {
    using folder = memoryFolder();
    await life(folder.path, [1], 'stopped');
    takesNothing('ENOSPC');
    const one = await inUse(folder.path);
    await one.append(2);
    expect(one.journal.failure?.message).toContain('ENOSPC');
    works();
    await one.recovered();
    await one.append(3);
    expect(await one.close()).toBe(true);
    expect(await numbersIn(folder.path)).toEqual([1, 2, 3]);
  });

  test('saves nothing if another process has used the directory meanwhile', async () => {
    using folder = memoryFolder();
    takesNothing('ENOSPC');
    const one = await inUse(folder.path);
    works();
    await life(folder.path, [7], 'stopped');
    await one.append(1);
    while (!/Another process has used the data directory/.test(one.journal.failure?.message ?? '')) {
      system.beat();
      await setImmediate();
    }
    expect(await one.close()).toBe(false);
    expect(await numbersIn(folder.path)).toEqual([7]);
  });
});
