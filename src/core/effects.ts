import type { Override } from './webhooks/overrides.js';
import type { IdentitySession } from './identity/session.js';
import type { EventType } from '../contract/events.js';
import type { AnnouncedEvent, Attempt, Charge, Delivery, Endpoint, Withdrawal, World } from './world.js';

/**
 * The effects of a command, for code outside the core: the worker sends attempts, streams show the rest.
 * `attempt.ended` follows the change of its delivery, for an attempt whose outcome came from outside.
 * Rows are the world's own: copy one to keep it past the moment.
 */
export type Effect =
  | { readonly type: 'charge'; readonly charge: Charge }
  | { readonly type: 'withdrawal'; readonly withdrawal: Withdrawal }
  | { readonly type: 'endpoint'; readonly endpoint: Endpoint; readonly change: EndpointChange }
  | { readonly type: 'event'; readonly event: AnnouncedEvent }
  | { readonly type: 'attempt'; readonly delivery: Delivery; readonly number: number; readonly at: number }
  | { readonly type: 'attempt.ended'; readonly delivery: Delivery; readonly attempt: Attempt }
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  | { readonly type: 'session'; readonly session: IdentitySession };

export type EndpointChange =
  | 'created'
  | 'rotated'
  | 'disabled'
  | 'enabled'
  | 'deleted'
  | 'connected'
  | 'away';

/** The context of a handler: the world, the instant, and a list for its effects. */
export interface Step {
  readonly world: World;
  readonly now: number;
  readonly effects: Effect[];
  /** Changes to the payload of this kind of event, while a trigger runs. */
  readonly overriding?: { readonly type: EventType; readonly overrides: readonly Override[] };
}
