import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../../../core/world.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import { awaitsAttempt } from '../../../sandbox/time/frozen-advance.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { untilAborted } from '../../../delivery/abort.js';

/** Real time that deliveries have to end after the command. */
export const DRAIN_MS = 15_000;
const POLL_MS = 20;

interface Draining {
  readonly sandbox: Sandbox;
  readonly stopping: AbortSignal;
  /** Whether retries that are due within the time left are awaited, too. */
  readonly awaitsRetries: boolean;
}

/** Resolves to true when nothing is in flight, to false on a timeout or a signal. */
export async function drained({ sandbox, stopping, awaitsRetries }: Draining): Promise<boolean> {
  const endedAt = sandbox.realNow();
  const giveUp = AbortSignal.any([stopping, AbortSignal.timeout(DRAIN_MS)]);
  try {
    for (;;) {
      await untilAborted(sandbox.idle(), giveUp);
      if (!awaitsRetries || !isRetryToCome(sandbox, endedAt)) break;
      await pause(POLL_MS, undefined, { signal: giveUp });
    }
  } catch {
    // What is still in flight is reported.
  }
  return sandbox.isIdle();
}

/** Whether an attempt met nobody because the receiver had ended with the command. */
export function isRefusedAfter({ result, realAt }: AttemptRecord, endedAt: number): boolean {
  return result.error === 'CONNECTION_REFUSED' && realAt >= endedAt;
}

/** Whether an attempt is due before the time is up, at a receiver that has not ended with the command. */
export function isRetryToCome(sandbox: Sandbox, endedAt: number): boolean {
  const { world, clock, records, openAttempts } = sandbox;
  if (openAttempts > 0 || awaitsAttempt(sandbox)) return true;
  if (clock.rate === 0 || world.deliveriesPaused) return false;
  const isGone = ({ id, attempts }: Delivery) => {
    const last = records.get(id, attempts);
    return last !== undefined && isRefusedAfter(last, endedAt);
  };
  const leftMs = endedAt + DRAIN_MS - sandbox.realNow();
  const lastAt = clock.now() + leftMs * clock.rate;
  return world.deliveries.rows.some(
    (delivery) => delivery.nextAttemptAt !== null && delivery.nextAttemptAt < lastAt && !isGone(delivery),
  );
}
