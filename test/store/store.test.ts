import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/store/store-error.js';
import { failingFiles } from '../helpers/store/store-files.js';
import type { Operation } from '../helpers/store/store-files.js';
import { dataIn, entryOf, machineOf, opened } from '../helpers/store/stores.js';
import { tempFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const WRITES = new Set(['makeDirectory', 'create', 'write', 'link', 'rename', 'remove', 'truncate']);

function linesOf(folder: TempFolder, name: string): unknown[] {
  const text = folder.read(name).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** A directory whose sandbox was killed after these entries; they are in its journal. */
async function killed(folder: TempFolder, ...numbers: number[]): Promise<void> {
  const { store, kept } = await opened(folder.path);
  const journal = await store.begin(store.isEmpty ? null : kept.all());
  for (const number of numbers) journal.append(entryOf(number));
  await store.abandon();
}

/** A directory whose sandbox was stopped cleanly. */
async function stopped(folder: TempFolder, ...numbers: number[]): Promise<void> {
  await killed(folder, ...numbers);
  const { store, kept } = await opened(folder.path);
  await store.close(kept.all());
}

describe('what is kept', () => {
  test('a fresh directory is empty, and its first journal has no snapshot', async () => {
    using folder = tempFolder();
    const { store, kept, warnings } = await opened(join(folder.path, 'new', 'data'));
    expect(store.isEmpty).toBe(true);
    expect([...kept.all(), ...warnings]).toEqual([]);
    await store.begin(null);
    expect(readdirSync(join(folder.path, 'new', 'data')).sort()).toEqual(['journal.0.ndjson', 'lock.1']);
    await store.abandon();
  });

  test('a journal that was begun and got nothing leaves the directory empty', async () => {
    using folder = tempFolder();
    await killed(folder);
    await killed(folder);
    const { store } = await opened(folder.path);
    expect(store.isEmpty).toBe(true);
    await store.abandon();
  });

  test('what was flushed comes back after a stop without an end, through any number of restarts', async () => {
    using folder = tempFolder();
    await killed(folder, 1, 2);
    await killed(folder, 3);
    await killed(folder);
    await killed(folder, 4, 5);
    const { store, kept, warnings } = await opened(folder.path);
    expect(store.isEmpty).toBe(false);
    expect(kept.numbers).toEqual([1, 2, 3, 4, 5]);
    expect(warnings).toEqual([]);
    expect(Object.keys(dataIn(folder.path))).toEqual(['journal.3.ndjson', 'snapshot.ndjson']);
    await store.abandon();
  });

  test('a clean stop leaves one snapshot, which comes back', async () => {
    using folder = tempFolder();
    await stopped(folder, 1, 2, 3);
    expect(Object.keys(dataIn(folder.path))).toEqual(['snapshot.ndjson']);
    const { store, kept } = await opened(folder.path);
    expect(store.isEmpty).toBe(false);
    expect(kept.entries).toEqual([]);
    expect(kept.numbers).toEqual([1, 2, 3]);
    await store.abandon();
  });

  test('journals that are left over from before are neither read nor kept, and drafts are cleared away', async () => {
    using folder = tempFolder();
    await killed(folder, 1);
    const old = folder.read('journal.0.ndjson');
    await killed(folder, 2);
    folder.write('journal.0.ndjson', old);
    for (const draft of ['snapshot.ndjson', 'journal.2.ndjson', 'lock.9'])
      folder.write(`${draft}.0123456789ab.draft`, 'half');
    folder.write('notes.txt', 'mine');
    await killed(folder, 3);
    expect(readdirSync(folder.path).sort()).toEqual([
      'journal.2.ndjson',
      'lock.3',
      'notes.txt',
      'snapshot.ndjson',
    ]);
    const { store, kept } = await opened(folder.path);
    expect(kept.numbers).toEqual([1, 2, 3]);
    await store.abandon();
  });

  test('files are plain lines of JSON that say what they are', async () => {
    using folder = tempFolder();
    await stopped(folder, 1);
    await killed(folder, 2);
    const crc: unknown = expect.stringMatching(/^[0-9a-f]{8}$/);
    const header = { core: 1, version: '0.1.0', generation: 2, notice: 'Holds tokens and secrets.' };
    expect(linesOf(folder, 'snapshot.ndjson')).toEqual([
      { format: 'pix-sandbox-snapshot', ...header },
      ['entries', entryOf(1)],
      { end: { rows: 1, crc } },
    ]);
    expect(linesOf(folder, 'journal.2.ndjson')).toEqual([
      { format: 'pix-sandbox-journal', ...header, crc },
      { n: 1, ...entryOf(2), crc },
    ]);
  });

  test('a directory made is for its user alone, and so is every file, also where they were open to others', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'data');
    const first = await opened(directory);
    await first.store.begin([]);
    await first.store.abandon();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    const second = await opened(directory);
    await second.store.begin([]);
    for (const name of readdirSync(directory))
      expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
    await second.store.abandon();
  });
});

