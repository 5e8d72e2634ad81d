import type { CallFaultAction, DeliveryFaultAction } from '../../../src/contract/fault-kinds.js';
import type { CallMatch, DeliveryMatch, FaultInput } from '../../../src/core/world.js';

type Chosen = Partial<Omit<FaultInput, 'match' | 'action'>>;

const ALWAYS = { status: null, delayMs: null, copies: null, count: null, probability: 1 };

/** A fault on every call, unless the fields say otherwise. */
export function callFault(
  action: CallFaultAction,
  { match, ...chosen }: Chosen & { readonly match?: Partial<CallMatch> } = {},
): FaultInput {
  return {
    ...ALWAYS,
    ...chosen,
    action,
    match: { on: 'call', api: null, method: null, path: null, ...match },
  };
}

/** A fault on every attempt, unless the fields say otherwise. */
export function deliveryFault(
  action: DeliveryFaultAction,
  { match, ...chosen }: Chosen & { readonly match?: Partial<DeliveryMatch> } = {},
): FaultInput {
  return {
    ...ALWAYS,
    ...chosen,
    action,
    match: { on: 'delivery', eventType: null, endpointId: null, attempt: null, ...match },
  };
}
