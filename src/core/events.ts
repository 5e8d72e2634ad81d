import { addDelivery } from './deliveries.js';
import type { Step } from './effects.js';
import { eventIdFor } from './ids.js';
import { Refusal } from './refusal.js';
import type { AnnouncedEvent, Charge, Delivery, Endpoint, EventType, Withdrawal, World } from './world.js';
import { insert } from './world.js';

type Announcement =
  | { readonly type: 'pix.settled' | 'pix.failed' | 'pix.expired'; readonly resource: Readonly<Charge> }
  | { readonly type: 'withdrawal.settled' | 'withdrawal.failed'; readonly resource: Readonly<Withdrawal> };

/** Announces an event, and makes a delivery of it for each active endpoint of the application that subscribes to it (§6). */
export function announce(step: Step, announcement: Announcement): AnnouncedEvent {
  const { world, now } = step;
  const ordinal = world.events.rows.length;
  const event = insert(world.events, { ordinal, id: eventIdFor(world, ordinal), at: now, ...announcement });
  step.effects.push({ type: 'event', event });
  deliverToAll(step, event);
  return event;
}

function deliverToAll(step: Step, event: AnnouncedEvent, endpointId?: string): Delivery[] {
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
    endpoint.appId === event.resource.appId &&
    endpoint.events.includes(event.type)
  );
}

/** Sends an event again, under the same id, to the endpoints that want it now, or to one of them. */
export function resendEvent(step: Step, eventId: string, endpointId?: string): Delivery[] {
  return deliverToAll(step, findEvent(step.world, eventId), endpointId);
}

export function findEvent(world: World, id: string): AnnouncedEvent {
  const event = world.events.byId.get(id);
  if (event === undefined) {
    throw new Refusal('NOT_FOUND', `There is no event ${id}.`, {
      hint: '`npx pix-sandbox events list` shows those that exist.',
    });
  }
  return event;
}

/** The scope that reading this kind of event takes (§6). */
export function scopeFor(type: EventType): 'pix:read' | 'withdrawals:read' {
  return type.startsWith('pix.') ? 'pix:read' : 'withdrawals:read';
}