describe('what is refused', () => {
  test('what is not empty is not begun afresh, and nothing is begun twice', async () => {
    using folder = tempFolder();
    await killed(folder, 1);
    const { store, kept } = await opened(folder.path);
    await expect(store.begin(null)).rejects.toThrow('Expected the rows');
    await store.begin(kept.all());
    await expect(store.begin(kept.all())).rejects.toThrow('Expected to begin once');
    await store.abandon();
  });

  test.each(['snapshot.ndjson', 'journal.1.ndjson'])('%s of another core', async (name) => {
    using folder = tempFolder();
    const directory = join(folder.path, "Ana's data");
    const first = await opened(directory);
    await (await first.store.begin([])).flushed();
    await first.store.abandon();
    const other = await opened(join(folder.path, 'other'), { coreVersion: 2, packageVersion: '0.9.0-rc.1' });
    await other.store.begin([]);
    await other.store.abandon();
    writeFileSync(join(directory, name), folder.read(`other/${name}`));
    const before = dataIn(directory);
    const error = await rejectionOf(opened(directory), StoreError);
    expect(error.kind).toBe('other-version');
    expect(error.path).toBe(join(directory, name));
    expect(error.message).toContain('Expected what version 1 of the core wrote, got version 2');
    expect(error.message).toContain(
      `npx pix-sandbox@0.9.0-rc.1 state export --data '${folder.path}/Ana'\\''s data' > state.json`,
    );
    expect(dataIn(directory)).toEqual(before);
  });

  test('a journal without its snapshot, and one that says another generation than its name', async () => {
    using folder = tempFolder();
    await killed(folder, 1);
    const journal = folder.read('journal.0.ndjson');
    folder.write('journal.4.ndjson', journal);
    const orphan = await rejectionOf(opened(folder.path), StoreError);
    expect(orphan.message).toMatch(
      /journal\.4\.ndjson: Expected a snapshot of generation 4 beside it, got none\./,
    );
    using second = tempFolder();
    await stopped(second, 1);
    second.write('journal.1.ndjson', journal);
    const misnamed = await rejectionOf(opened(second.path), StoreError);
    expect(misnamed.message).toMatch(/journal\.1\.ndjson, line 1: Expected generation 1, got 0\./);
  });

  test.each(['row', 'entry'] as const)('a %s that the restorer does not take', async (what) => {
    using folder = tempFolder();
    await stopped(folder, 1);
    await killed(folder, 2);
    const restorer = {
      row: () => undefined,
      entry: () => undefined,
      [what]: () => {
        throw new Error('no such table');
      },
    };
    const error = await rejectionOf(opened(folder.path, { restorer }), StoreError);
    expect(error.message).toMatch(/ndjson, line 2.*got no such table\. Nothing was changed\./);
  });

  test('what was refused can be opened by the same process when it was put right', async () => {
    using folder = tempFolder();
    await killed(folder, 1);
    const whole = folder.read('journal.0.ndjson');
    folder.write('journal.0.ndjson', 'hello');
    await rejectionOf(opened(folder.path), StoreError);
    folder.write('journal.0.ndjson', whole);
    const { store, kept } = await opened(folder.path);
    expect(kept.numbers).toEqual([1]);
    await store.abandon();
  });

  test('a path that is a file, with what to do', async () => {
    using folder = tempFolder();
    folder.write('data', 'x');
    const error = await rejectionOf(opened(join(folder.path, 'data')), StoreError);
    expect(error.kind).toBe('unusable');
    expect(error.message).toMatch(/Expected a folder for the data, got EEXIST.*Move it away/);
  });

  test('a directory that is in use, which a refused start leaves as it is', async () => {
    using folder = tempFolder();
    const { store } = await opened(folder.path, { machine: machineOf(1) });
    await store.begin(null);
    const before = [dataIn(folder.path), readdirSync(folder.path)];
    const error = await rejectionOf(opened(folder.path, { machine: machineOf(2, [1, 2]) }), StoreError);
    expect(error.kind).toBe('held');
    expect([dataIn(folder.path), readdirSync(folder.path)]).toEqual(before);
    await store.abandon();
  });
});

