import { expect, test } from 'vitest';
import { DRAIN_MS, hasRetryAhead } from '../../../../src/cli/commands/exec/exec-sandbox.js';
import { createFailedAttempt } from '../../../../src/delivery/attempt-failure.js';
import { START_MS } from '../../../helpers/core/world.js';
import { turns } from '../../../helpers/delivery/attempts.js';
import { listenTo, settle, startSandbox } from '../../../helpers/sandbox/sandbox.js';

/** A sandbox whose clock runs as `real.ms` says, with a delivery whose first attempt has failed. */
async function withRetry(schedule: 'real' | 'fast' | 'off', rate = 1) {
  const real = { ms: START_MS };
  const sandbox = startSandbox({ realNow: () => real.ms });
  sandbox.setRate(rate);
  const listener = listenTo(sandbox, { schedule, status: () => undefined });
  settle(sandbox);
  await turns();
  expect(hasRetryAhead(sandbox, real.ms)).toBe(true);
  listener.answer(listener.received[0], 500);
  await turns();
  return { sandbox, listener, real };
}

test.each([
  ['fast', 1, true],
  ['fast', 0, true],
  ['real', 1, false],
  ['real', 100, true],
  ['off', 1, false],
] as const)(
  'after a failure under %s retries and speed %i, awaits a retry: %s',
  async (schedule, rate, isToCome) => {
    const { sandbox, real } = await withRetry(schedule, rate);
    expect(hasRetryAhead(sandbox, real.ms)).toBe(isToCome);
  },
);

test('does not await a retry with too little time left', async () => {
  const { sandbox, real } = await withRetry('fast');
  expect(hasRetryAhead(sandbox, real.ms - DRAIN_MS + 501)).toBe(true);
  expect(hasRetryAhead(sandbox, real.ms - DRAIN_MS + 500)).toBe(false);
});

test('does not await a retry while deliveries are paused', async () => {
  const { sandbox, real } = await withRetry('fast');
  sandbox.dispatch({ type: 'deliveries.pause' });
  expect(hasRetryAhead(sandbox, real.ms)).toBe(false);
});

test('does not await a retry to a receiver that ended with the command', async () => {
  const { sandbox, listener, real } = await withRetry('fast');
  const endedAt = real.ms;
  real.ms += 500;
  sandbox.dispatch({ type: 'clock.tick' });
  await turns();
  const refused = createFailedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED');
  sandbox.listeners.reply(listener.endpoint.id, listener.received[1]?.attempt_id ?? '', refused);
  await turns();
  expect(hasRetryAhead(sandbox, endedAt + 501)).toBe(true);
  expect(hasRetryAhead(sandbox, endedAt)).toBe(false);
});
