import type { ChargeResource, Envelope, EventType, WithdrawalResource } from '../shapes.js';

/** The body of a webhook (§6): `WebhookEvent<'pix.settled'>` of one type, `WebhookEvent` of any, told apart by `type`. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: Envelope & {
    readonly type: T;
    readonly data: { readonly object: T extends `pix.${string}` ? ChargeResource : WithdrawalResource };
  };
}[Type];
