import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.js';
import { openRecording, readRecording } from '../../src/store/recording.js';
import { StoreError } from '../../src/store/store-error.js';
import type { Files } from '../../src/store/files.js';
import { failingFiles, quickFiles } from '../helpers/store/store-files.js';
import { entryOf } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const NAME = 'run.ndjson';

function record(folder: TempFolder, files: Files = quickFiles, coreVersion = 1) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const path = join(folder.path, NAME);
  const recording = openRecording({ path, files, coreVersion, packageVersion: '0.1.0', onWarning });
  return { recording, warnings };
}

async function replay(folder: TempFolder) {
  const taken: JournalEntry[] = [];
  const warnings: string[] = [];
  const read = await readRecording({
    path: join(folder.path, NAME),
    coreVersion: 1,
    take: (entry) => taken.push(entry),
    onWarning: (message) => warnings.push(message),
  });
  return { ...read, taken, warnings };
}

test('a recording is read back, and only its user may read it', async () => {
  using folder = tempFolder();
  const { recording, warnings } = record(folder);
  const journal = await recording;
  for (const at of [1, 2]) journal.append(entryOf(at));
  await journal.close();
  expect(statSync(join(folder.path, NAME)).mode & 0o777).toBe(0o600);
  expect(await replay(folder)).toMatchObject({
    header: { core: 1, version: '0.1.0', generation: 0 },
    entries: 2,
    taken: [entryOf(1), entryOf(2)],
    warnings: [],
  });
  expect(warnings).toEqual([]);
});

test('a torn last line is dropped with a warning', async () => {
  using folder = tempFolder();
  const journal = await record(folder).recording;
  for (const at of [1, 2]) journal.append(entryOf(at));
  await journal.close();
  folder.write(NAME, folder.read(NAME).subarray(0, -3));
  const { taken, warnings } = await replay(folder);
  expect(taken).toEqual([entryOf(1)]);
  expect(warnings).toEqual([expect.stringContaining('the last line, 3 ')]);
});

test('nothing is overwritten', async () => {
  using folder = tempFolder();
  folder.write(NAME, 'mine');
  const error = await rejectionOf(record(folder).recording, StoreError);
  expect(error.kind).toBe('exists');
  expect(error.message).toMatch(/run\.ndjson: Expected a new file.*Name another, or move it away\.$/);
  expect(folder.read(NAME).toString()).toBe('mine');
});

test('where it cannot begin, that is an error and no half file stays', async () => {
  using folder = tempFolder();
  const { files } = failingFiles('ENOSPC', (_, { name }) => name === 'write');
  const error = await rejectionOf(record(folder, files).recording, StoreError);
  expect(error.message).toMatch(/Expected to begin a recording, got ENOSPC/);
  expect(existsSync(join(folder.path, NAME))).toBe(false);
});

test('where it cannot go on, that is said once', async () => {
  using folder = tempFolder();
  const { files } = failingFiles('ENOSPC', (_, { name }) => name === 'datasync');
  const { recording, warnings } = record(folder, files);
  const journal = await recording;
  journal.append(entryOf(1));
  await journal.flushed();
  journal.append(entryOf(2));
  await journal.close();
  expect(journal.failure).not.toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/run\.ndjson: ENOSPC.*The recording ends here/)]);
});

test.each([
  ['', /line 1, byte 0: Expected the header of a pix-sandbox-journal, got a/],
  [
    '{"format":"pix-sandbox-jour',
    /line 1, byte 0: Expected the header of a pix-sandbox-journal, got part of a line/,
  ],
  ['hello', /line 1, byte 0: Expected the header of a pix-sandbox-journal/],
  ['{"steps":[]}\n', /line 1, byte 0: Expected the header of a pix-sandbox-journal/],
])('what reads %j is no recording', async (content, message) => {
  using folder = tempFolder();
  folder.write(NAME, content);
  const error = await rejectionOf(replay(folder), StoreError);
  expect(error.kind).toBe('damaged');
  expect(error.message).toMatch(message);
});

test('one of another core is refused, naming the version that can use it', async () => {
  using folder = tempFolder();
  await (await record(folder, quickFiles, 7).recording).close();
  const error = await rejectionOf(replay(folder), StoreError);
  expect(error.kind).toBe('other-version');
  expect(error.message).toMatch(/version 7.*npx pix-sandbox@0\.1\.0$/);
});

test('a file that is not there is an error that names it', async () => {
  using folder = tempFolder();
  const error = await rejectionOf(replay(folder), StoreError);
  expect(error.kind).toBe('unusable');
  expect(error.message).toMatch(/run\.ndjson: Expected a journal that can be read, got ENOENT/);
});
