import { chmodSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/store/store-error.js';
import { dataIn, entryOf, life, numbersIn, opened, processesOf } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const [SNAPSHOT, JOURNAL] = ['snapshot.ndjson', 'journal.ndjson'];

function linesOf(folder: TempFolder, name: string): unknown[] {
  const text = folder.read(name).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** Why the directory cannot be opened, twice: nothing is changed by the first attempt. */
async function refusal(directory: string): Promise<StoreError> {
  const before = dataIn(directory);
  const first = await rejectionOf(opened(directory), StoreError);
  const error = await rejectionOf(opened(directory), StoreError);
  expect(error.message).toBe(first.message);
  expect(dataIn(directory)).toEqual(before);
  return error;
}

describe('stored data', () => {
  test('survives any number of restarts after stops without an end', async () => {
    using folder = tempFolder();
    for (const numbers of [[1, 2], [3], [], [4, 5]]) await life(folder.path, numbers, 'killed');
    const { store, kept, warnings } = await opened(folder.path);
    expect([store.isEmpty, kept.numbers, warnings]).toEqual([false, [1, 2, 3, 4, 5], []]);
    expect(Object.keys(dataIn(folder.path))).toEqual([JOURNAL, SNAPSHOT]);
    await store.abandon();
  });

  test('stored data is one snapshot after a clean stop', async () => {
    using folder = tempFolder();
    await life(folder.path, [1, 2, 3], 'stopped');
    expect(Object.keys(dataIn(folder.path))).toEqual([SNAPSHOT]);
    expect(await numbersIn(folder.path)).toEqual([1, 2, 3]);
  });

  test('stored data is empty in a fresh directory, and in one with an empty journal', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'new', 'data');
    for (let round = 0; round < 2; round += 1) {
      const { store, kept, warnings } = await opened(directory);
      expect([store.isEmpty, kept.numbers, warnings]).toEqual([true, [], []]);
      await store.begin(undefined);
      expect(readdirSync(directory).sort()).toEqual([JOURNAL, 'lock']);
      await store.abandon();
    }
  });

  test('excludes the journal of an earlier snapshot; only drafts are deleted', async () => {
    using folder = tempFolder();
    await life(folder.path, [1], 'killed');
    const old = folder.read(JOURNAL);
    await life(folder.path, [2], 'stopped');
    folder.write(JOURNAL, old);
    folder.write('snapshot.ndjson.0123456789ab.draft', 'half');
    folder.write('notes.txt', 'mine');
    await life(folder.path, [3], 'killed');
    expect(readdirSync(folder.path).sort()).toEqual([JOURNAL, 'lock', 'notes.txt', SNAPSHOT]);
    expect(await numbersIn(folder.path)).toEqual([1, 2, 3]);
  });

  test('consists of self-describing lines of JSON', async () => {
    using folder = tempFolder();
    await life(folder.path, [1], 'stopped');
    await life(folder.path, [2], 'killed');
    const crc: unknown = expect.stringMatching(/^[0-9a-f]{8}$/);
    const header = { core: 1, version: '0.1.0', generation: 2, notice: 'Contains tokens and secrets.', crc };
    expect(linesOf(folder, SNAPSHOT)).toEqual([
      { format: 'pix-sandbox-snapshot', ...header },
      { state: { numbers: [1] }, crc },
    ]);
    expect(linesOf(folder, JOURNAL)).toEqual([
      { format: 'pix-sandbox-journal', ...header },
      { n: 1, ...entryOf(2), crc },
    ]);
  });

  test('stored data is private to its user, even if it was readable by others', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'data');
    await life(directory, [1], 'killed');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    const { store, kept } = await opened(directory);
    await store.begin(kept.all);
    for (const name of readdirSync(directory))
      expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
    await store.abandon();
  });

  test('loses a torn last line, with a warning', async () => {
    using folder = tempFolder();
    await life(folder.path, [1, 2], 'killed');
    folder.write(JOURNAL, folder.read(JOURNAL).subarray(0, -3));
    const { store, kept, warnings } = await opened(folder.path);
    expect(kept.numbers).toEqual([1]);
    expect(warnings).toEqual([
      expect.stringMatching(/journal\.ndjson: the last line, 3 \(from byte \d+\), was cut/),
    ]);
    await store.abandon();
  });

  test('stored data can be opened from a complete copy', async () => {
    using folder = tempFolder();
    const [here, there] = [join(folder.path, 'here'), join(folder.path, 'there')];
    await life(here, [1], 'stopped');
    await life(here, [2], 'killed');
    cpSync(here, there, { recursive: true });
    expect(await numbersIn(there)).toEqual([1, 2]);
  });
});

