import { expect, test } from 'vitest';
import { DAY_MS } from '../../../src/contract/time.js';
import { waitForMilestone } from '../../../src/http/shared/wait-for-milestone.js';
import { listenTo, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

test('counts a first outcome although the second attempt starts at the same time', async () => {
  const sandbox = startSandbox();
  const listener = listenTo(sandbox, { schedule: 'fast', status: () => undefined });
  settle(sandbox);
  const { rows } = sandbox.world.deliveries;
  const reached = waitForMilestone(sandbox, rows, 'attempted', DAY_MS);
  sandbox.clock.jumpTo(sandbox.clock.now() + 500);
  listener.answer(listener.received[0], 500);
  while (listener.received.length < 2) await new Promise(setImmediate);
  expect(rows).toMatchObject([{ attempts: 2, inFlight: true }]);
  expect(await waitForMilestone(sandbox, rows, 'attempted', 0)).toBe(true);
  expect(await reached).toBe(true);
});