describe('a disk that takes nothing', () => {
  test.each(['EROFS', 'EACCES', 'ENOSPC'])('%s from the start: what is there is restored', async (code) => {
    using folder = tempFolder();
    await killed(folder, 1, 2);
    const before = [dataIn(folder.path), readdirSync(folder.path)];
    const { files } = failingFiles(code, (_, { name }) => WRITES.has(name) && name !== 'makeDirectory');
    const { store, kept, warnings } = await opened(folder.path, { files });
    expect(kept.numbers).toEqual([1, 2]);
    const journal = await store.begin(kept.all());
    expect(journal.failure?.message).toContain(code);
    journal.append(entryOf(3));
    await journal.flushed();
    expect(await store.close(kept.all())).toBe(false);
    expect(warnings).toEqual([expect.stringMatching(`${code}.*in memory only.*state export`)]);
    expect([dataIn(folder.path), readdirSync(folder.path)]).toEqual(before);
  });

  test('a directory that cannot be made', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'data');
    const { files } = failingFiles('EROFS', (_, { name }) => name === 'makeDirectory');
    const { store, warnings } = await opened(directory, { files });
    expect(store.isEmpty).toBe(true);
    expect((await store.begin(null)).failure).not.toBeNull();
    await store.abandon();
    expect(warnings).toHaveLength(1);
    expect(existsSync(directory)).toBe(false);
  });

  test('full while it runs: said once, and the whole state is kept when there is room at the end', async () => {
    using folder = tempFolder();
    let isFull = false;
    const { files } = failingFiles('ENOSPC', (_, { name }) => isFull && WRITES.has(name));
    const { store, kept, warnings } = await opened(folder.path, { files });
    const journal = await store.begin(null);
    for (const number of [1, 2, 3]) {
      kept.entry(entryOf(number));
      journal.append(entryOf(number));
      await journal.flushed();
      isFull = true;
    }
    expect(journal.failure?.message).toContain('ENOSPC');
    expect(warnings).toEqual([
      expect.stringMatching(/journal\.0\.ndjson: ENOSPC.*in memory only.*tries again.*state export/),
    ]);
    isFull = false;
    expect(await store.close(kept.all())).toBe(true);
    expect(warnings.slice(1)).toEqual([expect.stringMatching(/^All changes are saved again/)]);
    const again = await opened(folder.path);
    expect(again.kept.numbers).toEqual([1, 2, 3]);
    await again.store.abandon();
  });

  test('full to the end: what was acknowledged before is there, and what is lost is said', async () => {
    using folder = tempFolder();
    let isFull = false;
    const { files } = failingFiles('ENOSPC', (_, { name }) => isFull && name === 'write');
    const { store, kept, warnings } = await opened(folder.path, { files, machine: machineOf(1) });
    const journal = await store.begin(null);
    journal.append(entryOf(1));
    await journal.flushed();
    isFull = true;
    journal.append(entryOf(2));
    expect(await store.close(kept.all())).toBe(false);
    expect(warnings.at(-1)).toMatch(/Could not write the whole state: ENOSPC.*are lost/);
    const again = await opened(folder.path, { machine: machineOf(2) });
    expect(again.kept.numbers).toEqual([1]);
    await again.store.abandon();
  });

  test('full at the end alone: the journal holds everything', async () => {
    using folder = tempFolder();
    const isSnapshot = ({ name, path }: Operation) => name === 'write' && path.includes('snapshot');
    const { files } = failingFiles('ENOSPC', (_, operation) => isSnapshot(operation));
    const { store, kept, warnings } = await opened(folder.path, { files });
    const journal = await store.begin(null);
    journal.append(entryOf(1));
    expect(await store.close(kept.all())).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('Nothing is lost')]);
    const again = await opened(folder.path);
    expect(again.kept.numbers).toEqual([1]);
    expect(Object.keys(dataIn(folder.path))).toEqual(['journal.0.ndjson']);
    await again.store.abandon();
  });

  test('rows that fail to be made are no fault of the disk', async () => {
    using folder = tempFolder();
    const { store, warnings } = await opened(folder.path);
    const rows = {
      [Symbol.iterator]: () => {
        throw new TypeError('ours');
      },
    };
    await expect(store.begin(rows)).rejects.toThrow('ours');
    await expect(store.close(rows)).rejects.toThrow('ours');
    expect(warnings).toEqual([]);
    expect(dataIn(folder.path)).toEqual({});
  });
});
