import type { Step } from '../effects.js';
import { remove, removeInPlace } from '../table.js';
import type { World } from '../world.js';

/** One part in this many goes at once, so that the tables are rebuilt once for many rows. */
const PARTS = 10;

/**
 * Drops the oldest finished deliveries beyond the cap, each event with its last delivery, and the oldest events beyond it that never
 * had one. PENDING deliveries stay, and so do payments and their ledger.
 */
export function dropOldest({ world, effects }: Step): void {
  const { deliveries, events, undelivered, endpoints, keepDeliveries } = world;
  const finished = finishedCount(world);
  if (finished <= keepDeliveries && undelivered.size <= keepDeliveries) return;
  const isFinished = ({ status }: { readonly status: string }) => status !== 'PENDING';
  const gone = new Set(deliveries.rows.filter(isFinished).slice(0, excess(finished, keepDeliveries)));
  const goneEvents = new Set(Array.from(gone, ({ event }) => event));
  remove(deliveries, gone);
  for (const endpoint of endpoints.values()) removeInPlace(endpoint.deliveries, (row) => gone.has(row));
  for (const { event } of deliveries.rows) goneEvents.delete(event);
  for (const event of [...undelivered].slice(0, excess(undelivered.size, keepDeliveries)))
    goneEvents.add(event);
  for (const event of goneEvents) undelivered.delete(event);
  remove(events, goneEvents);
  const inOrder = [...goneEvents].sort((a, b) => a.ordinal - b.ordinal);
  effects.push({ type: 'dropped', deliveries: [...gone], events: inOrder });
}

/** How many deliveries are DELIVERED or FAILED. */
export function finishedCount({ deliveries: { rows, counts } }: World): number {
  return rows.length - (counts.get('PENDING') ?? 0);
}

/** How many rows go: none up to the cap, and then enough to make room for further ones. */
function excess(count: number, cap: number): number {
  return count <= cap ? 0 : count - cap + Math.floor(cap / PARTS);
}

/** What a message about an unknown event or delivery adds once rows were dropped; empty before that. */
export function droppedHint({
  eventCount,
  events,
  deliveryCount,
  deliveries,
  keepDeliveries,
}: World): string {
  if (eventCount === events.rows.length && deliveryCount === deliveries.rows.length) return '';
  return `It may have been dropped: the sandbox keeps ${keepDeliveries} finished deliveries, and \`npx sandbox start --keep-deliveries N\` keeps more. `;
}
