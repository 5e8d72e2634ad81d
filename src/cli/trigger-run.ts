import { setTimeout as pause } from 'node:timers/promises';
import type { ControlClient } from '../client/control-client.js';
import type { DeliveryLine, EventLine } from '../http/control/schema.js';

/** What came of one or many triggers. */
export interface Triggered {
  /** Whether every delivery came as far as was wanted, within the time. */
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

export interface Burst {
  /** The body of `POST trigger`, without how often and how long. */
  readonly body: object;
  readonly count: number;
  /** Events in a second of real time; undefined makes them all at once. */
  readonly rate: number | undefined;
  readonly until: 'attempted' | 'ended';
  readonly timeout: string;
  readonly signal: AbortSignal;
  readonly onProgress: (made: number) => void;
}

/** Real time between two portions of a burst with a rate. */
const TICK_MS = 100;

/** Makes the events, all at once or at a rate, and waits until their deliveries have come so far. */
export async function runBurst(client: ControlClient, burst: Burst): Promise<Triggered> {
  const { body, count, rate, until, timeout, signal } = burst;
  if (rate === undefined) {
    return client.post<Triggered>('trigger', { ...body, ...counted(count), until, timeout }, signal);
  }
  const made = await atRate(client, burst, rate);
  const ids = made.deliveries.map(({ id }) => id);
  const waited = await client.post<Omit<Triggered, 'events'>>(
    'deliveries/until',
    { ids, until, timeout },
    signal,
  );
  return { events: made.events, ...waited };
}

function counted(count: number): { count?: number } {
  return count === 1 ? {} : { count };
}

async function atRate(client: ControlClient, { body, count, signal, onProgress }: Burst, rate: number) {
  const events: EventLine[] = [];
  const deliveries: DeliveryLine[] = [];
  const startedAt = performance.now();
  while (events.length < count && !signal.aborted) {
    const dueNow = Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1;
    const portion = Math.min(dueNow, count) - events.length;
    if (portion > 0) {
      const made = await client.post<Triggered>('trigger', { ...body, ...counted(portion) }, signal);
      events.push(...made.events);
      deliveries.push(...made.deliveries);
      onProgress(events.length);
    }
    if (events.length < count) await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
  }
  return { events, deliveries };
}
