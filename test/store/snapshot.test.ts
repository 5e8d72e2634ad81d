import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Low } from 'lowdb';
import { expect, test } from 'vitest';
import type { Files } from '../../src/store/files.js';
import { snapshotAdapter } from '../../src/store/snapshot.js';
import type { Snapshot } from '../../src/store/snapshot.js';
import { dataSource } from '../../src/store/source.js';
import { StoreError } from '../../src/store/store-error.js';
import type { StateRow } from '../../src/store/types.js';
import { filesAround, quickFiles } from '../helpers/store/store-files.js';
import { dataIn, opened } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const NAME = 'snapshot.ndjson';
const ROWS: StateRow[] = [
  ['seed', 7],
  ['charges', { id: 'a', amount: '10.00' }],
  ['charges', null],
];

function snapshotsIn(directory: string, files: Files = quickFiles): Low<Snapshot> {
  const source = dataSource(directory, join(directory, NAME));
  const adapter = snapshotAdapter(files, source, { coreVersion: 1, packageVersion: '0.1.0' });
  return new Low<Snapshot>(adapter, { generation: 0, rows: [] });
}

async function writeRows(directory: string, rows: Iterable<StateRow>, files?: Files): Promise<void> {
  const snapshots = snapshotsIn(directory, files);
  snapshots.data = { generation: 3, rows };
  await snapshots.write();
}

async function readRows(directory: string): Promise<StateRow[]> {
  const snapshots = snapshotsIn(directory);
  await snapshots.read();
  const rows: StateRow[] = [];
  for await (const row of snapshots.data.rows) rows.push(row);
  return rows;
}

test('where there is none, the default stays', async () => {
  using folder = memoryFolder();
  const snapshots = snapshotsIn(folder.path);
  await snapshots.read();
  expect(snapshots.data).toEqual({ generation: 0, rows: [] });
});

test('any rows that are written are read back', async () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string(), json), { maxLength: 20 }), async (rows) => {
      using folder = memoryFolder();
      await writeRows(folder.path, rows);
      expect(await readRows(folder.path)).toEqual(rows);
      expect(readdirSync(folder.path)).toEqual([NAME]);
      expect(statSync(join(folder.path, NAME)).mode & 0o777).toBe(0o600);
    }),
    { numRuns: 50 },
  );
});

test('a large one goes out in pieces, each before the next is made', async () => {
  using folder = memoryFolder();
  const row: StateRow = ['charges', 'x'.repeat(1000)];
  let [made, writtenBytes, mostAhead] = [0, 0, 0];
  const files = filesAround(async ({ name }, work) => {
    const result = await work();
    if (name === 'write' && typeof result === 'number') writtenBytes += result;
    return result;
  });
  function* rows(): Generator<StateRow> {
    for (; made < 3000; made += 1) {
      mostAhead = Math.max(mostAhead, made * 1000 - writtenBytes);
      yield row;
    }
  }
  await writeRows(folder.path, rows(), files);
  expect(writtenBytes).toBeGreaterThan(3_000_000);
  expect(mostAhead).toBeLessThan(300_000);
  expect(await readRows(folder.path)).toHaveLength(3000);
});

test('a draft that could not become the snapshot is cleared away, and the earlier one stays', async () => {
  using folder = memoryFolder();
  await writeRows(folder.path, ROWS);
  const before = dataIn(folder.path);
  for (const failing of ['write', 'sync', 'rename']) {
    const files = filesAround(({ name }, work) => {
      if (name === failing) throw new Error('failed');
      return work();
    });
    await expect(writeRows(folder.path, [], files)).rejects.toThrow('failed');
    expect(dataIn(folder.path)).toEqual(before);
  }
});

test('one that was cut at any byte is refused', async () => {
  using folder = memoryFolder();
  await writeRows(folder.path, ROWS);
  const whole = folder.read(NAME);
  for (let size = 0; size < whole.length; size += 1) {
    folder.write(NAME, whole.subarray(0, size));
    const error = await rejectionOf(readRows(folder.path), StoreError);
    expect(error.message).toContain(
      `${NAME}, byte ${size}: Expected a last line with the number of rows, got an end without it`,
    );
  }
});

test('one with any byte changed or added is refused', async () => {
  using folder = memoryFolder();
  await writeRows(folder.path, ROWS);
  const whole = folder.read(NAME);
  const flipped = Array.from(whole, (byte, at) => [1, 0x20].map((mask) => whole.with(at, byte ^ mask)));
  for (const changed of [...flipped.flat(), Buffer.concat([whole, Buffer.from('\n')])]) {
    folder.write(NAME, changed);
    const error = await rejectionOf(readRows(folder.path), StoreError);
    expect(error.message).toMatch(/, byte \d+: Expected (a last line|content with the checksum)/);
  }
});

test.each([
  ['cut', (whole: Buffer) => whole.subarray(0, -20)],
  ['changed', (whole: Buffer) => whole.with(whole.indexOf('amount'), 65)],
])('one that was %s: no row of it is seen, and the directory stays as it was', async (_, damage) => {
  using folder = memoryFolder();
  await writeRows(folder.path, ROWS);
  folder.write(NAME, damage(folder.read(NAME)));
  folder.write(`${NAME}.0123456789ab.draft`, 'left over');
  const before = dataIn(folder.path);
  const restorer = { row: () => expect.unreachable(), entry: () => expect.unreachable() };
  const error = await rejectionOf(opened(folder.path, { restorer }), StoreError);
  expect([error.kind, error.path]).toEqual(['damaged', join(folder.path, NAME)]);
  expect(error.message).toMatch(
    /Nothing was changed\. Restore the whole folder from a backup\. To start fresh, keep the folder under another name/,
  );
  expect(dataIn(folder.path)).toEqual(before);
});
