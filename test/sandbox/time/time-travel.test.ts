import { describe, expect, test } from 'vitest';
import { LAST_INSTANT_MS, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/contract/time.js';
import type { DueItem } from '../../../src/core/due.js';
import { peekDue } from '../../../src/core/due.js';
import { turns } from '../../helpers/delivery/attempts.js';
import { newCharge, settle, startSandbox, TestListener } from '../../helpers/sandbox/sandbox.js';
import { START_MS } from '../../helpers/core/world.js';

const ATTEMPT_SECONDS = [0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560];
const HELD = () => undefined;

describe('advancing the clock', () => {
  test('runs each attempt at its own time, and waits for it before it continues', async () => {
    const sandbox = startSandbox();
    const clockSeconds: number[] = [];
    const listener = new TestListener(sandbox, {
      status: () => {
        clockSeconds.push((sandbox.clock.now() - START_MS) / 1_000);
        expect(sandbox.epoch.openAttempts).toBe(1);
        return 500;
      },
    });
    settle(sandbox);
    const advanced = await sandbox.travel.advanceTo(START_MS + 45 * HOUR_MS);
    expect(clockSeconds).toEqual(ATTEMPT_SECONDS);
    expect(advanced).toEqual({
      from: START_MS,
      to: START_MS + 45 * HOUR_MS,
      steps: 7,
      finished: true,
    });
    expect(sandbox.clock.now()).toBe(START_MS + 45 * HOUR_MS);
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'FAILED', attempts: 8 }]);

    sandbox.dispatch({ type: 'delivery.retry', deliveryId: listener.received[0]?.delivery_id ?? '' });
    await sandbox.idle();
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'FAILED', attempts: 9 }]);
  });

  test('reports each step', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    settle(sandbox);
    await sandbox.idle();
    const made = newCharge(sandbox);
    const steps: DueItem[] = [];
    await sandbox.travel.advanceTo(START_MS + DAY_MS, { onStep: (due) => steps.push(due) });
    expect(steps).toEqual([{ at: START_MS + DAY_MS, kind: 'charge.expire', id: made.id }]);
    expect(sandbox.world.deliveries.rows).toHaveLength(2);
    expect(sandbox.world.deliveries.rows[1]?.status).toBe('DELIVERED');
    expect(listener.received).toHaveLength(2);
  });

  test('first waits for attempts in flight', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    const journey = sandbox.travel.advanceTo(START_MS + MINUTE_MS);
    await turns();
    expect(sandbox.clock.now()).toBe(START_MS);
    listener.answer(listener.received[0], 500);
    await turns();
    expect(sandbox.clock.now()).toBe(START_MS + MINUTE_MS);
    listener.answer(listener.received[1], 200);
    expect((await journey).steps).toBe(1);
  });

  test('runs what is due exactly at the target', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: () => 500 });
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + MINUTE_MS - 1);
    expect(listener.received).toHaveLength(1);
    await sandbox.travel.advanceTo(START_MS + MINUTE_MS);
    expect(listener.received).toHaveLength(2);
    expect(sandbox.isIdle()).toBe(true);
  });

  test('ends at nothing that becomes due beyond the year 9999', async () => {
    const sandbox = startSandbox({ freezeAt: LAST_INSTANT_MS - HOUR_MS });
    newCharge(sandbox);
    await expect(sandbox.travel.next()).rejects.toThrow('The clock cannot move past the year 9999.');
    expect(sandbox.clock.now()).toBe(LAST_INSTANT_MS - HOUR_MS);
  });

  test('yields to other work even without anything to wait for', async () => {
    const sandbox = startSandbox({ assume: { 'charge.lifetime': '1h' } });
    for (let count = 0; count < 1_000; count += 1) {
      newCharge(sandbox, `order-${count}`);
      await sandbox.travel.advanceTo(sandbox.clock.now() + 1);
    }
    let otherTurns = 0;
    let isTraveling = true;
    const other = () => {
      otherTurns += 1;
      if (isTraveling) setImmediate(other);
    };
    setImmediate(other);
    const { steps } = await sandbox.travel.advanceTo(START_MS + DAY_MS);
    isTraveling = false;
    expect(steps).toBe(1_000);
    expect(otherTurns).toBeGreaterThanOrEqual(3);
  });

  test('stops real time meanwhile, and then continues at the previous rate', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ freezeAt: undefined, realNow: () => real });
    const listener = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    const journey = sandbox.travel.advanceTo(START_MS + HOUR_MS);
    real += 5_000;
    await turns();
    expect([sandbox.clock.rate, sandbox.clock.now()]).toEqual([0, START_MS]);
    listener.answer(listener.received[0]);
    await journey;
    expect([sandbox.clock.rate, sandbox.clock.now()]).toEqual([1, START_MS + HOUR_MS]);
    real += 7;
    expect(sandbox.clock.now()).toBe(START_MS + HOUR_MS + 7);
  });
});

