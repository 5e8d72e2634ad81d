import { expect, test } from 'vitest';
import { reportOf, textAt } from './report.js';

const place = (line, column) => ({ line, column });
const location = { start: place(4, 2), end: place(4, 7) };
const mutant = { fileName: 'src/b.ts', mutatorName: 'EqualityOperator', replacement: 'a <= b', location };
const ended = (status, changes = {}) => ({
  status,
  mutant: { ...mutant, ...changes },
  original: 'a < b',
});

test('a report shows what nothing noticed, in the order of the code, and counts all', () => {
  const text = reportOf([
    ended('Survived'),
    ended('Killed'),
    ended('Timeout'),
    ended('Killed'),
    ended('RuntimeError'),
    ended('NoCoverage', { fileName: 'src/a.ts', replacement: '{}\n' }),
  ]);
  expect(text.split('\n')).toEqual([
    'src/a.ts:5:3 EqualityOperator not covered',
    '  - a < b',
    '  + {}',
    '  + ',
    '',
    'src/b.ts:5:3 EqualityOperator survived',
    '  - a < b',
    '  + a <= b',
    '',
    '6 mutants: 2 killed, 1 timed out, 1 survived, 1 not covered, 1 failed to run; score 60.0 %',
  ]);
});

test('a report without a mutant that could run has no score', () => {
  expect(reportOf([ended('RuntimeError')])).toContain('1 failed to run; no score');
});

test.each([
  [place(0, 1), place(0, 3), 'bc'],
  [place(0, 3), place(2, 2), 'd\nefgh\nij'],
  [place(1, 0), place(1, 4), 'efgh'],
])('the text from %j to %j', (start, end, text) => {
  expect(textAt('abcd\nefgh\nijkl\n', { start, end })).toBe(text);
});
