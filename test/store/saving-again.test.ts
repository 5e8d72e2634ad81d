import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Files } from '../../src/store/files.js';
import { filesAround, quickFiles, systemError } from '../helpers/store/store-files.js';
import type { Operation } from '../helpers/store/store-files.js';
import { entryOf, machineOf, opened } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';

/** A store in use, whose file operations fail while `fails` says so. */
async function inUse(
  directory: string,
  fails: (operation: Operation) => string | undefined = () => undefined,
) {
  const operations: string[] = [];
  let underWay = 0;
  const files: Files = filesAround(async (operation, work) => {
    operations.push(operation.name);
    underWay += 1;
    try {
      const code = fails(operation);
      if (code === undefined) return await work();
      await operation.half?.();
      throw systemError(code, operation.name);
    } finally {
      underWay -= 1;
    }
  });
  /** Resolves when a turn of the event loop has passed without an operation. */
  const atRest = async () => {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await setImmediate();
      if (underWay > 0) quiet = -1;
    }
  };
  const machine = machineOf(1);
  const { store, kept, warnings } = await opened(directory, { files, machine });
  const journal = await store.begin(store.isEmpty ? null : kept.all());
  let changes = 0;
  store.attach({
    rows: () => [...kept.all()],
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
    await expect
      .poll(
        () => {
          machine.beat();
          return journal.failure;
        },
        { interval: 1 },
      )
      .toBeNull();
  };
  const close = () => store.close(kept.all());
  return {
    store,
    journal,
    machine,
    warnings,
    operations,
    append,
    recovered,
    close,
    atRest,
    changes: () => changes,
  };
}

/** The numbers in a directory after its process was killed. */
async function numbersIn(directory: string): Promise<readonly number[]> {
  const { store, kept } = await opened(directory, { files: quickFiles, machine: machineOf(2) });
  await store.abandon();
  return kept.numbers;
}

