import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STALE_AFTER_MS, acquireLock } from '../../src/store/lock.js';
import type { Lock } from '../../src/store/lock.js';
import { currentProcess } from '../../src/store/process-table.js';
import type { ProcessTable } from '../../src/store/process-table.js';
import { StoreError } from '../../src/store/store-error.js';
import { system, useSystem } from '../helpers/store/store-system.js';
import { processesOf } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

useSystem();

const MARK = { generation: 3, hasJournal: true };

/** Process 1 of a container; `started` tells it from an earlier process 1 of the same one. */
function container(id: string, started: string | null = 'boot/1'): ProcessTable {
  return { ...processesOf(1), id, find: (pid) => (pid === 1 ? { started } : null) };
}

async function onEntry(
  directory: string,
  processes: ProcessTable,
  onWait: (message: string) => void = () => undefined,
): Promise<Lock> {
  const lock = await acquireLock(directory, processes, onWait);
  if (lock === undefined) throw new Error('Expected a lock');
  return lock;
}

/** Gives the lock another age, so that no test depends on its own speed. Negative ages come from a clock that is ahead. */
function setAge(directory: string, ageS: number): void {
  const renewedS = Date.now() / 1_000 - ageS;
  utimesSync(join(directory, 'lock'), renewedS, renewedS);
}

function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}

function noWait(): void {
  system.wait = () => Promise.reject(new Error('waits'));
}

