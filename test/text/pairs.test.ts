import { expect, test } from 'vitest';
import { readPairs } from '../../src/text/pairs.js';

test('a pair ends its key at the first equals sign', () => {
  expect(readPairs(['a=1', 'b=', 'c=x=y'])).toEqual({ values: { a: '1', b: '', c: 'x=y' } });
  expect(readPairs([])).toEqual({ values: {} });
});

test.each(['a', '=1', ''])('%j is not a pair', (text) => {
  expect(readPairs(['a=1', text])).toEqual({ problem: `takes key=value; got ${text}.` });
  expect(readPairs([text], 'name=URL')).toEqual({ problem: `takes name=URL; got ${text}.` });
});