describe('after a failed write', () => {
  test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EFBIG', 'EMFILE'])(
    'every change is saved again once %s has gone',
    async (code) => {
      using folder = memoryFolder();
      let isFailing = false;
      const life = await inUse(folder.path, ({ name }) =>
        isFailing && /^(?:write|datasync|sync|create|rename)$/.test(name) ? code : undefined,
      );
      await life.append(1);
      isFailing = true;
      await life.append(2);
      expect(life.journal.failure?.message).toContain(code);
      expect(life.warnings).toEqual([
        expect.stringMatching(
          new RegExp(
            `journal\\.0\\.ndjson: ${code}.*Changes from now on are in memory only\\..*state export`,
          ),
        ),
      ]);
      await life.append(3);
      isFailing = false;
      await life.recovered();
      await life.append(4);
      expect(life.warnings.at(-1)).toMatch(
        new RegExp(`^All changes are saved again since 2026-01-31T12:00:00\\.000Z.*${code}`),
      );
      expect(life.store.recovery).toBe(life.warnings.at(-1));
      expect(life.changes()).toBe(2);
      expect(await numbersIn(folder.path)).toEqual([1, 2, 3, 4]);
      await life.store.abandon();
    },
  );

  test('the next change saves again without a timer', async () => {
    using folder = memoryFolder();
    let isFull = false;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'write' ? 'ENOSPC' : undefined));
    isFull = true;
    await life.append(1);
    isFull = false;
    await life.append(2);
    await expect.poll(() => life.journal.failure).toBeNull();
    expect(await numbersIn(folder.path)).toEqual([1, 2]);
    await life.store.abandon();
  });

  test('a failed sync is never followed by a write to the same file', async () => {
    using folder = memoryFolder();
    let failures = 0;
    const life = await inUse(folder.path, ({ name }) => {
      if (name !== 'datasync' || failures > 0) return undefined;
      failures += 1;
      return 'EIO';
    });
    await life.append(1);
    await life.recovered();
    await life.append(2);
    expect(readdirSync(folder.path).sort()).toEqual(['journal.1.ndjson', 'lock.1', 'snapshot.ndjson']);
    expect(await numbersIn(folder.path)).toEqual([1, 2]);
    await life.store.abandon();
  });

  test('changes made while the snapshot is written are saved once', async () => {
    using folder = memoryFolder();
    let isFull = false;
    let appendMore: () => void = () => undefined;
    const life = await inUse(folder.path, ({ name, path }) => {
      if (isFull && name === 'write') return 'ENOSPC';
      if (path.includes('snapshot') || path.includes('journal.1')) appendMore();
      return undefined;
    });
    isFull = true;
    await life.append(1, 2);
    isFull = false;
    let last = 2;
    appendMore = () => {
      if (last === 20) return;
      last += 1;
      void life.append(last);
    };
    await life.recovered();
    await life.journal.flushed();
    const all = Array.from({ length: last }, (_, index) => index + 1);
    expect(all.length).toBeGreaterThan(5);
    expect(await numbersIn(folder.path)).toEqual(all);
    await life.store.abandon();
  });

  test('attempts become rare, and reminders rarer', async () => {
    using folder = memoryFolder();
    let isFull = false;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'create' ? 'ENOSPC' : undefined));
    await life.append(1);
    rmSync(join(folder.path, 'journal.0.ndjson'));
    isFull = true;
    await life.append(2);
    const attempts = () => life.operations.filter((name) => name === 'create').length;
    const before = attempts();
    // Two minutes of changes and of timers, which fire every 2 s.
    for (let beat = 0; beat < 60; beat += 1) {
      life.machine.beat();
      await life.atRest();
      for (let change = 0; change < 10; change += 1) await life.append(100 + beat);
      await life.atRest();
    }
    expect(attempts() - before).toBeGreaterThan(4);
    expect(attempts() - before).toBeLessThan(12);
    expect(life.warnings.length).toBeLessThan(8);
    expect(life.warnings.at(-1)).toMatch(/^Changes since .* are still in memory only: ENOSPC/);
    isFull = false;
    await life.recovered();
    expect(await numbersIn(folder.path)).toHaveLength(602);
    await life.store.abandon();
  });

  test('a failure at the very end is one that the state reports', async () => {
    using folder = memoryFolder();
    let isFull = false;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'write' ? 'ENOSPC' : undefined));
    await life.append(1);
    isFull = true;
    await life.append(2);
    expect(await life.close()).toBe(false);
    expect(life.journal.failure?.message).toContain('ENOSPC');
    expect(life.warnings.at(-1)).toMatch(/Could not write the whole state: .*are lost/);
  });

  test('a clean stop saves everything, and says so', async () => {
    using folder = memoryFolder();
    let isFull = false;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'write' ? 'ENOSPC' : undefined));
    isFull = true;
    await life.append(1);
    isFull = false;
    expect(await life.close()).toBe(true);
    expect(life.journal.failure).toBeNull();
    expect(life.warnings.at(-1)).toMatch(/^All changes are saved again/);
    expect(await numbersIn(folder.path)).toEqual([1]);
  });

  test.each(['fails', 'crashes'])('saving again %s at any operation: nothing is lost', async (how) => {
    let at = 0;
    let isReached = true;
    while (isReached) {
      at += 1;
      using folder = memoryFolder();
      let count = 0;
      let isBroken = false;
      let isCounting = false;
      const life = await inUse(folder.path, ({ name }) => {
        if (isBroken && !isCounting && name === 'write') {
          isCounting = true;
          return 'ENOSPC';
        }
        if (!isCounting) return undefined;
        count += 1;
        return count === at || (how === 'crashes' && count > at) ? 'EIO' : undefined;
      });
      await life.append(1, 2);
      isBroken = true;
      await life.append(3);
      let acknowledged = 2;
      if (how === 'fails') {
        await life.recovered();
        acknowledged = 3;
      } else {
        // One attempt; from the operation on nothing reaches the disk.
        life.machine.beat();
        await life.store.abandon();
        if (life.journal.failure === null) acknowledged = 3;
      }
      const numbers = await numbersIn(folder.path);
      expect(numbers, `operation ${at}`).toEqual([1, 2, 3].slice(0, numbers.length));
      expect(numbers.length, `operation ${at}`).toBeGreaterThanOrEqual(acknowledged);
      await life.store.abandon();
      isReached = count >= at;
    }
    expect(at).toBeGreaterThan(20);
  });
});

