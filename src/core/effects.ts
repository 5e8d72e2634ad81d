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
  IdentitySession,
  Override,
  Withdrawal,
  World,
} from './world.js';

/**
 * The effects of a command, for code outside the core: the worker sends attempts, streams show the rest.
 * `attempt.ended` follows the change of its delivery, for an attempt whose outcome came from outside.
 * Rows are the world's own: copy one to keep it past the moment. `from` and `to` are the statuses at the moment of the
 * change; `from` is null for a new row.
 */
export type Effect =
  | ({ readonly type: 'charge'; readonly charge: Charge } & StatusChange<ChargeStatus>)
  | ({ readonly type: 'withdrawal'; readonly withdrawal: Withdrawal } & StatusChange<WithdrawalStatus>)
  | { readonly type: 'endpoint'; readonly endpoint: Endpoint; readonly change: EndpointChange }
  | { readonly type: 'event'; readonly event: AnnouncedEvent }
  | { readonly type: 'attempt'; readonly delivery: Delivery; readonly number: number; readonly at: number }
  | { readonly type: 'attempt.ended'; readonly delivery: Delivery; readonly attempt: Attempt }
  | ({ readonly type: 'delivery'; readonly delivery: Delivery } & StatusChange<DeliveryStatus>)
  | ({ readonly type: 'session'; readonly session: IdentitySession } & StatusChange<SessionStatus>)
  /** These finished rows, the oldest, were dropped. */
  | {
      readonly type: 'dropped';
      readonly deliveries: readonly Delivery[];
      readonly events: readonly AnnouncedEvent[];
    }
  /** The effects up to the next `due` came of this item of the agenda, at its instant. */
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
  /** Changes to the payload of this kind of event, while a trigger runs. */
  readonly overriding?: { readonly type: EventType; readonly overrides: readonly Override[] };
}
