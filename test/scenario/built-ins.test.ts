import { expect, test } from 'vitest';
import { BUILT_INS, failureOf, runFresh, scenarioOf } from '../helpers/scenario/scenarios.js';

test('there is one for each thing that an integrator has to get right', () => {
  expect([...BUILT_INS.keys()].sort()).toEqual([
    'duplicate-and-out-of-order',
    'event-before-response',
    'expired',
    'failed',
    'identity-approved',
    'identity-rejected',
    'identity-reviewed',
    'lost-response',
    'paid',
    'paid-late',
    'retries-to-dead-letter-and-recovery',
    'rotation',
    'withdrawal-rejected',
    'withdrawal-returned',
    'withdrawal-settled',
  ]);
});

test.each([...BUILT_INS])(
  '%s holds on a fresh sandbox, and says in a sentence what it shows',
  async (_, text) => {
    expect(scenarioOf(text).description).toMatch(/^[A-Z].*\.$/);
    const outcome = await runFresh(text);
    expect(failureOf(outcome)).toBeUndefined();
    expect(outcome).toMatchObject({ passed: true, notes: [] });
  },
);
