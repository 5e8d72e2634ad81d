import { describe, expect, test } from 'vitest';
import type { Effect } from '../../src/core/effects.js';
import { DAY_MS } from '../../src/contract/time.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { newCharge, startSandbox } from '../helpers/sandbox/sandbox.js';
import { START_MS } from '../helpers/core/world.js';

/** So fast that the longest wait of the sandbox is a millisecond of a real timer. */
const VERY_FAST = 100_000_000;

/** The next effects of this type, without anybody else doing anything. */
function nextOf(sandbox: Sandbox, type: Effect['type']): Promise<number> {
  return new Promise((resolve) => {
    const leave = sandbox.subscribe((effects, at) => {
      if (!effects.some((effect) => effect.type === type)) return;
      leave();
      resolve(at);
    });
  });
}

describe('the timer', () => {
  test('runs due items at their time, without a command', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ freezeAt: undefined, realNow: () => real });
    sandbox.setRate(VERY_FAST);
    const { expiresAt } = newCharge(sandbox, 'one');
    const expired = nextOf(sandbox, 'event');
    real += 1;
    expect(await expired).toBe(expiresAt - DAY_MS + VERY_FAST);
    expect(sandbox.world.events.rows[0]?.at).toBe(expiresAt);
  });

  test('waits longer if it fires early, because real time stopped', async () => {
    let real = START_MS;
    let reads = 0;
    const sandbox = startSandbox({
      freezeAt: undefined,
      realNow: () => {
        reads += 1;
        // Real time moves on only after the timer has looked at it in vain a few times.
        if (reads > 60) real = START_MS + 1;
        return real;
      },
    });
    sandbox.setRate(VERY_FAST);
    const { id } = newCharge(sandbox, 'one');
    await nextOf(sandbox, 'event');
    expect(sandbox.world.charges.byId.get(id)?.status).toBe('EXPIRED');
    expect(reads).toBeGreaterThan(60);
  });

  test('pauses while time is frozen, and resumes with it', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ realNow: () => real });
    const { expiresAt } = newCharge(sandbox, 'one');
    real += 2 * DAY_MS;
    sandbox.dispatch({ type: 'clock.tick' });
    expect([sandbox.clock.now(), sandbox.world.events.rows.length]).toEqual([START_MS, 0]);
    sandbox.setRate(VERY_FAST);
    const expired = nextOf(sandbox, 'event');
    real += 1;
    await expired;
    expect(sandbox.world.events.rows[0]?.at).toBe(expiresAt);
  });

  test('serves the world after a reset', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ freezeAt: undefined, realNow: () => real });
    newCharge(sandbox, 'before');
    sandbox.reset();
    sandbox.setRate(VERY_FAST);
    const { id } = newCharge(sandbox, 'after');
    const expired = nextOf(sandbox, 'event');
    real += 1;
    await expired;
    expect(sandbox.world.events.rows).toMatchObject([{ resource: { id, code: 'after' } }]);
  });
});
