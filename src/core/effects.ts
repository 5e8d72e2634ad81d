import type { EventType } from '../contract/enums.js';
import type {
  ChargeStatus,
  DeliveryStatus,
  SessionStatus,
  WithdrawalStatus,
} from '../contract/transitions.js';
import type { AgendaKind } from './agenda.js';
import type {
  AnnouncedEvent,
  Attempt,
  Charge,
  Delivery,
  Endpoint,
  Fault,
  IdentitySession,
  Override,
  Withdrawal,
  World,
} from './world.js';

/**
 * Describes the effects of a command for code outside the core: the worker sends attempts, and streams
 * publish the other effects. `attempt.ended` follows the delivery change, and is emitted only for outcomes
 * reported from outside the core. Rows belong to the world, so copy any row you store. `from` and `to` are
 * the statuses before and after the change; `from` is null for a new row.
 */
export type Effect =
  | ({ readonly type: 'charge'; readonly charge: Charge } & StatusChange<ChargeStatus>)
  | ({ readonly type: 'withdrawal'; readonly withdrawal: Withdrawal } & StatusChange<WithdrawalStatus>)
  | { readonly type: 'endpoint'; readonly endpoint: Endpoint; readonly change: EndpointChange }
  | { readonly type: 'event'; readonly event: AnnouncedEvent }
  | { readonly type: 'attempt'; readonly delivery: Delivery; readonly number: number; readonly at: number }
  | { readonly type: 'attempt.ended'; readonly delivery: Delivery; readonly attempt: Attempt }
  | ({ readonly type: 'delivery'; readonly delivery: Delivery } & StatusChange<DeliveryStatus>)
  /** A fault with a window started or ended; an ended fault is no longer in the world. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly change: 'started' | 'ended' }
  /** A fault holds a delivery's next attempt. */
  | { readonly type: 'held'; readonly delivery: Delivery; readonly fault: Fault }
  | ({ readonly type: 'session'; readonly session: IdentitySession } & StatusChange<SessionStatus>)
  /** Oldest finished rows, dropped by retention. */
  | {
      readonly type: 'dropped';
      readonly deliveries: readonly Delivery[];
      readonly events: readonly AnnouncedEvent[];
    }
  /** Marks the start of an agenda item's effects, which end before the next `due`. */
  | { readonly type: 'due'; readonly at: number; readonly kind: AgendaKind; readonly ordinal: number };

export interface StatusChange<Status> {
  readonly from: Status | null;
  readonly to: Status;
}

export type EndpointChange =
  | 'created'
  | 'rotated'
  | 'disabled'
  | 'enabled'
  | 'deleted'
  | 'connected'
  | 'away';

export interface ApplyStep {
  readonly world: World;
  readonly now: number;
  readonly effects: Effect[];
  /** Payload overrides for this event type while a trigger runs. */
  readonly overriding?: { readonly type: EventType; readonly overrides: readonly Override[] };
}
