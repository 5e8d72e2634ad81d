import { expect, test } from 'vitest';
import { percentile } from '../../../src/cli/commands/trigger.js';

test.each<[number[], number, number | undefined]>([
  [[], 50, undefined],
  [[7], 0, 7],
  [[7], 99, 7],
  [[3, 1, 2], 50, 2],
  [[1, 2, 3, 4], 50, 2],
  [[1, 2, 3, 4], 51, 3],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 95, 10],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 90, 9],
  [[1, 2], 100, 2],
])('of %j, the %i th is %s', (numbers, percent, expected) => {
  const before = [...numbers];
  expect(percentile(numbers, percent)).toBe(expected);
  expect(numbers).toEqual(before);
});