describe('files that disappear while they are used', () => {
  test.each<[string, (directory: string) => void]>([
    ['a deleted journal', (path) => rmSync(join(path, 'journal.2.ndjson'))],
    ['a deleted snapshot', (path) => rmSync(join(path, 'snapshot.ndjson'))],
    ['a journal that was cut', (path) => truncateSync(join(path, 'journal.2.ndjson'), 10)],
    [
      'a journal replaced by another file',
      (path) => {
        rmSync(join(path, 'journal.2.ndjson'));
        writeFileSync(join(path, 'journal.2.ndjson'), 'another');
      },
    ],
  ])('are reported without a change, and everything is saved again: %s', async (_, remove) => {
    using folder = memoryFolder();
    const first = await inUse(folder.path);
    await first.append(1);
    await first.close();
    const life = await inUse(folder.path);
    await life.append(2);
    remove(folder.path);
    life.machine.beat();
    await expect.poll(() => life.warnings).toEqual([expect.stringMatching(/while the sandbox was using it/)]);
    await life.recovered();
    expect(await numbersIn(folder.path)).toEqual([1, 2]);
    await life.store.abandon();
  });

  test('a deleted directory is not made again, and is used again when it comes back', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    const life = await inUse(directory);
    await life.append(1);
    renameSync(directory, `${directory}.moved`);
    await life.append(2);
    expect(life.journal.failure?.message).toMatch(/deleted, moved or replaced/);
    for (let beat = 0; beat < 9; beat += 1) {
      life.machine.beat();
      await life.append(3 + beat);
    }
    expect(readdirSync(folder.path)).toEqual(['data.moved']);
    renameSync(`${directory}.moved`, directory);
    await life.recovered();
    expect(await numbersIn(directory)).toHaveLength(11);
    await life.store.abandon();
  });

  test('a deleted directory makes the end a failure that does not call anything saved', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    const life = await inUse(directory);
    await life.append(1);
    rmSync(directory, { recursive: true });
    expect(await life.close()).toBe(false);
    expect(life.journal.failure).not.toBeNull();
    expect(life.warnings).toEqual([
      expect.stringMatching(/deleted, moved or replaced.*The state of this sandbox was not saved\.$/),
    ]);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('a directory that another process has taken over', () => {
  test('gets nothing more from its last owner, whose changes are not acknowledged as saved', async () => {
    using folder = memoryFolder();
    const life = await inUse(folder.path);
    await life.append(1);
    // The process is suspended for so long that another one believes it dead.
    const next = await opened(folder.path, { files: quickFiles, machine: machineOf(2) });
    const journal = await next.store.begin(next.kept.all());
    journal.append(entryOf(5));
    await journal.flushed();
    await life.append(2);
    expect(life.journal.failure?.message).toMatch(/Another process has taken over/);
    for (let beat = 0; beat < 9; beat += 1) life.machine.beat();
    expect(await life.close()).toBe(false);
    expect(journal.failure).toBeNull();
    await next.store.abandon();
    const last = await opened(folder.path, { files: quickFiles, machine: machineOf(3) });
    expect(last.kept.numbers).toEqual([1, 5]);
    await last.store.abandon();
  });
});

describe('a disk that is full at the start', () => {
  test('gets everything once there is space', async () => {
    using folder = memoryFolder();
    let isFull = false;
    const first = await inUse(folder.path);
    await first.append(1);
    await first.close();
    isFull = true;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'create' ? 'ENOSPC' : undefined));
    await life.append(2);
    expect(life.journal.failure?.message).toContain('ENOSPC');
    expect(life.changes()).toBe(1);
    isFull = false;
    await life.recovered();
    await life.append(3);
    expect(await life.close()).toBe(true);
    expect(await numbersIn(folder.path)).toEqual([1, 2, 3]);
  });

  test('gets nothing if another process has used it meanwhile', async () => {
    using folder = memoryFolder();
    let isFull = true;
    const life = await inUse(folder.path, ({ name }) => (isFull && name === 'create' ? 'ENOSPC' : undefined));
    const other = await inUse(folder.path);
    await other.append(7);
    await other.close();
    isFull = false;
    await life.append(1);
    await expect
      .poll(() => {
        life.machine.beat();
        return life.journal.failure?.message;
      })
      .toMatch(/Another process has used the data directory/);
    expect(await life.close()).toBe(false);
    expect(await numbersIn(folder.path)).toEqual([7]);
  });
});
