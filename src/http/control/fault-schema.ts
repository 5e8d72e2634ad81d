import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import * as is from '../../core/resources/values.js';
import { component } from '../../schema/component.js';
import { variant } from '../../schema/compound.js';
import { nullable } from '../../schema/fields.js';
import type { Schema } from '../../schema/schema.js';
import { always, flag, keyOf, number, oneOf, text, whole } from '../../schema/values.js';

/** A key of either table, because a shown fault is not distinguished by its action. */
const CALL_ACTION: Schema<string> = keyOf(CALL_FAULTS);
const DELIVERY_ACTION: Schema<string> = keyOf(DELIVERY_FAULTS);

const COMMON = {
  id: is.UUID,
  status: nullable(whole('a status code', { least: 200, most: 599 })),
  delay: nullable(text('a duration such as 1s500ms', /^(?:\d+(?:ms|s|m|h|d))+$/)),
  code: nullable(is.TEXT),
  resource: nullable(is.COUNT),
  nth: nullable(is.COUNT),
  copies: nullable(is.COUNT),
  parallel: nullable(flag),
  when: nullable(oneOf<string>(RESTART_MOMENTS)),
  count: nullable(is.COUNT),
  probability: number('a probability', { above: 0, most: 1 }),
  seen: is.COUNT,
  fired: is.COUNT,
};

/** A fault as the control API shows it: on calls or on deliveries. */
export const FAULT = component(
  'Fault',
  variant('a fault', 'on', [
    is.shape('Misbehaviour on a call to a door.', {
      ...COMMON,
      on: always('call'),
      action: CALL_ACTION,
      door: nullable(oneOf<string>(FAULT_DOORS)),
      method: nullable(is.TEXT),
      path: nullable(is.TEXT),
    }),
    is.shape('Misbehaviour on an attempt of a delivery.', {
      ...COMMON,
      on: always('delivery'),
      action: DELIVERY_ACTION,
      event: nullable(is.TEXT),
      endpoint: nullable(is.TEXT),
      attempt: nullable(is.COUNT),
    }),
  ]),
);

export const FIRED_FAULTS = is.listOf(
  is.shape('A fault that fired.', {
    id: is.UUID,
    action: oneOf<string>(Object.keys({ ...CALL_FAULTS, ...DELIVERY_FAULTS })),
  }),
);
