import { expect, test } from 'vitest';
import { exactNumber } from '../../src/text/overrides.js';

test.each([
  ['0', 0],
  ['-1', -1],
  ['10', 10],
  ['49.90', 49.9],
  ['1e3', 1000],
  ['1E+3', 1000],
  ['1e-3', 0.001],
  ['9007199254740992', 2 ** 53],
])('%s is a number', (text, expected) => {
  expect(exactNumber(text)).toBe(expected);
});

test.each([
  '',
  '01',
  '-',
  '+1',
  '1.',
  '.5',
  '1e',
  '0x10',
  ' 1',
  '1 ',
  '1a',
  'a1',
  '1e999',
  '9007199254740993',
])('%j is none, or would be rounded', (text) => {
  expect(exactNumber(text)).toBeUndefined();
});
