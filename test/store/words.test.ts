import { expect, test } from 'vitest';
import { readHeader } from '../../src/store/header.js';
import { sealedLine, sealProblem } from '../../src/store/seal.js';
import { damaged, dataSource, recordingSource } from '../../src/store/source.js';
import {
  asStoreError,
  saysUnwritable,
  StoreError,
  systemCodeOf,
  textOf,
} from '../../src/store/store-error.js';
import { systemError } from '../helpers/store/store-files.js';
import { thrownBy } from '../helpers/thrown-by.js';

const SOURCE = recordingSource('day.ndjson');
const HEADER = { format: 'a-format', core: 1, version: '1.2.3-rc.1+x', generation: 0 };

function messageOf(error: unknown): string {
  if (!(error instanceof StoreError)) return 'another error';
  return `${error.kind} ${error.message}`;
}

function headerRefusal(json: unknown): string {
  return messageOf(thrownBy(() => readHeader(json, 'a-format', 1, SOURCE), StoreError));
}

test('a header of the format and the version is read', () => {
  expect(readHeader(HEADER, 'a-format', 1, SOURCE)).toBe(HEADER);
});

test.each<[unknown]>([
  [undefined],
  [null],
  ['text'],
  [[]],
  [{ ...HEADER, format: undefined }],
  [{ core: 1, version: '1.2.3', generation: 0 }],
  [{ format: 'a-format', version: '1.2.3', generation: 0 }],
  [{ format: 'a-format', core: 1, generation: 0 }],
  [{ format: 'a-format', core: 1, version: '1.2.3' }],
  [{ ...HEADER, core: '1' }],
  [{ ...HEADER, core: 1.5 }],
  [{ ...HEADER, version: 1 }],
  [{ ...HEADER, version: '' }],
  [{ ...HEADER, version: 'v1' }],
  [{ ...HEADER, version: '1; rm' }],
  [{ ...HEADER, version: 'x 1.2.3' }],
  [{ ...HEADER, generation: -1 }],
  [{ ...HEADER, generation: 0.5 }],
  [{ ...HEADER, generation: '0' }],
])('%j is no header', (json) => {
  expect(headerRefusal(json)).toBe(
    'damaged day.ndjson, line 1, byte 0: Expected the header of a a-format, got something else. Nothing was changed. Use an undamaged copy of the file.',
  );
});

test.each<[string, () => unknown, string]>([
  [
    'another format',
    () => headerRefusal({ ...HEADER, format: 'other' }),
    'damaged day.ndjson, line 1, byte 0: Expected a a-format, got a "other". Nothing was changed. Use an undamaged copy of the file.',
  ],
  [
    'another version',
    () => headerRefusal({ ...HEADER, core: 2 }),
    'other-version day.ndjson: Expected what version 1 of the core wrote, got version 2, by pix-sandbox 1.2.3-rc.1+x. Nothing was changed. Use it with that version: npx pix-sandbox@1.2.3-rc.1+x',
  ],
  [
    'damage without a place',
    () => messageOf(damaged(SOURCE, {}, 'a', 'b')),
    'damaged day.ndjson: Expected a, got b. Nothing was changed. Use an undamaged copy of the file.',
  ],
  [
    'damage in a line',
    () => messageOf(damaged(SOURCE, { line: 2 }, 'a', 'b')),
    'damaged day.ndjson, line 2: Expected a, got b. Nothing was changed. Use an undamaged copy of the file.',
  ],
  [
    'damage at a byte',
    () => messageOf(damaged(SOURCE, { line: 2, byte: 0 }, 'a', 'b')),
    'damaged day.ndjson, line 2, byte 0: Expected a, got b. Nothing was changed. Use an undamaged copy of the file.',
  ],
  [
    'damage in a folder',
    () => messageOf(damaged(dataSource('data', 'data/x'), {}, 'a', 'b')),
    'damaged data/x: Expected a, got b. Nothing was changed. Restore the whole folder from a backup. To start fresh, keep the folder under another name: mv data data.damaged; to bring back an exported state: npx sandbox state import FILE',
  ],
  [
    'damage in a quoted folder',
    () => dataSource("my 'data'", 'x').ifDamaged,
    "Restore the whole folder from a backup. To start fresh, keep the folder under another name: mv 'my '\\''data'\\''' 'my '\\''data'\\''.damaged'; to bring back an exported state: npx sandbox state import FILE",
  ],
  [
    'a folder of another version',
    () => dataSource('./a/b-c_d.e:f@g%h+i=j', 'x').ifOtherVersion('1.2.3'),
    'To convert it: npx pix-sandbox@1.2.3 state export --data ./a/b-c_d.e:f@g%h+i=j > state.json, then start with another folder, and: npx sandbox state import state.json',
  ],
  [
    'a full disk',
    () => messageOf(asStoreError(systemError('ENOSPC', 'write'), 'p', 'to write')),
    'unusable p: Expected to write, got ENOSPC: injected, write (the disk is full). Nothing was changed. Free some space, or use another disk.',
  ],
  [
    'an unknown code',
    () => messageOf(asStoreError(systemError('EODD', 'write'), 'p', 'to write')),
    'unusable p: Expected to write, got EODD: injected, write. Nothing was changed. Check the path and its permissions.',
  ],
  ['another error', () => messageOf(asStoreError(new Error('x'), 'p', 'to write')), 'another error'],
  ['a line without a seal', () => sealProblem(Buffer.from('{"n":1}')), 'a line without one at its end'],
  [
    'a line with another seal',
    () => sealProblem(Buffer.from('{"n":1,"crc":"01234567"}')),
    'a line with the checksum ff61ec38 that says 01234567',
  ],
  [
    'a line with more',
    () => sealProblem(Buffer.from(`${sealedLine('{"n":1}').trim()}x`)),
    'a line without one at its end',
  ],
])('%s is said with what to do', (_what, act, words) => {
  expect(act()).toBe(words);
});

test('a sealed line holds its seal', () => {
  const line = sealedLine('{"n":1}');
  expect(line).toMatch(/^\{"n":1,"crc":"[0-9a-f]{8}"\}\n$/);
  expect(sealProblem(Buffer.from(line.trimEnd()))).toBeNull();
});

test.each([
  ['EACCES', true],
  ['EDQUOT', true],
  ['EIO', true],
  ['ENOSPC', true],
  ['EPERM', true],
  ['EROFS', true],
  ['ENOENT', false],
])('%s: the place cannot be written is %s', (code, is) => {
  expect(saysUnwritable(systemError(code, 'write'))).toBe(is);
});

test('only an error of the system has its code', () => {
  expect(systemCodeOf(systemError('EIO', 'write'))).toBe('EIO');
  expect(systemCodeOf(Object.assign(new Error('x'), { code: 'EIO' }))).toBeUndefined();
  expect(systemCodeOf(Object.assign(new Error('x'), { syscall: 'write' }))).toBeUndefined();
  expect(systemCodeOf(Object.assign(new Error('x'), { syscall: 'write', code: 1 }))).toBeUndefined();
  expect(systemCodeOf({ syscall: 'write', code: 'EIO' })).toBeUndefined();
  expect([textOf(new Error('x')), textOf(1)]).toEqual(['x', '1']);
});
