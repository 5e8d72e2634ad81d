import { expect, test } from 'vitest';
import { skipWaits } from '../../../src/sandbox/time/quiet-advance.js';
import { START_MS } from '../../helpers/core/world.js';
import { turns } from '../../helpers/delivery/attempts.js';
import { listenTo, newCharge, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

test('where waits are skipped, idle comes after the retries, and else before them', async () => {
  const sandbox = startSandbox();
  const listener = listenTo(sandbox, { status: () => (listener.received.length < 3 ? 500 : 200) });
  settle(sandbox);
  await sandbox.idle();
  expect(listener.received).toHaveLength(1);
  {
    using _skipping = skipWaits(sandbox);
    expect(sandbox.isIdle()).toBe(false);
    await sandbox.idle();
    expect(listener.received).toHaveLength(3);
    expect(sandbox.clock.now()).toBe(START_MS + 6 * 60_000);
  }
  expect(sandbox.isIdle()).toBe(true);
});

test('idleness waits neither for what lies behind the expiry of a charge, nor while deliveries are paused', async () => {
  const sandbox = startSandbox();
  listenTo(sandbox, { status: () => 500 });
  using _skipping = skipWaits(sandbox);
  const charge = newCharge(sandbox);
  settle(sandbox);
  await sandbox.idle();
  expect(sandbox.world.deliveries.rows[0]).toMatchObject({ status: 'PENDING', attempts: 7 });
  expect(sandbox.world.charges.byId.get(charge.id)?.status).toBe('PENDING');
  settle(sandbox);
  sandbox.dispatch({ type: 'deliveries.pause' });
  await turns();
  expect(sandbox.isIdle()).toBe(true);
});
