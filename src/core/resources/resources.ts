import type {
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentEnvelope,
  presentTransaction,
  presentWithdrawal,
} from './serialize.js';
import type { EventType } from '../../contract/events.js';

/** The service's resources as its answers hold them (§2): what the presenters return. */
export type ChargeResource = ReturnType<typeof presentCharge>;
export type WithdrawalResource = ReturnType<typeof presentWithdrawal>;
export type TransactionResource = ReturnType<typeof presentTransaction>;
export type EndpointResource = ReturnType<typeof presentEndpoint>;
export type DeliveryResource = ReturnType<typeof presentDelivery>;

/** What an event of a type is about. */
export type ResourceOf<Type extends EventType> = Type extends `pix.${string}`
  ? ChargeResource
  : WithdrawalResource;

type Envelope = ReturnType<typeof presentEnvelope>;

/** The body of a webhook (§6): `WebhookEvent<'pix.settled'>` of one type, `WebhookEvent` of any, told apart by `type`. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: Omit<Envelope, 'type' | 'data'> & {
    readonly type: T;
    readonly data: { readonly object: ResourceOf<T> };
  };
}[Type];