describe('directories rejected without a change', () => {
  test.each([
    [
      'core 2',
      { coreVersion: 2, packageVersion: '0.9.0-rc.1' },
      'version 2, written by pix-sandbox 0.9.0-rc.1',
    ],
    ['core 0', { coreVersion: 0, packageVersion: '0.0.1' }, 'version 0, written by pix-sandbox 0.0.1'],
  ])('rejects a directory of %s and explains how to start over', async (_, writer, got) => {
    using folder = tempFolder();
    const directory = join(folder.path, "Ana's data");
    const { store } = await opened(directory, writer);
    await store.begin({ numbers: [] });
    await store.abandon();
    const error = await refusal(directory);
    expect(error.kind).toBe('other-version');
    expect(error.message).toContain(`Expected a file with core version 1, got ${got}. Nothing was changed.`);
    const quoted = `'${folder.path}/Ana'\\''s data`;
    expect(error.message).toContain(`To start over, rename the directory: mv ${quoted}'`);
    expect(error.message).toContain(`npx pix-sandbox@${writer.packageVersion} start --data ${quoted}'`);
  });

  test('rejects a directory whose files have the names and the header of an earlier version', async () => {
    using folder = tempFolder();
    folder.write(
      'journal.0.ndjson',
      '{"format":"pix-sandbox-journal","core":2,"version":"0.1.0","generation":0}\n',
    );
    const error = await rejectionOf(opened(folder.path, { coreVersion: 3 }), StoreError);
    expect([error.kind, readdirSync(folder.path)]).toEqual(['other-version', ['journal.0.ndjson']]);
  });

  const NO_JOURNAL = 'Expected the journal written here, got none.';
  test.each<[string, readonly ('stopped' | 'killed')[], string, string]>([
    ['the first journal', ['killed'], JOURNAL, NO_JOURNAL],
    [
      'the only snapshot',
      ['stopped'],
      SNAPSHOT,
      'Expected the snapshot of generation 1 written here, got none.',
    ],
    ['a later journal', ['stopped', 'killed'], JOURNAL, NO_JOURNAL],
    [
      'a later snapshot',
      ['killed', 'stopped'],
      SNAPSHOT,
      'Expected the snapshot of generation 2 written here, got none.',
    ],
  ])('rejects a directory without %s', async (_, ends, name, expected) => {
    using folder = tempFolder();
    for (const [index, end] of ends.entries()) await life(folder.path, [index], end);
    const whole = folder.read(name);
    rmSync(join(folder.path, name));
    const { kind, message } = await refusal(folder.path);
    expect([kind, message]).toEqual(['damaged', expect.stringContaining(expected)]);
    expect(message).toContain('Nothing was changed. Restore the entire directory from a backup.');
    folder.write(name, whole);
    expect(await numbersIn(folder.path)).toEqual([...ends.keys()]);
  });

  test('rejects a snapshot or a journal replaced by an older copy', async () => {
    using folder = tempFolder();
    await life(folder.path, [1], 'stopped');
    const [oldSnapshot] = [folder.read(SNAPSHOT)];
    await life(folder.path, [2], 'killed');
    const oldJournal = folder.read(JOURNAL);
    await life(folder.path, [3], 'killed');
    const [snapshot, journal] = [folder.read(SNAPSHOT), folder.read(JOURNAL)];
    folder.write(SNAPSHOT, oldSnapshot);
    expect((await refusal(folder.path)).message).toMatch(
      /generation 3 written here, got one of generation 1/,
    );
    folder.write(SNAPSHOT, snapshot);
    folder.write(JOURNAL, oldJournal);
    expect((await refusal(folder.path)).message).toMatch(
      /Expected the journal written here, got one of generation 2/,
    );
    folder.write(JOURNAL, journal);
    expect(await numbersIn(folder.path)).toEqual([1, 2, 3]);
  });

  test('rejects a journal next to the snapshot of an earlier generation if no lock explains it', async () => {
    using folder = tempFolder();
    await life(folder.path, [1], 'stopped');
    await life(folder.path, [2], 'killed');
    for (const name of [SNAPSHOT, 'lock']) rmSync(join(folder.path, name));
    expect((await refusal(folder.path)).message).toMatch(
      /Expected a snapshot of generation 2 next to it, got none/,
    );
  });

  test.each<[string, (text: string) => string, RegExp]>([
    [
      'a changed byte',
      (text) => text.replace('"at":2', '"at":4'),
      /line 2, byte \d+: Expected entry 1 with a matching checksum, got checksum \w+ instead of/,
    ],
    [
      'a line without checksum',
      (text) => `${text}{"n":3}\n`,
      /line 4, byte \d+: Expected entry 3 with a matching checksum, got a line without a checksum/,
    ],
    [
      'a missing line',
      (text) => text.split('\n').toSpliced(1, 1).join('\n'),
      /line 2, byte \d+: Expected entry 1, got entry 2/,
    ],
    [
      'no header',
      () => 'hello\n',
      /line 1, byte 0: Expected a pix-sandbox-journal header, got something else/,
    ],
    ['nothing', () => '', /line 1, byte 0: Expected a pix-sandbox-journal header, got an empty file/],
    ['half a header', () => '{"format":"pix-', /line 1, byte 0: .* got part of a line/],
    [
      'another format',
      (text) => text.replace('-journal', '-story'),
      /Expected a pix-sandbox-journal, got a "pix-sandbox-story"/,
    ],
    [
      'a changed header',
      (text) => text.replace('Contains', 'contains'),
      /line 1, byte 0: Expected the header with a matching checksum/,
    ],
  ])('rejects a journal with %s', async (_, change, message) => {
    using folder = tempFolder();
    await life(folder.path, [2, 3], 'killed');
    folder.write(JOURNAL, change(folder.read(JOURNAL).toString()));
    const error = await refusal(folder.path);
    expect([error.kind, error.message]).toEqual(['damaged', expect.stringMatching(message)]);
    expect(error.message).toContain('Restore the entire directory from a backup.');
  });

  test.each<[string, (text: string) => string, RegExp]>([
    [
      'a changed byte',
      (text) => text.replace('[1]', '[7]'),
      /snapshot\.ndjson, line 2, byte \d+: Expected entry 1 with a matching/,
    ],
    [
      'an early end',
      (text) => text.slice(0, -9),
      /snapshot\.ndjson, line 2, byte \d+: Expected a header and a complete state, got 0 states/,
    ],
  ])('rejects a snapshot with %s', async (_, change, message) => {
    using folder = tempFolder();
    await life(folder.path, [1], 'stopped');
    folder.write(SNAPSHOT, change(folder.read(SNAPSHOT).toString()));
    expect((await refusal(folder.path)).message).toMatch(message);
  });

  test.each(['state', 'entry'] as const)('rejects a %s that the restorer rejects', async (what) => {
    using folder = tempFolder();
    await life(folder.path, [1], 'stopped');
    await life(folder.path, [2], 'killed');
    const restorer = {
      state: () => undefined,
      entry: () => undefined,
      [what]: () => {
        throw new Error('no such table');
      },
    };
    const error = await rejectionOf(opened(folder.path, { restorer }), StoreError);
    expect(error.message).toMatch(/ndjson, line 2.*got no such table\. Nothing was changed\./);
  });

  test('rejects a path to a file and says what to do', async () => {
    using folder = tempFolder();
    folder.write('data', 'x');
    const error = await rejectionOf(opened(join(folder.path, 'data')), StoreError);
    expect(error.kind).toBe('unusable');
    expect(error.message).toMatch(/Expected a data directory, got a file\. .*Move the existing file/);
  });

  test('rejects a directory in use, and leaves it unchanged', async () => {
    using folder = tempFolder();
    const { store } = await opened(folder.path, { processes: processesOf(1) });
    await store.begin(undefined);
    const before = [dataIn(folder.path), readdirSync(folder.path)];
    const error = await rejectionOf(opened(folder.path, { processes: processesOf(2, [1, 2]) }), StoreError);
    expect(error.kind).toBe('held');
    expect([dataIn(folder.path), readdirSync(folder.path)]).toEqual(before);
    await store.abandon();
  });

  test.each(['hello', '{"pid":0}', '{}', 'lock with an invalid mark'])(
    'rejects an invalid lock: %s',
    async (text) => {
      using folder = tempFolder();
      await life(folder.path, [1], 'stopped');
      const lock = JSON.parse(folder.read('lock').toString()) as object;
      writeFileSync(
        join(folder.path, 'lock'),
        text.startsWith('lock') ? JSON.stringify({ ...lock, mark: { generation: 'x' } }) : text,
      );
      expect((await refusal(folder.path)).message).toMatch(/lock is not a valid lock file/);
    },
  );
});
