import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Files } from '../../src/store/files.js';
import { StoreError } from '../../src/store/store-error.js';
import { failingFiles, quickFiles } from '../helpers/store/store-files.js';
import { dataIn, entryOf, opened } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

/** One life of a sandbox on a directory; it stops cleanly, or is killed. */
async function life(directory: string, number: number, end: 'stopped' | 'killed', files: Files = quickFiles) {
  const { store, kept } = await opened(directory, { files });
  const journal = await store.begin(store.isEmpty ? null : kept.all());
  kept.entry(entryOf(number));
  journal.append(entryOf(number));
  await journal.flushed();
  await (end === 'stopped' ? store.close(kept.all()) : store.abandon());
}

function lockIn(directory: string): string {
  return readdirSync(directory).find((name) => name.startsWith('lock.')) ?? '';
}

async function refusal(directory: string, files: Files = quickFiles): Promise<string> {
  const before = dataIn(directory);
  const error = await rejectionOf(opened(directory, { files }), StoreError);
  expect(error.kind).toBe('damaged');
  expect(dataIn(directory)).toEqual(before);
  return error.message;
}

describe('what was there and has gone is damage, and never a fresh directory', () => {
  test.each([
    ['the first journal', ['killed'], 'journal.0.ndjson', 'the journal that was written here'],
    [
      'the only snapshot',
      ['stopped'],
      'snapshot.ndjson',
      'the snapshot of generation 1 that was written here',
    ],
    ['a later journal', ['stopped', 'killed'], 'journal.2.ndjson', 'the journal that was written here'],
    ['a later snapshot', ['killed', 'stopped'], 'snapshot.ndjson', 'the snapshot of generation 2 that was'],
    [
      'a snapshot beside its journal',
      ['stopped', 'killed'],
      'snapshot.ndjson',
      'a snapshot of generation 2 beside',
    ],
  ] as const)('%s', async (_, ends, name, expected) => {
    using folder = tempFolder();
    for (const [index, end] of ends.entries()) await life(folder.path, index, end);
    const whole = folder.read(name);
    rmSync(join(folder.path, name));
    for (const _again of [1, 2]) {
      const message = await refusal(folder.path);
      expect(message).toContain(`: Expected ${expected}`);
      expect(message).toMatch(/, got none\. Nothing was changed\. Restore the whole folder from a backup\./);
    }
    folder.write(name, whole);
    const { store, kept } = await opened(folder.path);
    expect(kept.numbers).toEqual([...ends.keys()]);
    await store.abandon();
  });

  test('everything but the lock, also where nothing can be written', async () => {
    using folder = tempFolder();
    await life(folder.path, 1, 'stopped');
    rmSync(join(folder.path, 'snapshot.ndjson'));
    const { files } = failingFiles('EROFS', (_, { name }) => name === 'create');
    expect(await refusal(folder.path, files)).toContain('Expected the snapshot of generation 1');
    expect(await refusal(folder.path)).toContain('Expected the snapshot of generation 1');
  });

  test('a snapshot that an older copy has taken the place of', async () => {
    using folder = tempFolder();
    await life(folder.path, 1, 'stopped');
    const old = folder.read('snapshot.ndjson');
    await life(folder.path, 2, 'stopped');
    folder.write('snapshot.ndjson', old);
    expect(await refusal(folder.path)).toMatch(/generation 3 that was written here, got one of generation 1/);
  });

  test('a journal of which nothing is left', async () => {
    using folder = tempFolder();
    await life(folder.path, 1, 'killed');
    folder.write('journal.0.ndjson', '');
    expect(await refusal(folder.path)).toContain('journal.0.ndjson, line 1, byte 0: Expected the header');
  });
});

describe('what asks for nothing opens', () => {
  test('a directory that was locked and left before anything was begun', async () => {
    using folder = tempFolder();
    for (let round = 0; round < 2; round += 1) {
      const { store } = await opened(folder.path);
      expect(store.isEmpty).toBe(true);
      await store.abandon();
    }
  });

  test('a lock of an earlier version, which says nothing of what must be there', async () => {
    using folder = tempFolder();
    await life(folder.path, 1, 'stopped');
    const lock = lockIn(folder.path);
    const { mark: _mark, ...earlier } = JSON.parse(folder.read(lock).toString()) as {
      readonly mark: unknown;
    };
    writeFileSync(join(folder.path, lock), JSON.stringify(earlier));
    const { store, kept } = await opened(folder.path);
    expect(kept.numbers).toEqual([1]);
    await store.abandon();
  });

  test('a whole copy of a directory', async () => {
    using folder = tempFolder();
    const [here, there] = ['here', 'there'].map((name) => join(folder.path, name)) as [string, string];
    await life(here, 1, 'stopped');
    await life(here, 2, 'killed');
    cpSync(here, there, { recursive: true });
    const { store, kept } = await opened(there);
    expect(kept.numbers).toEqual([1, 2]);
    await store.abandon();
  });
});

test('a lock with an invalid mark says so, and not that the directory is empty', async () => {
  using folder = tempFolder();
  await life(folder.path, 1, 'stopped');
  const lock = lockIn(folder.path);
  const holder = JSON.parse(folder.read(lock).toString()) as object;
  for (const mark of [{}, { generation: -1, hasJournal: true }, { generation: 1 }, 7]) {
    writeFileSync(join(folder.path, lock), JSON.stringify({ ...holder, mark }));
    const error = await rejectionOf(opened(folder.path), StoreError);
    expect(error.message).toContain('got something else');
  }
});

test('where the mark cannot be written nothing is acknowledged as kept', async () => {
  using folder = tempFolder();
  let lockWrites = 0;
  const { files } = failingFiles('ENOSPC', (_, { name, path }) => {
    if (name === 'rename' && path.includes('lock.')) lockWrites += 1;
    return name === 'rename' && path.includes('lock.') && lockWrites === 1;
  });
  const { store, warnings } = await opened(folder.path, { files });
  const journal = await store.begin(null);
  expect(journal.failure?.message).toContain('ENOSPC');
  expect(warnings).toEqual([expect.stringContaining('in memory only')]);
  await store.abandon();
});
