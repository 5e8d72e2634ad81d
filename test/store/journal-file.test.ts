import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JournalWriter } from '../../src/store/journal-writer.js';
import { draftJournal, readJournal } from '../../src/store/journal-file.js';
import { sealedLine } from '../../src/store/seal.js';
import { dataSource } from '../../src/store/source.js';
import { StoreError } from '../../src/store/store-error.js';
import type { Files } from '../../src/store/files.js';
import { quickFiles } from '../helpers/store/store-files.js';
import { entryOf, Kept } from '../helpers/store/stores.js';
import { memoryFolder } from '../helpers/temp-folder.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const WRITER = { coreVersion: 1, packageVersion: '0.1.0' };
const NAME = 'journal.0.ndjson';
const ENTRIES = [1, 2, 3].map(entryOf);

async function written(folder: TempFolder, entries: Iterable<Parameters<JournalWriter['append']>[0]>) {
  const file = await draftJournal(quickFiles, join(folder.path, NAME), WRITER, 0);
  await file.publish();
  const check = () => Promise.resolve();
  const journal = new JournalWriter(file, { check, onFailure: () => undefined });
  for (const entry of entries) journal.append(entry);
  await journal.close();
  return folder.read(NAME);
}

async function readBack(folder: TempFolder, files: Files = quickFiles) {
  const kept = new Kept();
  const warnings: string[] = [];
  const { header } = await readJournal({
    files,
    source: dataSource(folder.path, join(folder.path, NAME)),
    coreVersion: 1,
    take: (entry) => kept.entry(entry),
    onWarning: (message) => warnings.push(message),
  });
  return { header, entries: kept.entries, warnings };
}

describe('what is written is read back', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const entry = fc.record({
    at: fc.integer(),
    rate: fc.integer(),
    text: fc.string({ unit: 'grapheme' }),
    json,
  });

  test('any list of entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 40 }), async (entries) => {
        using folder = memoryFolder();
        await written(folder, entries);
        expect(await readBack(folder)).toEqual({
          header: expect.objectContaining({ generation: 0, core: 1 }) as unknown,
          entries,
          warnings: [],
        });
      }),
      { numRuns: 60 },
    );
  });

  test('also when lines are longer than what is read at a time, and reads come short', async () => {
    using folder = memoryFolder();
    const entries = [300_000, 5, 262_144, 1_500_000].map((length, at) => ({
      at,
      rate: 1,
      text: 'ä'.repeat(length),
    }));
    await written(folder, entries);
    const stingy: Files = {
      ...quickFiles,
      open: async (path, how) => {
        const file = await quickFiles.open(path, how);
        return { ...file, read: (into, position) => file.read(into.subarray(0, 100_001), position) };
      },
    };
    expect((await readBack(folder, stingy)).entries).toEqual(entries);
  });
});

describe('a journal cut at any byte', () => {
  test('is refused where not even its header is whole, which is there before anything is acknowledged', async () => {
    using folder = memoryFolder();
    const whole = await written(folder, ENTRIES);
    for (let size = 0; size <= whole.indexOf(10); size += 1) {
      folder.write(NAME, whole.subarray(0, size));
      const error = await rejectionOf(readBack(folder), StoreError);
      expect(error.kind).toBe('damaged');
      const came = size === 0 ? 'an empty file' : 'part of a line';
      expect(error.message).toContain(
        `${NAME}, line 1, byte 0: Expected the header of a pix-sandbox-journal, got ${came}.`,
      );
    }
  });

  test('has all whole lines, and a warning exactly when a line was torn', async () => {
    using folder = memoryFolder();
    const whole = await written(folder, ENTRIES);
    for (let size = whole.indexOf(10) + 1; size <= whole.length; size += 1) {
      const cut = whole.subarray(0, size);
      folder.write(NAME, cut);
      const { entries, warnings } = await readBack(folder);
      const lines = cut.toString().split('\n').length - 1;
      const isTorn = cut.at(-1) !== 10;
      expect(entries, `cut at ${size}`).toEqual(ENTRIES.slice(0, lines - 1));
      const warning = `${NAME}: the last line, ${lines + 1} (from byte ${cut.lastIndexOf(10) + 1}), was cut off`;
      expect(warnings, `cut at ${size}`).toHaveLength(isTorn ? 1 : 0);
      expect(warnings[0] ?? warning).toContain(warning);
    }
  });
});

describe('a journal with a changed byte', () => {
  test('is refused wherever the byte is, with its place', async () => {
    using folder = memoryFolder();
    const whole = await written(folder, ENTRIES);
    for (let at = 0; at < whole.length; at += 1)
      for (const mask of [1, 0x20, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ mask;
        folder.write(NAME, changed);
        const error = await rejectionOf(readBack(folder), StoreError);
        expect(error.kind).toBe('damaged');
        const line = whole.subarray(0, at).toString('latin1').split('\n').length;
        const start = whole.lastIndexOf(10, at - 1) + 1;
        expect(error.message, `byte ${at}`).toContain(
          `${NAME}, line ${line}, byte ${at === 0 ? 0 : start}: Expected`,
        );
      }
  });

  test.each([
    [
      'a line is missing',
      (lines: string[]) => lines.toSpliced(2, 1),
      /line 3.*Expected entry 2, got entry 3/,
    ],
    [
      'a line is there twice',
      (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? ''),
      /Expected entry 2, got entry 1/,
    ],
    [
      'lines changed places',
      ([a, b, c, ...rest]: string[]) => [a, c, b, ...rest],
      /Expected entry 1, got entry 2/,
    ],
    ['the header is missing', (lines: string[]) => lines.slice(1), /line 1.*header of a pix-sandbox-journal/],
    [
      'a sealed line is no JSON',
      (lines: string[]) => lines.with(2, sealedLine('{not json}').trimEnd()),
      /line 3.*Expected entry 2 as JSON, got .*not valid JSON|line 3.*Expected entry 2 as JSON, got .*property name/,
    ],
    ['a line is empty', (lines: string[]) => lines.toSpliced(1, 0, ''), /line 2.*Expected entry 1/],
    ['it is another text', () => ['{"name":"shop"}', ''], /line 1.*header of a pix-sandbox-journal/],
    ['it is another text without a newline', () => ['hello'], /line 1.*header of a pix-sandbox-journal/],
  ])('or where %s', async (_, change, message) => {
    using folder = memoryFolder();
    const whole = await written(folder, ENTRIES);
    folder.write(NAME, change(whole.toString().split('\n')).join('\n'));
    const error = await rejectionOf(readBack(folder), StoreError);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(
      /Nothing was changed\. Restore .* from a backup\. To start fresh, keep the folder.*state import/,
    );
  });
});
