import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/contract/time.js';
import { waitForMilestone } from '../../src/http/shared/wait-for-milestone.js';
import { listenTo, newCharge, settle, startSandbox } from '../helpers/sandbox/sandbox.js';
import { START_MS } from '../helpers/core/world.js';

const HELD = () => undefined;

describe('paused deliveries', () => {
  test('paused deliveries are neither in flight nor due, so the sandbox is idle', async () => {
    const sandbox = startSandbox();
    const listener = listenTo(sandbox);
    sandbox.dispatch({ type: 'deliveries.pause' });
    settle(sandbox);
    expect(sandbox.isIdle()).toBe(true);
    await sandbox.idle();
    expect(listener.received).toEqual([]);
    sandbox.dispatch({ type: 'deliveries.resume' });
    expect(sandbox.isIdle()).toBe(false);
    await sandbox.idle();
    expect(listener.received).toHaveLength(1);
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'DELIVERED' }]);
  });

  test('paused deliveries are passed by the clock, and other due items run', async () => {
    const sandbox = startSandbox();
    const listener = listenTo(sandbox);
    sandbox.dispatch({ type: 'deliveries.pause' });
    settle(sandbox);
    const charge = newCharge(sandbox);
    const advanced = await sandbox.travel.advanceTo(START_MS + 2 * DAY_MS);
    expect(advanced.finished).toBe(true);
    expect(charge.status).toBe('EXPIRED');
    expect(await sandbox.travel.next()).toBeUndefined();
    sandbox.dispatch({ type: 'deliveries.resume' });
    await sandbox.idle();
    expect(listener.received.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(sandbox.world.deliveries.rows.map(({ deliveredAt }) => deliveredAt)).toEqual([
      START_MS + 2 * DAY_MS,
      START_MS + 2 * DAY_MS,
    ]);
  });

  test('paused deliveries complete an attempt in flight, whose retry waits', async () => {
    const sandbox = startSandbox();
    const listener = listenTo(sandbox, { status: HELD });
    settle(sandbox);
    sandbox.dispatch({ type: 'deliveries.pause' });
    expect(sandbox.epoch.openAttempts).toBe(1);
    listener.answer(listener.received[0], 500);
    await sandbox.travel.advanceTo(START_MS + HOUR_MS);
    expect(listener.received).toHaveLength(1);
    expect(sandbox.epoch.openAttempts).toBe(0);
  });

  test('paused deliveries never block waiting for a first attempt', async () => {
    const sandbox = startSandbox();
    listenTo(sandbox, { status: HELD });
    settle(sandbox);
    const [open] = sandbox.world.deliveries.rows;
    sandbox.dispatch({ type: 'deliveries.pause' });
    settle(sandbox);
    const all = sandbox.world.deliveries.rows;
    const waiting = waitForMilestone(sandbox, all, 'attempted', DAY_MS);
    sandbox.dispatch({
      type: 'delivery.attempted',
      deliveryId: open?.id ?? '',
      number: 1,
      status: 200,
      error: null,
    });
    expect(await waiting).toBe(false);
    expect(await waitForMilestone(sandbox, all.slice(1), 'attempted', DAY_MS)).toBe(false);
  });

  test('paused deliveries resume at a reset', async () => {
    const sandbox = startSandbox();
    sandbox.dispatch({ type: 'deliveries.pause' });
    sandbox.reset();
    const listener = listenTo(sandbox);
    settle(sandbox);
    await sandbox.idle();
    expect(listener.received).toHaveLength(1);
  });
});
