import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { regardless } from '../../src/store/files.js';
import { takeLock } from '../../src/store/lock.js';
import type { Lock } from '../../src/store/lock.js';
import type { Machine } from '../../src/store/machine.js';
import { StoreError } from '../../src/store/store-error.js';
import { failingFiles, filesAround, quickFiles, systemError } from '../helpers/store/store-files.js';
import { machineOf } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';
import { tries } from '../helpers/whole.js';

/** Takes a lock that its owner holds until the test ends. */
async function take(directory: string, machine: Machine, files = quickFiles): Promise<Lock> {
  const lock = await takeLock(files, directory, machine);
  onTestFinished(() => regardless(lock.release()));
  return lock;
}

const held = (directory: string, machine: Machine) =>
  rejectionOf(takeLock(quickFiles, directory, machine), StoreError);

describe('one owner', () => {
  test('a second one is refused, with the owner and what to do; a released lock is free', async () => {
    using folder = memoryFolder();
    const lock = await take(folder.path, machineOf(1));
    expect(statSync(join(folder.path, 'lock.1')).mode & 0o777).toBe(0o600);
    const error = await held(folder.path, machineOf(2, [1, 2]));
    expect(error.kind).toBe('held');
    expect(error.message).toBe(
      `${folder.path}: Expected a folder that no sandbox uses, got one that process 1 on this host (here) uses. Stop that sandbox, or give this one another folder with --data. If process 1 is not a sandbox, delete ${folder.path}/lock.1.`,
    );
    await lock.release();
    await take(folder.path, machineOf(2, [1, 2]));
    expect(readdirSync(folder.path)).toEqual(['lock.2']);
  });

  test('the same process does not get it twice', async () => {
    using folder = memoryFolder();
    await take(folder.path, machineOf(1));
    expect((await held(folder.path, machineOf(1))).kind).toBe('held');
  });

  test.each([
    ['a process that has gone', machineOf(2, [2])],
    [
      'a process whose id another one has by now',
      { ...machineOf(2), processOf: () => ({ started: 'later' }) },
    ],
    ['an earlier process with our own id', { ...machineOf(1), processOf: () => ({ started: 'later' }) }],
  ])('is taken over at once from %s', async (_, machine) => {
    using folder = memoryFolder();
    await take(folder.path, machineOf(1));
    await take(folder.path, machine);
    expect(readdirSync(folder.path)).toEqual(['lock.2']);
  });

  test('where nobody knows when processes started, one that runs holds it', async () => {
    using folder = memoryFolder();
    const machine = { ...machineOf(1), processOf: () => ({ started: null }) };
    await take(folder.path, machine);
    expect((await held(folder.path, { ...machine, pid: 2 })).kind).toBe('held');
  });

  test.each([
    '',
    'hello',
    '{"pid":0,"host":"here","started":null,"released":false}',
    '{"pid":-1,"host":"here","started":null,"released":false}',
    '{"pid":1}',
  ])('a lock that reads %j is left alone', async (content) => {
    using folder = memoryFolder();
    folder.write('lock.4', content);
    const error = await held(folder.path, machineOf(2));
    expect(error.message).toMatch(
      /Expected .*lock\.4 to say which process uses the folder.*delete that file\.$/,
    );
    expect(folder.read('lock.4').toString()).toBe(content);
  });
});

test('a slow process does not win with a number that others have left behind', async () => {
  using folder = memoryFolder();
  await take(folder.path, machineOf(1));
  let isOvertaken = false;
  const slow = filesAround(async ({ name }, work) => {
    if (name === 'create' && !isOvertaken) {
      // It has seen that the first is gone; before it does anything, two more come, and the second of them stays.
      isOvertaken = true;
      await (await take(folder.path, machineOf(3))).release();
      await take(folder.path, machineOf(4));
    }
    return await work();
  });
  const error = await rejectionOf(takeLock(slow, folder.path, machineOf(2, [2, 4])), StoreError);
  expect(error.message).toContain('process 4');
  expect(readdirSync(folder.path)).toEqual(['lock.3']);
});

