import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import type { JsonSchema } from '../../core/input/json-schema.js';
import { nullable } from '../../core/input/json-schema.js';
import type { FaultView } from '../control/schema.js';
import * as is from './schemas.js';

/** What a fault on one of both has, without the fields of the other. */
type FaultOn<On extends FaultView['on'], Foreign extends string> = Omit<
  Extract<FaultView, { readonly on: On }>,
  Foreign
>;

const COMMON = {
  id: is.UUID,
  status: nullable({ type: 'integer', minimum: 200, maximum: 599 }),
  delay: nullable(is.DURATION),
  copies: nullable(is.COUNT),
  count: nullable(is.COUNT),
  probability: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  seen: is.COUNT,
  fired: is.COUNT,
};

/** A fault as the control API shows it: on calls or on deliveries. */
export const FAULT_SCHEMA: JsonSchema = {
  oneOf: [
    is.objectOf<FaultOn<'call', 'event' | 'endpoint' | 'attempt'>>('Misbehaviour on a call to a door.', {
      ...COMMON,
      on: is.always('call'),
      action: is.oneOf(Object.keys(CALL_FAULTS)),
      door: nullable(is.oneOf(FAULT_DOORS)),
      method: nullable(is.TEXT),
      path: nullable(is.TEXT),
    }),
    is.objectOf<FaultOn<'delivery', 'door' | 'method' | 'path'>>(
      'Misbehaviour on an attempt of a delivery.',
      {
        ...COMMON,
        on: is.always('delivery'),
        action: is.oneOf(Object.keys(DELIVERY_FAULTS)),
        event: nullable(is.TEXT),
        endpoint: nullable(is.UUID),
        attempt: nullable(is.COUNT),
      },
    ),
  ],
};

/** A fault that fired. */
export const FIRED_FAULT = is.objectOf<{ id: string; action: string }>('A fault that fired.', {
  id: is.UUID,
  action: is.oneOf([...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)])]),
});
