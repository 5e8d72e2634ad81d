import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExploreFinding } from '../../src/explore/explore.js';
import {
  createResultsDirectory,
  listFaultFiles,
  removeResultsDirectory,
  ResultsError,
  writeResults,
} from '../../src/explore/report.js';
import { BROKEN } from '../helpers/explore/fake-runner.js';
import { tempFolder } from '../helpers/temp-folder.js';

const FAULTS = [{ on: 'delivery', action: 'duplicate', event: 'pix.settled', code: 'order-1', copies: 1 }];
const FINDING: ExploreFinding = {
  faults: FAULTS,
  kinds: ['duplicate'],
  class: 'promised',
  failure: BROKEN,
  fix: 'Store each webhook-id.',
  confirmed: '3/3',
  trace: [],
  runs: 1,
};
const RESULTS = { seed: '7', findings: [FINDING, { ...FINDING, failure: { ...BROKEN, name: 'another' } }] };
const NOW = Date.parse('2026-01-31T12:00:00.123Z');

test('stores each search with its faults and report in a separate directory ignored by git', () => {
  using folder = tempFolder();
  const { path: cwd } = folder;
  const first = createResultsDirectory({ cwd, seed: '7', now: NOW });
  expect(first).toBe(join('.sandbox', 'explore', '2026-01-31T12-00-00-7'));
  writeResults(cwd, first, RESULTS, { ok: false });
  expect(listFaultFiles(first, RESULTS)).toEqual([
    join(first, 'faults-1.json'),
    join(first, 'faults-2.json'),
  ]);
  expect(JSON.parse(folder.read(join(first, 'faults-2.json')).toString())).toEqual({
    about: 'Found by sandbox explore: pix.settled of order-1 is delivered twice: another',
    seed: '7',
    faults: FAULTS,
  });
  expect(JSON.parse(folder.read(join(first, 'report.json')).toString())).toEqual({ ok: false });
  expect(folder.read(join('.sandbox', 'explore', '.gitignore')).toString()).toBe('*\n');

  expect(createResultsDirectory({ cwd, seed: '7', now: NOW })).toBe(`${first}-2`);
  expect(createResultsDirectory({ cwd, seed: '../a b', now: NOW })).toMatch(/12-00-00-\.\._a_b$/);
});

test('removes only a directory without results', () => {
  using folder = tempFolder();
  const { path: cwd } = folder;
  const [one, other] = ['a/b', 'c'].map((out) => createResultsDirectory({ cwd, out, seed: '7', now: NOW }));
  writeResults(cwd, one ?? '', RESULTS, {});
  for (const directory of [one ?? '', other ?? '']) removeResultsDirectory(cwd, directory);
  expect(readdirSync(join(cwd, 'a/b')).toSorted()).toEqual(['faults-1.json', 'faults-2.json', 'report.json']);
  expect(readdirSync(cwd)).toEqual(['a']);
});

test('overwrites nothing', () => {
  using folder = tempFolder();
  const { path: cwd } = folder;
  folder.write('mine.json', '{"mine": true}');
  for (const out of ['mine.json', '.'])
    expect(() => createResultsDirectory({ cwd, out, seed: '7', now: NOW })).toThrow(ResultsError);
  expect(createResultsDirectory({ cwd, out: 'empty', seed: '7', now: NOW })).toBe('empty');
  expect(createResultsDirectory({ cwd, out: 'empty', seed: '7', now: NOW })).toBe('empty');
});
