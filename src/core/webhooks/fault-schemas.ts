import type { DeliveryFaultAction } from '../../contract/fault-kinds.js';
import { COPIES_MAX, COUNT_MAX, ERROR_STATUS_MIN, STATUS_MAX, STATUS_MIN } from './fault-input.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import type { Aim, CallMatch, DeliveryMatch, Fault, FiredFault } from './faults.js';
import { numberAbove, wholeNumber } from '../input/kinds.js';
import { count, type FieldsOf, row, text, uuid } from '../state/forms.js';
import { LIMITS } from '../../contract/limits.js';
import { choose } from '../../schema/compound.js';
import { isObject, nullable, optional } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { always, flag, keyOf, oneOf } from '../../schema/values.js';

const details = {
  status: nullable(wholeNumber(STATUS_MIN, STATUS_MAX)),
  delayMs: nullable(wholeNumber(0, LIMITS.faultDelayMs)),
  copies: nullable(wholeNumber(1, COPIES_MAX)),
  parallel: optional(flag),
  when: optional(oneOf(RESTART_MOMENTS)),
};

const rank = wholeNumber(1, COUNT_MAX);
/** Absent in faults that earlier versions kept. */
export const aim: FieldsOf<Aim> = { code: optional(text), resource: optional(rank), nth: optional(rank) };

/** A fault that fired on an attempt. */
export const fired: Schema<FiredFault<DeliveryFaultAction>> = row({
  id: uuid,
  action: keyOf(DELIVERY_FAULTS),
  ...details,
});

const faultCommon = {
  ordinal: count,
  id: uuid,
  seen: count,
  fired: count,
  probability: numberAbove(0, 1),
  count: nullable(wholeNumber(1, COUNT_MAX)),
  ...details,
};

const callFault = row<Fault & { match: CallMatch }>({
  ...faultCommon,
  match: row<CallMatch>({
    on: always('call'),
    door: nullable(oneOf(FAULT_DOORS)),
    method: nullable(text),
    path: nullable(text),
    ...aim,
  }),
  action: keyOf(CALL_FAULTS),
  status: nullable(wholeNumber(ERROR_STATUS_MIN, STATUS_MAX)),
});

const deliveryFault = row<Fault & { match: DeliveryMatch }>({
  ...faultCommon,
  match: row<DeliveryMatch>({
    on: always('delivery'),
    eventType: nullable(text),
    endpointId: nullable(uuid),
    endpointUrl: optional(text),
    attempt: nullable(wholeNumber(1, LIMITS.attemptsKept)),
    ...aim,
  }),
  action: keyOf(DELIVERY_FAULTS),
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
