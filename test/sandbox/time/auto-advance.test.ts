import { describe, expect, test } from 'vitest';
import { isAwaitingAttempt, skipWaits } from '../../../src/sandbox/time/auto-advance.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { START_MS } from '../../helpers/core/world.js';
import { turns } from '../../helpers/delivery/attempts.js';
import { listenTo, newCharge, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

/** Looks as often as 20 polls would. */
async function poll(sandbox: Sandbox): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    if (isAwaitingAttempt(sandbox)) sandbox.advanceToNextAttempt();
    await turns();
  }
}

describe('a frozen clock', () => {
  test('moves from attempt to attempt, each at its time', async () => {
    const sandbox = startSandbox();
    const listener = listenTo(sandbox, { schedule: 'fast', status: () => 500 });
    settle(sandbox);
    await poll(sandbox);
    const [delivery] = sandbox.world.deliveries.rows;
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 8 });
    const instants = delivery?.log.map(({ startedAt }) => startedAt - START_MS);
    expect(instants).toEqual([0, 500, 1_500, 3_000, 5_000, 8_000, 11_000, 15_000]);
    expect(listener.received).toHaveLength(8);
    await poll(sandbox);
    expect(sandbox.clock.now()).toBe(START_MS + 15_000);
  });

  test('waits for an attempt in flight', async () => {
    const sandbox = startSandbox();
    const listener = listenTo(sandbox, { schedule: 'fast', status: () => undefined });
    settle(sandbox);
    settle(sandbox);
    await turns();
    listener.answer(listener.received[0], 500);
    await poll(sandbox);
    expect(sandbox.clock.now()).toBe(START_MS);
    listener.answer(listener.received[1], 200);
    await poll(sandbox);
    expect(sandbox.clock.now()).toBe(START_MS + 500);
  });

  test('a frozen clock does not pass the expiry of a charge', async () => {
    const sandbox = startSandbox();
    listenTo(sandbox, { status: () => 500 });
    const charge = newCharge(sandbox);
    settle(sandbox);
    await poll(sandbox);
    expect(sandbox.world.deliveries.rows[0]).toMatchObject({ status: 'PENDING', attempts: 7 });
    expect(sandbox.world.charges.byId.get(charge.id)?.status).toBe('PENDING');
  });

  test('a frozen clock is not moved while deliveries are paused, while it runs, and during an advance', async () => {
    const sandbox = startSandbox();
    listenTo(sandbox, { schedule: 'fast', status: () => 500 });
    settle(sandbox);
    await turns();
    expect(isAwaitingAttempt(sandbox)).toBe(true);
    sandbox.dispatch({ type: 'deliveries.pause' });
    await poll(sandbox);
    expect(sandbox.clock.now()).toBe(START_MS);
    sandbox.dispatch({ type: 'deliveries.resume' });
    const journey = sandbox.travel.advanceTo(START_MS + 100);
    expect(isAwaitingAttempt(sandbox)).toBe(false);
    await journey;
    expect(isAwaitingAttempt(sandbox)).toBe(true);
    sandbox.setRate(1);
    expect(isAwaitingAttempt(sandbox)).toBe(false);
  });
});

test('is idle after the retries if waits are skipped, and otherwise before them', async () => {
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

test('does not wait for items behind the expiry of a charge, or for paused deliveries', async () => {
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
