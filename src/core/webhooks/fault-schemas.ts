import type { CallFaultAction, DeliveryFaultAction } from '../../contract/fault-kinds.js';
import { COPIES_MAX, COUNT_MAX, ERROR_STATUS_MIN, STATUS_MAX, STATUS_MIN } from './fault-input.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import type { CallMatch, DeliveryMatch, Fault, FiredFault } from './faults.js';
import { between, count, text, uuid } from '../state/forms.js';
import { LIMITS } from '../../contract/limits.js';
import { row } from '../state/read.js';
import { choose } from '../../schema/compound.js';
import { nullable } from '../../schema/fields.js';
import { isObject } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { always, keyOf, number, oneOf } from '../../schema/values.js';

const deliveryAction: Schema<DeliveryFaultAction> = keyOf(DELIVERY_FAULTS);
const callAction: Schema<CallFaultAction> = keyOf(CALL_FAULTS);
const details = {
  status: nullable(between(STATUS_MIN, STATUS_MAX)),
  delayMs: nullable(between(0, LIMITS.faultDelayMs)),
  copies: nullable(between(1, COPIES_MAX)),
};
/** A fault that fired on an attempt. */
export const fired: Schema<FiredFault<DeliveryFaultAction>> = row({
  id: uuid,
  action: deliveryAction,
  ...details,
});

const faultCommon = {
  ordinal: count,
  id: uuid,
  seen: count,
  fired: count,
  probability: number('a number above 0 and up to 1', { above: 0, most: 1 }),
  count: nullable(between(1, COUNT_MAX)),
  ...details,
};

const callFault = row<Fault & { match: CallMatch }>({
  ...faultCommon,
  match: row<CallMatch>({
    on: always('call'),
    door: nullable(oneOf(FAULT_DOORS)),
    method: nullable(text),
    path: nullable(text),
  }),
  action: callAction,
  status: nullable(between(ERROR_STATUS_MIN, STATUS_MAX)),
});

const deliveryFault = row<Fault & { match: DeliveryMatch }>({
  ...faultCommon,
  match: row<DeliveryMatch>({
    on: always('delivery'),
    eventType: nullable(text),
    endpointId: nullable(uuid),
    attempt: nullable(between(1, LIMITS.attemptsKept)),
  }),
  action: deliveryAction,
});

/** One of the two kinds of fault, by what it matches. */
export function faultOf<Call, Delivered>(
  call: Schema<Call>,
  delivered: Schema<Delivered>,
): Schema<Call | Delivered> {
  return choose('a fault', [call, delivered], (value) =>
    isObject(value) && isObject(value['match']) && value['match']['on'] === 'call' ? call : delivered,
  );
}

/** A fault as the world keeps it. */
export const fault: Schema<Fault> = faultOf(callFault, deliveryFault);
