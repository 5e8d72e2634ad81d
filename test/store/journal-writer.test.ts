import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draftJournal } from '../../src/store/journal-file.js';
import { JournalWriter } from '../../src/store/journal-writer.js';
import type { Files } from '../../src/store/files.js';
import { filesAround, quickFiles, systemError } from '../helpers/store/store-files.js';
import { entryOf } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';

const NAME = 'journal.0.ndjson';

async function begun(folder: TempFolder, files: Files) {
  const failures: string[] = [];
  const file = await draftJournal(files, join(folder.path, NAME), { coreVersion: 1, packageVersion: '0' }, 0);
  await file.publish();
  const journal = new JournalWriter(file, {
    check: () => Promise.resolve(),
    onFailure: ({ message }) => failures.push(message),
  });
  const lines = () => folder.read(NAME).toString().split('\n').slice(1, -1);
  return { journal, failures, lines };
}

/** Files whose operations are listed, and of which one kind waits from `hold` to `release`. */
function watched() {
  const operations: string[] = [];
  let heldName = '';
  let gate = Promise.resolve();
  let release = () => {};
  const files = filesAround(async ({ name }, work) => {
    operations.push(name);
    if (name === heldName) await gate;
    return await work();
  });
  const hold = (name: string) => {
    heldName = name;
    gate = new Promise((resolve) => (release = resolve));
  };
  return { files, operations, hold, release: () => release() };
}

test('what is appended in one turn shares one write and one sync', async () => {
  using folder = tempFolder();
  const { files, operations } = watched();
  const { journal, lines } = await begun(folder, files);
  operations.length = 0;
  for (let at = 0; at < 1000; at += 1) journal.append(entryOf(at));
  expect(operations).toEqual([]);
  await journal.flushed();
  expect(operations).toEqual(['write', 'datasync']);
  expect(lines()).toHaveLength(1000);
  await journal.close();
});

test('what comes while a write is under way goes together after it', async () => {
  using folder = tempFolder();
  const { files, operations, hold, release } = watched();
  const { journal, lines } = await begun(folder, files);
  operations.length = 0;
  hold('write');
  journal.append(entryOf(1));
  const first = journal.flushed();
  await expect.poll(() => operations).toEqual(['write']);
  for (const at of [2, 3, 4]) journal.append(entryOf(at));
  let isSecondDone = false;
  const second = journal.flushed().then(() => (isSecondDone = true));
  release();
  await first;
  expect(isSecondDone).toBe(false);
  expect(lines()).toHaveLength(1);
  await second;
  expect(operations).toEqual(['write', 'datasync', 'write', 'datasync']);
  expect(lines()).toHaveLength(4);
  await journal.close();
});

test('nothing is acknowledged before it is synced', async () => {
  using folder = tempFolder();
  const { files, operations, hold, release } = watched();
  const { journal, lines } = await begun(folder, files);
  hold('datasync');
  journal.append(entryOf(1));
  let isDone = false;
  const done = journal.flushed().then(() => (isDone = true));
  await expect.poll(() => operations).toContain('datasync');
  expect(lines()).toHaveLength(1);
  expect(isDone).toBe(false);
  release();
  await done;
  await journal.close();
});

test('with nothing appended, all is flushed', async () => {
  using folder = tempFolder();
  const { files, operations } = watched();
  const { journal } = await begun(folder, files);
  operations.length = 0;
  await journal.flushed();
  expect(operations).toEqual([]);
  await journal.close();
});

test('an entry is kept as it was when it was appended', async () => {
  using folder = tempFolder();
  const { journal, lines } = await begun(folder, quickFiles);
  const entry = { at: 1, rate: 1 };
  journal.append(entry);
  entry.rate = 0;
  await journal.close();
  expect(lines()).toEqual([expect.stringMatching(/^\{"n":1,"at":1,"rate":1,"crc":"[0-9a-f]{8}"\}$/)]);
});

test('writes that come short are continued', async () => {
  using folder = tempFolder();
  const { journal, lines } = await begun(folder, {
    ...quickFiles,
    open: async (path, how) => {
      const file = await quickFiles.open(path, how);
      return { ...file, write: (bytes, position) => file.write(bytes.subarray(0, 7), position) };
    },
  });
  for (const at of [1, 2, 3]) journal.append(entryOf(at));
  await journal.close();
  expect(lines().map((line) => (JSON.parse(line) as { at: number }).at)).toEqual([1, 2, 3]);
});

test.each(['write', 'datasync'])(
  'where a %s fails, the file ends with what was acknowledged',
  async (failing) => {
    using folder = tempFolder();
    let isFull = false;
    const files = filesAround(async ({ name, half }, work) => {
      if (!isFull || name !== failing) return await work();
      await half?.();
      throw systemError('ENOSPC', name);
    });
    const { journal, failures, lines } = await begun(folder, files);
    journal.append(entryOf(1));
    await journal.flushed();
    const before = folder.read(NAME);
    isFull = true;
    journal.append(entryOf(2));
    journal.append(entryOf(3));
    await journal.flushed();
    expect(journal.failure?.message).toContain('ENOSPC');
    isFull = false;
    journal.append(entryOf(4));
    await journal.flushed();
    expect(folder.read(NAME)).toEqual(before);
    expect(failures).toEqual([expect.stringMatching(/^ENOSPC/)]);
    await journal.close();
    expect(lines()).toHaveLength(1);
  },
);

test('an entry too long for a string ends the journal, and no caller waits for it', async () => {
  using folder = tempFolder();
  const { journal, failures } = await begun(folder, quickFiles);
  const circular = { at: 1, rate: 1, self: {} };
  circular.self = circular;
  journal.append(circular);
  await journal.flushed();
  expect(journal.failure).toBeInstanceOf(TypeError);
  expect(failures).toHaveLength(1);
  await journal.close();
});

test('a closed journal takes nothing', async () => {
  using folder = tempFolder();
  const { journal, lines } = await begun(folder, quickFiles);
  journal.append(entryOf(1));
  await journal.close();
  expect(() => journal.append(entryOf(2))).toThrow('Expected no change after the journal was closed');
  expect(lines()).toHaveLength(1);
});
