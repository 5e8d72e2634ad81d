import { expect, test } from 'vitest';
import { atMostEvery } from '../../../src/cli/terminal/when.js';

test('passes on at most one report in an interval', () => {
  let now = 0;
  const shown: number[] = [];
  const report = atMostEvery<number>(
    1_000,
    () => now,
    (value) => shown.push(value),
  );
  for (now = 0; now < 3_500; now += 100) report(now);
  expect(shown).toEqual([1_000, 2_000, 3_000]);
});
