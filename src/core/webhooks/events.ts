import { addDelivery, isDisconnected } from './deliveries.js';
import type { ApplyStep } from '../effects.js';
import { createEventId, computeHash128, toHex } from '../ids.js';
import { requireRow } from '../named-rows.js';
import type { EventType } from '../../contract/enums.js';
import type { ExtraMessage } from '../../contract/fault-kinds.js';
import type { AnnouncedEvent, Charge, Delivery, Endpoint, Withdrawal, World } from '../world.js';
import { insertRow } from '../table.js';

/**
 * Creates an event, and a delivery for each of the application's active, connected endpoints that subscribe
 * to the event (§6).
 */
export function announceEvent(
  step: ApplyStep,
  type: EventType,
  resource: Charge | Withdrawal,
): AnnouncedEvent {
  const { world, now, overriding } = step;
  const ordinal = world.eventCount;
  world.eventCount += 1;
  const event = insertRow<AnnouncedEvent>(world.events, {
    ordinal,
    id: createEventId(world, ordinal),
    at: now,
    type,
    resource,
    ...(overriding?.type === type ? { overrides: overriding.overrides } : {}),
  } as AnnouncedEvent);
  step.effects.push({ type: 'event', event });
  if (deliverToAll(step, event).length === 0) world.undelivered.add(event);
  return event;
}

function deliverToAll(step: ApplyStep, event: AnnouncedEvent, endpointId?: string): Delivery[] {
  const deliveries: Delivery[] = [];
  for (const endpoint of step.world.endpoints.values()) {
    if (endpointId !== undefined && endpoint.id !== endpointId) continue;
    if (wants(endpoint, event)) deliveries.push(addDelivery(step, endpoint, event));
  }
  return deliveries;
}

function wants(endpoint: Endpoint, event: AnnouncedEvent): boolean {
  return (
    endpoint.status === 'ACTIVE' &&
    !isDisconnected(endpoint) &&
    endpoint.appId === event.resource.appId &&
    endpoint.events.includes(event.type)
  );
}

/** Resends an event, with the same id, to all currently subscribed endpoints or to one of them. */
export function resendEvent(step: ApplyStep, eventId: string, endpointId?: string): Delivery[] {
  const event = findEvent(step.world, eventId);
  const deliveries = deliverToAll(step, event, endpointId);
  if (deliveries.length > 0) step.world.undelivered.delete(event);
  return deliveries;
}

/** Suggests resending the event instead of settling a payment twice. */
export function createResendHint(world: World, type: EventType, resourceId: string): string {
  return `To resend the event: npx sandbox events resend ${findLatestEvent(world, type, resourceId)?.id ?? '<id>'}`;
}

/** Finds the latest event of a type for a charge or withdrawal. */
export function findLatestEvent(
  world: World,
  type: EventType,
  resourceId: string,
): AnnouncedEvent | undefined {
  return world.events.rows.findLast((event) => event.type === type && event.resource.id === resourceId);
}

function findEvent(world: World, named: string): AnnouncedEvent {
  return requireRow(world, 'event', named);
}

/**
 * Creates an unlisted, late pix.expired for a settled charge. Receivers must ignore this event (§6 rule 2).
 * Returns null for events other than pix.settled.
 */
function createStaleExpiry(world: World, event: AnnouncedEvent): AnnouncedEvent | null {
  return expiryBy(world, event, 1, ({ expiresAt }) => expiresAt);
}

/**
 * Creates an unlisted pix.expired, dated just before the pix.settled of a late payment (§3). Returns null for
 * other events.
 */
function createEarlierExpiry(world: World, event: AnnouncedEvent): AnnouncedEvent | null {
  return expiryBy(world, event, 3, () => event.at);
}

/** Creates a pix.expired dated before the event, because receivers can order events by timestamp. */
function expiryBy(
  world: World,
  { type, ordinal, resource, at: settledAt }: AnnouncedEvent,
  mark: number,
  timeOf: (charge: Charge) => number,
): AnnouncedEvent | null {
  if (type !== 'pix.settled' || 'pixKey' in resource) return null;
  const at = Math.min(settledAt - 1, timeOf(resource));
  const expired = { ...resource, status: 'EXPIRED', expiresAt: at } as const;
  return { ordinal, id: unlistedId(world, ordinal, mark), at, type: 'pix.expired', resource: expired };
}

function unlistedId({ seed }: World, ordinal: number, mark: number): string {
  return `evt_${toHex(computeHash128(seed, 'fault', ordinal, mark))}`;
}

/**
 * Creates an unlisted event of an unknown type for the same resource. Receivers must acknowledge such events
 * (§6, §9).
 */
function createUnknownTypeEvent(world: World, event: AnnouncedEvent): AnnouncedEvent {
  const [kind] = event.type.split('.');
  const { overrides: _overrides, ...announced } = event;
  const id = unlistedId(world, event.ordinal, 2);
  return { ...announced, id, type: `${kind}.reviewed` as EventType } as AnnouncedEvent;
}

/** Creates the extra messages sent by faults; null if a message does not apply to the event. */
export const EXTRA_MESSAGES = {
  expiry: createEarlierExpiry,
  'stale-expiry': createStaleExpiry,
  'unknown-type': createUnknownTypeEvent,
} satisfies Record<ExtraMessage, unknown>;

export function getEventScope(type: EventType): 'pix:read' | 'withdrawals:read' {
  return type.startsWith('pix.') ? 'pix:read' : 'withdrawals:read';
}
