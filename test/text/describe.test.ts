import { expect, test } from 'vitest';
import { describeValue as described } from '../../src/text/errors.js';

test.each<[unknown, string]>([
  [null, 'null'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
  ['text', '"text"'],
  ['x'.repeat(80), `"${'x'.repeat(59)}`],
  [49.9, 'the number 49.9'],
  [true, 'the boolean true'],
  [undefined, 'undefined'],
  [() => 1, 'a function'],
])('describes %j as %j', (value, expected) => {
  expect(described(value)).toBe(expected);
});
