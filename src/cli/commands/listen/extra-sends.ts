import { EVENT_TYPES } from '../../../contract/events.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { DeliveryLine } from '../../../http/control/schema.js';

/** An attempt that may be sent more than once: how often each webhook-id came. */
interface OpenAttempt {
  readonly number: number;
  readonly counts: Map<string, number>;
}

/** Recognises what faults send beside an attempt: such extra sends repeat its delivery and number. */
export class ExtraSends {
  readonly #open = new Map<string, OpenAttempt>();

  /** What a fault made of this send, in words; empty for the attempt itself. */
  remarkOn({ delivery_id, attempt, headers, body }: ListenerAttempt): string {
    const known = this.#open.get(delivery_id);
    const open = known?.number === attempt ? known : { number: attempt, counts: new Map<string, number>() };
    this.#open.set(delivery_id, open);
    const id = headers['webhook-id'] ?? '';
    const isFirst = open.counts.size === 0;
    const count = (open.counts.get(id) ?? 0) + 1;
    open.counts.set(id, count);
    if (count > 1) return `duplicate: a fault sent it ${count === 2 ? 'twice' : `${count} times`}`;
    if (isFirst) return '';
    return isKnownType(body)
      ? 'stale: a fault sent this event after a newer one'
      : 'unknown: a fault sent an event of a type that does not exist yet';
  }

  /** Forgets an attempt that has ended; null is a delivery that was decided elsewhere. */
  forgetEnded({ delivery_id, attempt }: ListenerAttempt, delivery: DeliveryLine | null): void {
    const isEnded = delivery === null || !delivery.in_flight || delivery.attempts >= attempt;
    if (isEnded && this.#open.get(delivery_id)?.number === attempt) this.#open.delete(delivery_id);
  }
}

function isKnownType(body: string): boolean {
  const { type } = JSON.parse(Buffer.from(body, 'base64').toString()) as { readonly type: string };
  return EVENT_TYPES.some((known) => known === type);
}
