import { join } from 'node:path';
import { expect, test } from 'vitest';
import { snapshotAdapter } from '../../src/store/snapshot.js';
import { dataSource } from '../../src/store/source.js';
import { filesAround } from '../helpers/store/store-files.js';
import { memoryFolder } from '../helpers/temp-folder.js';

test('what is opened for a snapshot is closed, read to its end or not', async () => {
  using folder = memoryFolder();
  let closed = 0;
  const files = filesAround((operation, work) => {
    if (operation.name === 'close') closed += 1;
    return work();
  });
  const path = join(folder.path, 'snapshot.json');
  const writer = { coreVersion: 1, packageVersion: '0.1.0' };
  const adapter = snapshotAdapter(files, dataSource(folder.path, path), writer);
  const rows = [1, 2, 3].map((row) => ['table', row] as const);
  await adapter.write({ generation: 1, rows });
  const whole = await adapter.read();
  const found: unknown[] = [];
  for await (const row of whole?.rows ?? []) found.push(row);
  const part = await adapter.read();
  for await (const row of part?.rows ?? []) if (row[1] === 2) break;
  expect(found).toEqual(rows);
  // The draft; and twice the file that is checked and the rows that are read.
  expect(closed).toBe(5);
});