describe('an owner on the same machine', () => {
  test('owns the directory while it runs', async () => {
    using folder = memoryFolder();
    await onEntry(folder.path, processesOf(1));
    const before = contentOf(folder.path);
    const error = await rejectionOf(onEntry(folder.path, processesOf(2, [1, 2])), StoreError);
    expect(error.kind).toBe('held');
    expect(error.message).toMatch(
      /locked by process 1 on this host \(here\)\. Stop that sandbox, or use another directory with --data\. If process 1 is not a sandbox, delete \S+lock\.$/,
    );
    expect(contentOf(folder.path)).toEqual(before);
  });

  test.each<[string, ProcessTable]>([
    ['it was killed', processesOf(2)],
    ['its id belongs to another process', { ...processesOf(2, [1, 2]), find: () => ({ started: 'boot/9' }) }],
    ['it was killed in this container', { ...container('x', 'boot/2'), id: null }],
  ])('loses the directory immediately when %s', async (_, next) => {
    using folder = memoryFolder();
    const lock = await onEntry(folder.path, processesOf(1));
    await lock.note(MARK);
    noWait();
    expect((await onEntry(folder.path, next)).mark).toEqual(MARK);
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('releases the directory with the required files', async () => {
    using folder = memoryFolder();
    const lock = await onEntry(folder.path, processesOf(1));
    expect(lock.mark).toBeNull();
    await lock.release(MARK);
    expect((await onEntry(folder.path, processesOf(2, [1, 2]))).mark).toEqual(MARK);
  });

  test('reacquires the directory only if nothing changed there', async () => {
    using folder = memoryFolder();
    await (await onEntry(folder.path, processesOf(1))).release();
    expect(await acquireLock(folder.path, processesOf(2), () => undefined, null)).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('blocks others only briefly when it was killed while acquiring the directory', async () => {
    using folder = memoryFolder();
    mkdirSync(join(folder.path, 'lock.taking'));
    await onEntry(folder.path, processesOf(1));
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('an owner is identified as this process by the operating system', () => {
    const { pid, find } = currentProcess;
    const own = find(pid);
    expect(own).not.toBeNull();
    expect(find(pid)).toEqual(own);
    expect(find(2 ** 22 + 1)).toBeNull();
  });
});

describe('an owner in another container or on another host', () => {
  const OTHERS: [string, ProcessTable][] = [
    ['container', container('boot/pid:[2]')],
    ['host', { ...processesOf(1), host: 'there' }],
    ['container whose /proc is not readable', processesOf(1)],
  ];

  test.each(OTHERS)('owns the directory while it renews its lock: %s', async (_, other) => {
    using folder = memoryFolder();
    await onEntry(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, -3_600);
    const path = join(folder.path, 'lock');
    const waits: string[] = [];
    system.wait = async () => {
      const { mtimeMs } = statSync(path);
      system.beat();
      await expect.poll(() => statSync(path).mtimeMs).not.toBe(mtimeMs);
    };
    const before = contentOf(folder.path);
    const error = await rejectionOf(
      onEntry(folder.path, other, (message) => waits.push(message)),
      StoreError,
    );
    expect(error.kind).toBe('held');
    expect(error.message).toMatch(
      /process 1 in another container or on another machine \(host "here"\), which has just renewed its lock\. Stop that sandbox/,
    );
    expect(waits).toEqual([expect.stringMatching(/used the data directory 0 s ago\. Waiting up to 10 s/)]);
    expect(contentOf(folder.path)).toEqual(before);
  });

  test.each(OTHERS)('loses the directory once it stops renewing its lock: %s', async (_, other) => {
    using folder = memoryFolder();
    const lock = await onEntry(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, -3_600);
    let waitedMs = 0;
    system.wait = (ms: number) => {
      waitedMs += ms;
      return Promise.resolve();
    };
    await (await onEntry(folder.path, other)).check();
    expect(waitedMs).toBe(STALE_AFTER_MS);
    await expect(lock.check()).rejects.toThrow('Another process has taken over the data directory');
  });

  test('loses the directory without a wait if its lock is stale', async () => {
    using folder = memoryFolder();
    await onEntry(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, 60);
    noWait();
    const lock = await onEntry(folder.path, container('boot/pid:[2]'));
    expect(await lock.check()).toBeUndefined();
  });

  test('releases the directory as soon as it stops', async () => {
    using folder = memoryFolder();
    const lock = await onEntry(folder.path, container('boot/pid:[1]'));
    setAge(folder.path, -3_600);
    let waits = 0;
    system.wait = async () => {
      waits += 1;
      await lock.release(MARK);
    };
    expect((await onEntry(folder.path, container('boot/pid:[2]'))).mark).toEqual(MARK);
    expect(waits).toBe(1);
  });

  test('waits after a kill and restart under one process id only where start times are unknown', async () => {
    using folder = memoryFolder();
    await onEntry(folder.path, container('boot/pid:[1]', null));
    let waits = 0;
    system.wait = () => {
      waits += 1;
      return Promise.resolve();
    };
    await onEntry(folder.path, container('boot/pid:[1]', null));
    expect(waits).toBeGreaterThan(0);
    await (await onEntry(folder.path, container('boot/pid:[1]', null))).release();
    await onEntry(folder.path, container('boot/pid:[1]', 'boot/100'));
    noWait();
    await onEntry(folder.path, container('boot/pid:[1]', 'boot/200'));
  });
});

describe('a lock in use', () => {
  const GONE = /deleted, moved or replaced/;
  test.each<[string, RegExp, (directory: string) => unknown]>([
    ['its directory was deleted', GONE, (path) => rmSync(path, { recursive: true })],
    ['its directory was moved', GONE, (path) => renameSync(path, `${path}.moved`)],
    [
      'a copy took the place of its directory',
      GONE,
      (path) => {
        renameSync(path, `${path}.moved`);
        cpSync(`${path}.moved`, path, { recursive: true });
      },
    ],
    [
      'an empty directory took the place of its directory',
      GONE,
      (path) => {
        rmSync(path, { recursive: true });
        mkdirSync(path);
      },
    ],
    ['its file was deleted', GONE, (path) => rmSync(join(path, 'lock'))],
    ['its file was replaced', GONE, (path) => writeFileSync(join(path, 'lock'), 'mine')],
    [
      'another process took the directory over',
      /Another process has taken over/,
      (path) => onEntry(path, { ...container('boot/pid:[1]'), find: () => null }),
    ],
  ])('stops writing once %s', async (_, message, change) => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    mkdirSync(directory);
    const lock = await onEntry(directory, container('boot/pid:[1]'));
    await lock.check();
    await change(directory);
    const contents = () => readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).sort();
    const before = contents();
    const error = await rejectionOf(lock.check(), StoreError);
    expect([error.kind, error.message]).toEqual(['lost', expect.stringMatching(message)]);
    await expect(lock.note(MARK)).rejects.toThrow(error.message);
    await expect(lock.release(MARK)).rejects.toThrow(error.message);
    expect(contents()).toEqual(before);
  });

  test('finds its lock again when its directory is moved back', async () => {
    using folder = memoryFolder();
    const directory = join(folder.path, 'data');
    mkdirSync(directory);
    const lock = await onEntry(directory, container('boot/pid:[1]'));
    renameSync(directory, `${directory}.moved`);
    await rejectionOf(lock.check(), StoreError);
    renameSync(`${directory}.moved`, directory);
    expect(await lock.check()).toBeUndefined();
  });
});
