import type { Step } from '../effects.js';
import { keepOthers, remove } from '../table.js';
import type { AnnouncedEvent, Delivery, World } from '../world.js';

/** One part in this many goes at once, so that the tables are gone through once for many rows. */
const PARTS = 10;

/**
 * Drops the oldest finished deliveries beyond what is kept, each event with its last delivery, and the oldest events that never had
 * one. What is PENDING stays, and so do payments and their ledger.
 */
export function dropOldest(step: Step): void {
  const { world } = step;
  const most = world.keepDeliveries ?? Infinity;
  const tooMany = excess(finishedCount(world), most);
  const deliveries = tooMany === 0 ? [] : dropDeliveries(world, tooMany);
  const bare = first(world.undelivered, excess(world.undelivered.size, most));
  if (deliveries.length + bare.length === 0) return;
  const events = dropEvents(world, [...withoutDelivery(world, deliveries), ...bare]);
  step.effects.push({ type: 'dropped', deliveries, events });
}

/** How many deliveries are DELIVERED or FAILED. */
export function finishedCount({ deliveries: { rows, counts } }: World): number {
  return rows.length - (counts.get('PENDING') ?? 0);
}

/** How many are to go: none up to the most, and then enough to make room for further ones. */
function excess(count: number, most: number): number {
  return count <= most ? 0 : count - most + Math.floor(most / PARTS);
}

function first<Row>(rows: Iterable<Row>, count: number): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (found.length === count) break;
    found.push(row);
  }
  return found;
}

function dropDeliveries(world: World, count: number): Delivery[] {
  const dropped = new Set<Delivery>();
  for (const delivery of world.deliveries.rows) {
    if (dropped.size === count) break;
    if (delivery.status !== 'PENDING') dropped.add(delivery);
  }
  remove(world.deliveries, dropped);
  for (const { deliveries } of world.endpoints.values()) keepOthers(deliveries, dropped);
  return [...dropped];
}

/** The events of dropped deliveries that have no other. */
function withoutDelivery(world: World, dropped: readonly Delivery[]): Set<AnnouncedEvent> {
  const events = new Set(dropped.map(({ event }) => event));
  if (events.size > 0) for (const { event } of world.deliveries.rows) events.delete(event);
  return events;
}

function dropEvents(world: World, events: readonly AnnouncedEvent[]): AnnouncedEvent[] {
  const dropped = new Set(events);
  for (const event of dropped) world.undelivered.delete(event);
  remove(world.events, dropped);
  return events.toSorted((a, b) => a.ordinal - b.ordinal);
}
