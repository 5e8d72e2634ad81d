import { expect, test } from 'vitest';
import { CORE_VERSION, computeCoreVersion } from '../../src/contract/core-version.js';
import { RETRY_SCHEDULES } from '../../src/contract/limits.js';
import { MOVES } from '../../src/contract/transitions.js';

test('a changed retry schedule, move or event changes the core version, a changed text does not', () => {
  const versionWith = (change: object, schedules: object = RETRY_SCHEDULES) =>
    computeCoreVersion(schedules, { ...MOVES, charge: { ...MOVES.charge, ...change } });
  expect(versionWith({ expire: { ...MOVES.charge.expire, label: 'too late' } })).toBe(CORE_VERSION);
  const late = { expire: { ...MOVES.charge.expire, event: 'pix.late' } };
  const others = [versionWith(late), versionWith({ cancel: {} }), versionWith({}, { off: [1] })];
  expect(new Set([CORE_VERSION, ...others]).size).toBe(4);
});
