import type { CallFaultAction, DeliveryFaultAction } from './fault-words.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from './fault-words.js';
import type { CallMatch, DeliveryMatch, Fault, FiredFault } from './faults.js';
import type { Shape } from './shapes.js';
import { anything, keyOf, nullable, number, object, oneOf, record, text, whole } from './shapes.js';

const deliveryAction: Shape<DeliveryFaultAction> = keyOf(DELIVERY_FAULTS);
const callAction: Shape<CallFaultAction> = keyOf(CALL_FAULTS);
const details = { status: nullable(whole), delayMs: nullable(whole), copies: nullable(whole) };

/** A fault that fired on an attempt. */
export const fired: Shape<FiredFault<DeliveryFaultAction>> = object({
  id: text,
  action: deliveryAction,
  ...details,
});

const faultCommon = {
  ordinal: whole,
  id: text,
  seen: whole,
  fired: whole,
  probability: number,
  count: nullable(whole),
  ...details,
};

const callFault = object<Fault & { match: CallMatch }>({
  ...faultCommon,
  match: object<CallMatch>({
    on: oneOf(['call']),
    door: nullable(text),
    method: nullable(text),
    path: nullable(text),
  }),
  action: callAction,
});

const deliveryFault = object<Fault & { match: DeliveryMatch }>({
  ...faultCommon,
  match: object<DeliveryMatch>({
    on: oneOf(['delivery']),
    eventType: nullable(text),
    endpointId: nullable(text),
    attempt: nullable(whole),
  }),
  action: deliveryAction,
});

/** A fault as the world keeps it. */
export const fault: Shape<Fault> = (value, place) => {
  const { match } = record(anything)(value, place);
  const { on } = record(anything)(match, `${place}.match`);
  return on === 'call' ? callFault(value, place) : deliveryFault(value, place);
};
