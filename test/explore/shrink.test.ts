import { expect, test } from 'vitest';
import type { PlannedFault } from '../../src/explore/explore.js';
import { shrinkFaults } from '../../src/explore/search.js';

const fault = (nth: number): PlannedFault => ({ action: 'lose-answer', nth });
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8].map(fault);

function needs(...wanted: readonly number[]) {
  return (faults: readonly PlannedFault[]) =>
    Promise.resolve(wanted.every((nth) => faults.some((one) => one.nth === nth)));
}

test.for([[1], [8], [2, 7], [1, 4, 8], [3, 4], [1, 2, 3, 4, 5, 6, 7, 8]])(
  'reduces eight faults to the necessary ones: %j',
  async (wanted) => {
    const smallest = await shrinkFaults(EIGHT, needs(...wanted));
    expect(smallest.map(({ nth }) => nth)).toEqual(wanted);
  },
);

test('reduces copies, and sends them sequentially if that is sufficient', async () => {
  const race: PlannedFault = { action: 'duplicate', copies: 3, parallel: true };
  expect(await shrinkFaults([race], () => Promise.resolve(true))).toEqual([
    { action: 'duplicate', copies: 1 },
  ]);
  const still = ([one]: readonly PlannedFault[]) => Promise.resolve(one?.parallel === true);
  expect(await shrinkFaults([race], still)).toEqual([{ action: 'duplicate', copies: 1, parallel: true }]);
  expect(await shrinkFaults([race], () => Promise.resolve(false))).toEqual([race]);
});