describe('one advance', () => {
  test('excludes another while it is running', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    const first = sandbox.travel.advanceTo(START_MS + HOUR_MS);
    expect(sandbox.travel.isInProgress).toBe(true);
    await expect(sandbox.travel.advanceTo(START_MS + HOUR_MS)).rejects.toMatchObject({ code: 'CLOCK_BUSY' });
    await expect(sandbox.travel.next()).rejects.toMatchObject({ code: 'CLOCK_BUSY' });
    listener.answer(listener.received[0]);
    expect((await first).finished).toBe(true);
    expect(sandbox.travel.isInProgress).toBe(false);
    await sandbox.travel.next();
  });

  test('one advance can be stopped between two steps, and leaves the clock where it was', async () => {
    const sandbox = startSandbox();
    const stopping = new AbortController();
    const listener = new TestListener(sandbox, {
      status: ({ attempt }) => {
        if (attempt === 3) stopping.abort();
        return 500;
      },
    });
    settle(sandbox);
    const advanced = await sandbox.travel.advanceTo(START_MS + 45 * HOUR_MS, { signal: stopping.signal });
    expect(advanced).toEqual({ from: START_MS, to: START_MS + 360_000, steps: 2, finished: false });
    expect(sandbox.clock.now()).toBe(START_MS + 360_000);
    expect([sandbox.travel.isInProgress, sandbox.isIdle()]).toEqual([false, true]);
    await sandbox.travel.advanceTo(START_MS + 45 * HOUR_MS);
    expect(listener.received).toHaveLength(8);
  });

  test('ends with its world when the sandbox is reset, and moves nothing of the new one', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, {
      status: ({ attempt }) => {
        if (attempt === 2) setImmediate(() => sandbox.reset());
        return attempt === 2 ? undefined : 500;
      },
    });
    settle(sandbox);
    const advanced = await sandbox.travel.advanceTo(START_MS + 45 * HOUR_MS);
    expect(advanced.finished).toBe(false);
    expect(listener.received).toHaveLength(2);
    expect(sandbox.clock.now()).toBe(START_MS);
    expect(sandbox.world.deliveries.rows).toEqual([]);
    expect((await sandbox.travel.advanceTo(START_MS + 1)).finished).toBe(true);
  });
});

describe('a receiver that sends a request during an advance', () => {
  test('gets an immediate response, at the time of the step, and its effects are on the way', async () => {
    const sandbox = startSandbox();
    const answers: { at: number; status: string }[] = [];
    const listener = new TestListener(sandbox, {
      events: ['pix.settled', 'withdrawal.failed'],
      status: ({ attempt, body }) => {
        const { type } = JSON.parse(Buffer.from(body, 'base64').toString()) as { type: string };
        if (type === 'pix.settled' && attempt === 2) {
          setImmediate(() => {
            const { withdrawal } = sandbox.dispatch({ type: 'trigger', event: 'withdrawal.failed' });
            answers.push({ at: sandbox.clock.now() - START_MS, status: withdrawal?.status ?? '' });
          });
        }
        return attempt === 1 ? 500 : 200;
      },
    });
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + HOUR_MS);
    expect(answers).toEqual([{ at: MINUTE_MS, status: 'FAILED' }]);
    const { rows } = sandbox.world.deliveries;
    expect(rows.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED']);
    expect(rows.map(({ log }) => log.map(({ startedAt }) => startedAt - START_MS))).toEqual([
      [0, MINUTE_MS],
      [MINUTE_MS, 2 * MINUTE_MS],
    ]);
    expect(listener.received).toHaveLength(4);
  });
});

describe('next', () => {
  test('jumps to the next due item, runs it, waits for it, and describes it', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: () => 500 });
    settle(sandbox);
    const { id } = sandbox.world.deliveries.rows[0] ?? { id: '' };
    const due = { at: START_MS + MINUTE_MS, kind: 'delivery.attempt', id };
    expect(await sandbox.travel.next()).toEqual(due);
    expect(sandbox.clock.now()).toBe(due.at);
    expect([listener.received.length, sandbox.isIdle()]).toEqual([2, true]);
    expect(peekDue(sandbox.world)?.at).toBe(START_MS + 6 * MINUTE_MS);
  });

  test('reports nothing of a world that was replaced meanwhile', async () => {
    const sandbox = startSandbox();
    const statuses = [500, undefined];
    const listener = new TestListener(sandbox, { status: () => statuses.shift() });
    settle(sandbox);
    await sandbox.idle();
    settle(sandbox);
    const journey = sandbox.travel.next();
    await turns();
    expect(listener.received).toHaveLength(2);
    sandbox.reset();
    expect(await journey).toBeUndefined();
    expect(sandbox.clock.now()).toBe(START_MS);
  });
});

test('ignores a jump past the year 9999', () => {
  const sandbox = startSandbox();
  sandbox.travel.jumpTo(LAST_INSTANT_MS);
  sandbox.travel.jumpTo(LAST_INSTANT_MS + 1);
  expect(sandbox.clock.now()).toBe(LAST_INSTANT_MS);
});
