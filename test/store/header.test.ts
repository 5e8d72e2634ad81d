import { expect, test } from 'vitest';
import { headerText, JOURNAL_FORMAT, readHeader } from '../../src/store/header.js';
import { dataSource, recordingSource } from '../../src/store/source.js';
import { StoreError } from '../../src/store/store-error.js';
import { thrownBy } from '../helpers/thrown-by.js';

const HEADER = { format: JOURNAL_FORMAT, core: 2, version: '1.2.3-rc.1+build', generation: 0 };
const SOURCE = recordingSource('/tmp/day.jsonl');

function refusalOf(json: unknown): string {
  return thrownBy(() => readHeader(json, JOURNAL_FORMAT, 2, SOURCE), StoreError).message;
}

test('a header that was written is read', () => {
  const written: unknown = JSON.parse(
    headerText(JOURNAL_FORMAT, { coreVersion: 2, packageVersion: '0.1.0' }, 7),
  );
  expect(written).toEqual({
    format: 'pix-sandbox-journal',
    core: 2,
    version: '0.1.0',
    generation: 7,
    notice: 'Holds tokens and secrets.',
  });
  expect(readHeader(written, JOURNAL_FORMAT, 2, SOURCE)).toEqual(written);
  expect(readHeader(HEADER, JOURNAL_FORMAT, 2, SOURCE)).toEqual(HEADER);
});

test.each([
  ['nothing', null],
  ['no object', 'pix-sandbox-journal'],
  ['no format', { ...HEADER, format: undefined }],
  ['a format that is no text', { ...HEADER, format: 1 }],
  ['no version of the core', { ...HEADER, core: undefined }],
  ['a broken version of the core', { ...HEADER, core: 2.5 }],
  ['no version of the package', { ...HEADER, version: undefined }],
  ['a version that is no text', { ...HEADER, version: 1 }],
  ['a version that begins with something else', { ...HEADER, version: 'v1.2.3' }],
  ['a version that a shell would run', { ...HEADER, version: '1; rm -rf .' }],
  ['an empty version', { ...HEADER, version: '' }],
  ['no generation', { ...HEADER, generation: undefined }],
  ['a generation that is no number', { ...HEADER, generation: '1' }],
  ['a broken generation', { ...HEADER, generation: 0.5 }],
  ['a generation below zero', { ...HEADER, generation: -1 }],
])('%s is refused as something else', (_, json) => {
  const given: unknown = JSON.parse(JSON.stringify(json));
  expect(refusalOf(given)).toBe(
    '/tmp/day.jsonl, line 1, byte 0: Expected the header of a pix-sandbox-journal, got something else. Nothing was changed. Use an undamaged copy of the file.',
  );
});

test('another format and another version of the core are named', () => {
  expect(refusalOf({ ...HEADER, format: 'pix-sandbox-snapshot' })).toBe(
    '/tmp/day.jsonl, line 1, byte 0: Expected a pix-sandbox-journal, got a "pix-sandbox-snapshot". Nothing was changed. Use an undamaged copy of the file.',
  );
  expect(refusalOf({ ...HEADER, core: 1 })).toBe(
    '/tmp/day.jsonl: Expected what version 2 of the core wrote, got version 1, by pix-sandbox 1.2.3-rc.1+build. Nothing was changed. Use it with that version: npx pix-sandbox@1.2.3-rc.1+build',
  );
});

test('the remedies for a data directory can be pasted into a shell', () => {
  const plain = dataSource('/data/day_1', '/data/day_1/journal.jsonl');
  expect(plain.ifDamaged).toBe(
    'Restore the whole folder from a backup. To start fresh, keep the folder under another name: mv /data/day_1 /data/day_1.damaged; to bring back an exported state: npx sandbox state import FILE',
  );
  expect(plain.ifOtherVersion('0.1.0')).toBe(
    'To convert it: npx pix-sandbox@0.1.0 state export --data /data/day_1 > state.json, then start with another folder, and: npx sandbox state import state.json',
  );
  const quoted = dataSource("/data/Zoë's day", '/data/x');
  expect(quoted.ifDamaged).toContain(String.raw`mv '/data/Zoë'\''s day' '/data/Zoë'\''s day.damaged';`);
  expect(quoted.ifOtherVersion('0.1.0')).toContain(String.raw`--data '/data/Zoë'\''s day' > state.json`);
});
