import { expect, test } from 'vitest';
import { problemOfOut, writeBadDays } from '../../../src/explore/report/bad-day-files.js';
import type { Finding } from '../../../src/explore/explore.js';
import { BROKEN } from '../../helpers/explore/fake-runner.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const FAULTS = [{ on: 'delivery', action: 'duplicate', event: 'pix.settled', code: 'order-1', copies: 1 }];
const FINDING: Finding = {
  faults: FAULTS,
  kinds: ['duplicate'],
  class: 'promised',
  failure: BROKEN,
  confirmed: '3/3',
  trace: [],
  runs: 1,
};
const FINDINGS = {
  seed: '7',
  findings: [FINDING, { ...FINDING, failure: { ...BROKEN, name: 'another' } }],
};

test('bad days are written over those of an earlier search, and over none else', () => {
  using folder = tempFolder();
  const { path } = folder;
  expect(writeBadDays(path, 'x.json', FINDINGS)).toEqual(['x.json', 'x-2.json']);
  expect(JSON.parse(folder.read('x-2.json').toString())).toEqual({
    about: 'Found by sandbox explore: pix.settled of order-1 comes twice: another',
    seed: '7',
    faults: FAULTS,
  });
  expect(problemOfOut(path, 'x.json')).toBeUndefined();
  folder.write('x-2.json', '{"mine": true}');
  expect(writeBadDays(path, 'x.json', FINDINGS)).toEqual(['x.json', 'x-3.json']);
  expect(folder.read('x-2.json').toString()).toBe('{"mine": true}');
  expect(writeBadDays(path, 'day', FINDINGS)).toEqual(['day', 'day-2']);
});

test('a file of something else, and a folder that is not there, are named', () => {
  using folder = tempFolder();
  for (const text of ['{"mine": true}', 'null', 'no JSON', '']) {
    folder.write('mine.json', text);
    expect(problemOfOut(folder.path, 'mine.json')).toContain(
      'mine.json exists, and explore did not write it',
    );
  }
  expect(problemOfOut(folder.path, 'nowhere/x.json')).toBe('The folder of nowhere/x.json does not exist.');
});
