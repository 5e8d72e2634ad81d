import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { regardless } from '../../src/store/files.js';
import { STALE_MS, takeLock } from '../../src/store/lock.js';
import type { Lock } from '../../src/store/lock.js';
import { StoreError } from '../../src/store/store-error.js';
import { quickFiles } from '../helpers/store/store-files.js';
import { machineOf } from '../helpers/store/stores.js';
import type { TestMachine } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

/** Process 1 of a container; `started` tells it from an earlier process 1 of the same one. */
function container(processTable: string, started: string | null = 'boot/1'): TestMachine {
  return { ...machineOf(1), processTable, processOf: (pid) => (pid === 1 ? { started } : null) };
}

async function take(
  directory: string,
  machine: TestMachine,
  onWait?: (message: string) => void,
): Promise<Lock> {
  const lock = await takeLock(quickFiles, directory, machine, onWait);
  onTestFinished(() => regardless(lock.release()));
  return lock;
}

/** Gives the lock another age, so that no test depends on its own speed. Negative ages come from a clock that is ahead. */
function setAge(directory: string, ageS: number): void {
  const renewedS = Date.now() / 1_000 - ageS;
  utimesSync(join(directory, 'lock.1'), renewedS, renewedS);
}

function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}

describe('an owner in another container or on another host', () => {
  const OTHERS: [string, TestMachine][] = [
    ['container', container('boot/pid:[2]')],
    ['host', { ...machineOf(1), host: 'there' }],
    ['container whose /proc is not readable', machineOf(1)],
  ];

  test.each(OTHERS)('keeps the directory while it renews its lock: %s', async (_, other) => {
    using folder = memoryFolder();
    const owner = container('boot/pid:[1]');
    await take(folder.path, owner);
    setAge(folder.path, -3_600);
    const path = join(folder.path, 'lock.1');
    const waits: string[] = [];
    const machine: TestMachine = {
      ...other,
      wait: async () => {
        const { modifiedMs } = await quickFiles.stat(path);
        await expect
          .poll(async () => {
            owner.beat();
            return (await quickFiles.stat(path)).modifiedMs;
          })
          .not.toBe(modifiedMs);
      },
    };
    const before = contentOf(folder.path);
    const error = await rejectionOf(
      takeLock(quickFiles, folder.path, machine, (message) => waits.push(message)),
      StoreError,
    );
    expect(error.kind).toBe('held');
    expect(error.message).toMatch(
      /process 1 in another container or machine \(host "here"\) uses; it has just renewed its lock\. Stop that sandbox/,
    );
    expect(waits).toEqual([expect.stringMatching(/used the data directory 0 s ago\. Waiting up to 10 s/)]);
    expect(contentOf(folder.path)).toEqual(before);
  });

  test.each(OTHERS)('loses the directory once it has not renewed its lock: %s', async (_, other) => {
    using folder = memoryFolder();
    await take(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, -3_600);
    let waitedMs = 0;
    const machine = {
      ...other,
      wait: (ms: number) => {
        waitedMs += ms;
        return Promise.resolve();
      },
    };
    const lock = await take(folder.path, machine);
    expect(lock.number).toBe(2);
    expect(waitedMs).toBe(STALE_MS);
  });

  test('loses the directory without a wait if its lock is old', async () => {
    using folder = memoryFolder();
    await take(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, 60);
    const machine = { ...container('boot/pid:[2]'), wait: () => Promise.reject(new Error('waits')) };
    expect((await take(folder.path, machine)).number).toBe(2);
  });

  test('gives the directory away as soon as it stops', async () => {
    using folder = memoryFolder();
    const lock = await take(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, -3_600);
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      await lock.release({ generation: 3, hasJournal: true });
    };
    const next = await take(folder.path, { ...container('boot/pid:[2]'), wait });
    expect(waits).toHaveLength(1);
    expect(next.mark).toEqual({ generation: 3, hasJournal: true });
  });
});

describe('a container that was killed and started again with the same process id', () => {
  test('owns its directory at once where the start times differ', async () => {
    using folder = memoryFolder();
    await take(folder.path, container('boot/pid:[1]', 'boot/100'));
    const machine = {
      ...container('boot/pid:[1]', 'boot/200'),
      wait: () => Promise.reject(new Error('waits')),
    };
    expect((await take(folder.path, machine)).number).toBe(2);
  });

  test('owns its directory after a wait where no start times are known', async () => {
    using folder = memoryFolder();
    await take(folder.path, container('boot/pid:[1]', null));
    expect((await take(folder.path, container('boot/pid:[1]', null))).number).toBe(2);
  });
});

describe('a lock in use', () => {
  test.each<[string, RegExp, (directory: string) => Promise<unknown> | void]>([
    ['its directory was deleted', /deleted, moved or replaced/, (path) => rmSync(path, { recursive: true })],
    ['its directory was moved', /deleted, moved or replaced/, (path) => renameSync(path, `${path}.moved`)],
    [
      'a copy took the place of its directory',
      /deleted, moved or replaced/,
      (path) => {
        renameSync(path, `${path}.moved`);
        cpSync(`${path}.moved`, path, { recursive: true });
      },
    ],
    [
      'an empty directory took the place of its directory',
      /deleted, moved or replaced/,
      (path) => {
        rmSync(path, { recursive: true });
        mkdirSync(path);
      },
    ],
    ['its file was deleted', /deleted, moved or replaced/, (path) => rmSync(join(path, 'lock.1'))],
    [
      'another process took the directory over',
      /Another process has taken over/,
      (path) => take(path, container('boot/pid:[2]')),
    ],
    [
      'another process owns a directory in the place of its own',
      /deleted, moved or replaced/,
      (path) => {
        rmSync(path, { recursive: true });
        mkdirSync(path);
        return take(path, container('boot/pid:[2]'));
      },
    ],
  ])('notices that %s, and then writes nothing there', async (_, message, change) => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    mkdirSync(directory);
    const owner = container('boot/pid:[1]');
    const lock = await take(directory, owner);
    await lock.check();
    await change(directory);
    const before = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).sort();
    const error = await rejectionOf(lock.check(), StoreError);
    expect(error.kind).toBe('lost');
    expect(error.message).toMatch(message);
    await rejectionOf(lock.note({ generation: 9, hasJournal: true }), StoreError);
    await rejectionOf(lock.release({ generation: 9, hasJournal: true }), StoreError);
    expect(readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).sort()).toEqual(before);
  });

  test('is there again when its directory is moved back', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    mkdirSync(directory);
    const lock = await take(directory, container('boot/pid:[1]'));
    renameSync(directory, `${directory}.moved`);
    await rejectionOf(lock.check(), StoreError);
    renameSync(`${directory}.moved`, directory);
    expect(await lock.check()).toEqual(['lock.1']);
  });
});
