import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.js';
import { openRecording, readRecording } from '../../src/store/journal.js';
import { StoreError } from '../../src/store/store-error.js';
import { failWhile, system, useSystem } from '../helpers/store/store-system.js';
import { entryOf } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

useSystem();

const NAME = 'run.ndjson';

function record(folder: TempFolder, coreVersion = 1) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const path = join(folder.path, NAME);
  return { recording: openRecording({ path, coreVersion, packageVersion: '0.1.0', onWarning }), warnings };
}

async function replay(folder: TempFolder) {
  const taken: JournalEntry[] = [];
  const warnings: string[] = [];
  await readRecording(join(folder.path, NAME), {
    coreVersion: 1,
    onEntry: (entry) => taken.push(entry),
    onWarning: (message) => warnings.push(message),
  });
  return { taken, warnings };
}

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test('reads back a recording that only its user may read', async () => {
  using folder = tempFolder();
  const { recording, warnings } = record(folder);
  const journal = await recording;
  for (const at of [1, 2]) journal.append(entryOf(at));
  await journal.close();
  expect(statSync(join(folder.path, NAME)).mode & 0o777).toBe(0o600);
  expect(await replay(folder)).toEqual({ taken: [entryOf(1), entryOf(2)], warnings: [] });
  expect(warnings).toEqual([]);
  expect(() => journal.append(entryOf(3))).toThrow('The journal is closed');
});

test('batches lines that arrive together, and those that arrive meanwhile, into one write and sync', async () => {
  using folder = tempFolder();
  const journal = await record(folder).recording;
  const done: string[] = [];
  system.around = async ({ name }, work) => {
    if (name === 'write' || name === 'sync') done.push(name);
    await setImmediate();
    return await work();
  };
  for (const at of [1, 2, 3]) journal.append(entryOf(at));
  const first = journal.flushed();
  while (!done.includes('sync')) await setImmediate();
  for (const at of [4, 5]) journal.append(entryOf(at));
  expect(journal.flushed()).not.toBe(first);
  await journal.flushed();
  expect(done).toEqual(['write', 'sync', 'write', 'sync']);
  await journal.close();
  expect((await replay(folder)).taken.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5]);
});

test('acknowledges nothing before it is synced', async () => {
  using folder = tempFolder();
  const journal = await record(folder).recording;
  const syncing = gate();
  const begun = gate();
  system.around = async ({ name }, work) => {
    if (name === 'sync') {
      begun.open();
      await syncing.opened;
    }
    return await work();
  };
  journal.append(entryOf(1));
  let isFlushed = false;
  const flushed = journal.flushed().then(() => (isFlushed = true));
  await begun.opened;
  await setImmediate();
  expect([isFlushed, folder.read(NAME).includes('"at":1')]).toEqual([false, true]);
  syncing.open();
  expect(await flushed).toBe(true);
  await journal.close();
});

test('overwrites nothing', async () => {
  using folder = tempFolder();
  folder.write(NAME, 'mine');
  const error = await rejectionOf(record(folder).recording, StoreError);
  expect(error.kind).toBe('exists');
  expect(error.message).toMatch(
    /run\.ndjson: The recording file already exists\. Choose another name or move the file\.$/,
  );
  expect(folder.read(NAME).toString()).toBe('mine');
});

test('throws and leaves no partial file when recording cannot start', async () => {
  using folder = tempFolder();
  failWhile(({ name }) => (name === 'write' ? 'ENOSPC' : undefined));
  const error = await rejectionOf(record(folder).recording, StoreError);
  expect(error.message).toMatch(/Expected a writable recording file, got ENOSPC/);
  expect(existsSync(join(folder.path, NAME))).toBe(false);
});

test('reports once that recording cannot continue', async () => {
  using folder = tempFolder();
  const { recording, warnings } = record(folder);
  const journal = await recording;
  failWhile(({ name }) => (name === 'sync' ? 'ENOSPC' : undefined));
  journal.append(entryOf(1));
  await journal.flushed();
  journal.append(entryOf(2));
  await journal.close();
  expect(journal.failure).not.toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/run\.ndjson: ENOSPC.*The recording ends here/)]);
});

test('reports a deleted recording at the next line', async () => {
  using folder = tempFolder();
  const { recording, warnings } = record(folder);
  const journal = await recording;
  rmSync(join(folder.path, NAME));
  journal.append(entryOf(1));
  await journal.close();
  expect(warnings).toEqual([
    expect.stringMatching(/The file was deleted, moved or replaced.*The recording ends here/),
  ]);
});

test('rejects a recording of another core version and names the version that can use it', async () => {
  using folder = tempFolder();
  await (await record(folder, 7).recording).close();
  const error = await rejectionOf(replay(folder), StoreError);
  expect(error.kind).toBe('other-version');
  expect(error.message).toMatch(/version 7.*npx pix-sandbox@0\.1\.0; or start a new recording\.$/);
});

test('throws an error that names a missing file', async () => {
  using folder = tempFolder();
  const error = await rejectionOf(replay(folder), StoreError);
  expect([error.kind, error.message]).toEqual([
    'unusable',
    expect.stringMatching(/run\.ndjson: Expected a readable journal/),
  ]);
});
