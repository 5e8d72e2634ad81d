import type { CallFaultAction, DeliveryFaultAction } from '../../contract/fault-kinds.js';
import { COPIES_MAX, COUNT_MAX, ERROR_STATUS_MIN, STATUS_MAX, STATUS_MIN } from './fault-input.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import type { CallMatch, DeliveryMatch, Fault, FiredFault } from './faults.js';
import { count, uuid } from '../state/form-shapes.js';
import { LIMITS } from '../../contract/limits.js';
import type { Shape } from '../state/shapes.js';
import {
  anything,
  between,
  keyOf,
  must,
  nullable,
  number,
  object,
  oneOf,
  record,
  text,
} from '../state/shapes.js';

const deliveryAction: Shape<DeliveryFaultAction> = keyOf(DELIVERY_FAULTS);
const callAction: Shape<CallFaultAction> = keyOf(CALL_FAULTS);
const details = {
  status: nullable(between(STATUS_MIN, STATUS_MAX)),
  delayMs: nullable(between(0, LIMITS.faultDelayMs)),
  copies: nullable(between(1, COPIES_MAX)),
};
const probability: Shape<number> = (value, place) => {
  const chance = number(value, place);
  must(chance > 0 && chance <= 1, place, `a number above 0 and up to 1; got ${chance}`);
  return chance;
};

/** A fault that fired on an attempt. */
export const fired: Shape<FiredFault<DeliveryFaultAction>> = object({
  id: uuid,
  action: deliveryAction,
  ...details,
});

const faultCommon = {
  ordinal: count,
  id: uuid,
  seen: count,
  fired: count,
  probability,
  count: nullable(between(1, COUNT_MAX)),
  ...details,
};

const callFault = object<Fault & { match: CallMatch }>({
  ...faultCommon,
  match: object<CallMatch>({
    on: oneOf(['call']),
    door: nullable(oneOf(FAULT_DOORS)),
    method: nullable(text),
    path: nullable(text),
  }),
  action: callAction,
  status: nullable(between(ERROR_STATUS_MIN, STATUS_MAX)),
});

const deliveryFault = object<Fault & { match: DeliveryMatch }>({
  ...faultCommon,
  match: object<DeliveryMatch>({
    on: oneOf(['delivery']),
    eventType: nullable(text),
    endpointId: nullable(uuid),
    attempt: nullable(between(1, LIMITS.attemptsKept)),
  }),
  action: deliveryAction,
});

/** A fault as the world keeps it. */
export const fault: Shape<Fault> = (value, place) => {
  const { match } = record(anything)(value, place);
  const { on } = record(anything)(match, `${place}.match`);
  return on === 'call' ? callFault(value, place) : deliveryFault(value, place);
};
