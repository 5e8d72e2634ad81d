import { setTimeout as pause } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import type { Given } from '../../../client/route-types.js';
import type { Reached, Routes, Triggered } from '../../../client/routes.js';
import { LIMITS } from '../../../contract/limits.js';
import type { DeliveryLine, EventLine } from '../../../http/control/schema.js';
import type { Duration } from '../../program/options.js';

export interface Burst {
  /** The body of `POST trigger`, without count and timeout. */
  readonly body: Given<Routes, 'POST trigger'>['body'];
  readonly count: number;
  /** Events per second of real time; undefined creates them all at once. */
  readonly rate: number | undefined;
  readonly until: 'attempted' | 'ended';
  readonly timeout: Duration;
  readonly signal: AbortSignal;
  readonly onProgress: (made: number) => void;
}

/** Real time between two batches of a burst with a rate. */
const TICK_MS = 100;

/** Creates the events, all at once or at a rate, and waits until their deliveries reach `until`. */
export async function runBurst(client: ControlClient, burst: Burst): Promise<Triggered> {
  const { body, count, rate, until, timeout, signal } = burst;
  if (rate === undefined) {
    const wanted = { ...body, ...counted(count), until, timeout: timeout.text };
    return client.post('trigger', { body: wanted, signal });
  }
  const { events, deliveries } = await atRate(client, burst, rate);
  return { events, ...(await waitFor(client, deliveries, burst)) };
}

/** Waits for deliveries, in batches of as many as one request may name. */
async function waitFor(
  client: ControlClient,
  deliveries: readonly DeliveryLine[],
  { until, timeout, signal }: Burst,
): Promise<Reached> {
  const endsAt = performance.now() + timeout.ms;
  const waited: DeliveryLine[] = [];
  let isReached = true;
  for (let first = 0; first < deliveries.length; first += LIMITS.triggerCount) {
    const ids = deliveries.slice(first, first + LIMITS.triggerCount).map(({ id }) => id);
    const leftMs = Math.max(Math.ceil(endsAt - performance.now()), 0);
    const body = { ids, until, timeout: `${leftMs}ms` };
    const answer = await client.post('deliveries/until', { body, signal });
    waited.push(...answer.deliveries);
    isReached &&= answer.reached;
  }
  return { reached: isReached, deliveries: waited };
}

function counted(count: number): { count?: number } {
  return count === 1 ? {} : { count };
}

async function atRate(client: ControlClient, { body, count, signal, onProgress }: Burst, rate: number) {
  const events: EventLine[] = [];
  const deliveries: DeliveryLine[] = [];
  const startedAt = performance.now();
  let made = 0;
  while (made < count) {
    const dueNow = Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1;
    const portion = Math.min(dueNow - made, count - made, LIMITS.triggerCount);
    if (portion > 0) {
      const answer = await client.post('trigger', { body: { ...body, ...counted(portion) }, signal });
      made += portion;
      events.push(...answer.events);
      deliveries.push(...answer.deliveries);
      onProgress(made);
    }
    if (made < count) await pause(TICK_MS, undefined, { signal });
  }
  return { events, deliveries };
}
