import { expect, test } from 'vitest';
import { CORE_VERSION, coreVersionWith } from '../../src/contract/core-version.js';
import { RETRY_SCHEDULES } from '../../src/contract/limits.js';
import { MOVES } from '../../src/contract/transitions.js';

const { expire } = MOVES.charge;

test.each<[string, ...Parameters<typeof coreVersionWith>]>([
  ['a step of a retry schedule', { ...RETRY_SCHEDULES, off: [1] }, MOVES],
  [
    'an event',
    RETRY_SCHEDULES,
    { ...MOVES, charge: { ...MOVES.charge, expire: { ...expire, event: 'pix.late' } } },
  ],
  ['a move', RETRY_SCHEDULES, { ...MOVES, charge: { ...MOVES.charge, cancel: expire } }],
])('a change of %s makes another version of the core', (_, schedules, moves) => {
  const changed = coreVersionWith(schedules, moves);
  expect(changed).not.toBe(CORE_VERSION);
  expect(Number.isSafeInteger(changed)).toBe(true);
});

test('another text of a move is the same version of the core', () => {
  const charge = { ...MOVES.charge, expire: { ...expire, label: 'too late' } };
  expect(coreVersionWith(RETRY_SCHEDULES, { ...MOVES, charge })).toBe(CORE_VERSION);
});