describe('file systems', () => {
  test.each(['EPERM', 'ENOTSUP', 'ENOSYS'])(
    'without links (%s) the lock is made all the same',
    async (code) => {
      using folder = memoryFolder();
      const { files } = failingFiles(code, (_, { name }) => name === 'link');
      const lock = await take(folder.path, machineOf(1), files);
      expect((await held(folder.path, machineOf(2, [1, 2]))).kind).toBe('held');
      await lock.release();
      await take(folder.path, machineOf(2), files);
      expect(readdirSync(folder.path)).toEqual(['lock.2']);
    },
  );

  test('without links and without room no half lock stays behind', async () => {
    using folder = memoryFolder();
    const files = filesAround(({ name, path }, work) => {
      if (name === 'link') return Promise.reject(systemError('EPERM', 'link'));
      const isLock = name === 'write' && path.endsWith('lock.1');
      return isLock ? Promise.reject(systemError('ENOSPC', 'write')) : work();
    });
    await expect(takeLock(files, folder.path, machineOf(1))).rejects.toThrow('ENOSPC');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('that cannot be read are an error that says so', async () => {
    using folder = memoryFolder();
    const { files } = failingFiles('EACCES', (_, { name }) => name === 'list');
    const error = await rejectionOf(takeLock(files, folder.path, machineOf(1)), StoreError);
    expect(error.message).toMatch(/Expected a folder that can be read, got EACCES/);
  });
});

interface Race {
  readonly alive: Set<number>;
  readonly owners: Set<number>;
  readonly hasLinks: boolean;
  /** Held by processes that are gone. */
  readonly dead: Lock[];
  /** Nothing is scheduled any more. */
  isOver: boolean;
  taken: number;
  mostAtATime: number;
}

/** What a process of the race does, over and over: takes the lock, keeps it a while, and releases it or dies with it. */
async function contend(scheduler: fc.Scheduler, directory: string, pid: number, race: Race): Promise<void> {
  const files = filesAround(({ name }, work) =>
    (race.isOver ? Promise.resolve() : scheduler.schedule(Promise.resolve(), `${pid} ${name}`)).then(() => {
      if (name === 'link' && !race.hasLinks) throw systemError('EPERM', 'link');
      return work();
    }),
  );
  for (let life = 0; life < 3; life += 1) {
    const id = pid + 100 * life;
    race.alive.add(id);
    const machine: Machine = {
      ...machineOf(id),
      processOf: (other) => (race.alive.has(other) ? { started: `boot/${other}` } : null),
    };
    const lock: Lock | null = await takeLock(files, directory, machine).catch((error: unknown) => {
      if (error instanceof StoreError && error.kind === 'held') return null;
      throw error;
    });
    if (lock !== null) {
      race.taken += 1;
      race.owners.add(id);
      race.mostAtATime = Math.max(race.mostAtATime, race.owners.size);
      await scheduler.schedule(Promise.resolve(), `${pid} owns`);
      race.owners.delete(id);
      if (life % 2 === 0) await lock.release();
      else race.dead.push(lock);
    }
    race.alive.delete(id);
  }
}

test.each([true, false])(
  'processes that race in any order never own it two at a time (with links: %s)',
  async (hasLinks) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        using folder = memoryFolder();
        const race: Race = {
          alive: new Set(),
          owners: new Set(),
          hasLinks,
          dead: [],
          isOver: false,
          taken: 0,
          mostAtATime: 0,
        };
        const contenders = [1, 2, 3].map((pid) => contend(scheduler, folder.path, pid, race));
        await scheduler.waitFor(Promise.all(contenders));
        race.isOver = true;
        await Promise.all(race.dead.map((lock) => regardless(lock.release())));
        expect(race.taken).toBeGreaterThan(0);
        expect(race.mostAtATime).toBe(1);
      }),
      { numRuns: tries({ part: 20, whole: 60 }) },
    );
  },
  60_000,
);
