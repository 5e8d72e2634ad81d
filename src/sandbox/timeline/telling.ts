import type { Effect } from '../../core/effects.js';
import type { Attempt, Charge, Delivery, Endpoint, Withdrawal, World } from '../../core/world.js';
import type { EntryFacts, EntryKind } from './entry.js';
import { attemptId } from './entry.js';
import type { Said } from './said.js';

export function changeTitle(name: string, from: string | null, to: string): string {
  return from === null ? `${name} ${to}` : `${name} ${from} → ${to}`;
}

function paymentSaid(
  resource: 'charge' | 'withdrawal',
  { id, code }: Charge | Withdrawal,
  from: string | null,
  to: string,
): Said {
  const title = changeTitle(`${resource} ${code}`, from, to);
  return { kind: 'change', id, title, facts: { resource, from, to, code } };
}

/** The URL of an endpoint, or what a listener forwards to. */
export function targetOf(endpoint: Endpoint | undefined): string {
  if (endpoint === undefined) return 'a deleted endpoint';
  const { transport, description, url } = endpoint;
  return transport === 'listener' ? (description ?? url) : url;
}

/** The target of a delivery as it is now. */
export function deliveryTarget({ endpoints }: World, { endpointId }: Delivery): string {
  return targetOf(endpoints.get(endpointId));
}

export function deliveryFacts({ event, endpointId }: Delivery, target: string) {
  return {
    event_type: event.type,
    event_id: event.id,
    endpoint_id: endpointId,
    target,
    resource_id: event.resource.id,
    code: event.resource.code,
  };
}

/** How a call or an attempt ended: its status, its error, or both. */
export function endOf({ status, error }: Pick<EntryFacts, 'status' | 'error'>): string | undefined {
  if (status == null) return error ?? undefined;
  return error == null || error === 'HTTP_STATUS' ? String(status) : `${status} ${error}`;
}

/** What the entry of an attempt that ended says. */
export function attemptTo(target: string, delivery: Delivery, attempt: Attempt): Said {
  const { number, status, error, faults = [] } = attempt;
  const facts: EntryFacts = {
    ...deliveryFacts(delivery, target),
    delivery_id: delivery.id,
    attempt: number,
    status,
    error,
    ...(faults.length === 0 ? {} : { faults: faults.map(({ action }) => action) }),
  };
  const title = `attempt ${number} of ${delivery.event.type} to ${target}: ${endOf(attempt)}`;
  return { kind: 'attempt', id: attemptId(delivery.id, number), title, facts };
}

/** The effects that are told by what never changes, except for the target of a delivery. */
type Lasting = Extract<Effect, { type: 'charge' | 'withdrawal' | 'event' | 'delivery' | 'attempt.ended' }>;

/** What the entry of an effect is going to say whenever it is asked for. */
export class Telling {
  readonly #effect: Lasting;
  readonly #target: string;

  /** @param target The target of a delivery as it is now. */
  constructor(effect: Lasting, target = '') {
    this.#effect = effect;
    this.#target = target;
  }

  get kind(): EntryKind {
    const { type } = this.#effect;
    if (type === 'attempt.ended') return 'attempt';
    return type === 'charge' || type === 'withdrawal' ? 'change' : type;
  }

  get id(): string {
    const effect = this.#effect;
    switch (effect.type) {
      case 'charge': {
        return effect.charge.id;
      }
      case 'withdrawal': {
        return effect.withdrawal.id;
      }
      case 'event': {
        return effect.event.id;
      }
      case 'delivery': {
        return effect.delivery.id;
      }
      case 'attempt.ended': {
        return attemptId(effect.delivery.id, effect.attempt.number);
      }
    }
  }

  said(): Said {
    const effect = this.#effect;
    const target = this.#target;
    switch (effect.type) {
      case 'charge': {
        return paymentSaid('charge', effect.charge, effect.from, effect.to);
      }
      case 'withdrawal': {
        return paymentSaid('withdrawal', effect.withdrawal, effect.from, effect.to);
      }
      case 'event': {
        const { id, type, resource } = effect.event;
        const facts: EntryFacts = { event_type: type, resource_id: resource.id, code: resource.code };
        return { kind: 'event', id, title: `${type} of ${resource.code}`, facts };
      }
      case 'delivery': {
        const { delivery, from, to } = effect;
        const facts = { ...deliveryFacts(delivery, target), from, to };
        const name = `${delivery.event.type} to ${target}`;
        const title = from === null ? name : changeTitle(name, from, to);
        return { kind: 'delivery', id: delivery.id, title, facts };
      }
      case 'attempt.ended': {
        return attemptTo(target, effect.delivery, effect.attempt);
      }
    }
  }
}
