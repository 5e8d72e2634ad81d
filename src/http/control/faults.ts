import * as is from '../../core/resources/values.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import { Refusal } from '../../contract/refusals.js';
import { formatDuration } from '../../contract/time.js';
import { lookUp, lookUpWhole } from '../../core/named-rows.js';
import { FAULT as FAULT_INPUT } from '../../core/webhooks/fault-input.js';
import type { FaultInput, Fault } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { component, type Infer, type Schema } from '../../schema/schema.js';
import { variant } from '../../schema/compound.js';
import { nullable } from '../../schema/object.js';
import { always, flag, keyOf, number, oneOf, text, whole } from '../../schema/values.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

/** A key of either table, because a shown fault is not distinguished by its action. */
const CALL_ACTION: Schema<string> = keyOf(CALL_FAULTS);
const DELIVERY_ACTION: Schema<string> = keyOf(DELIVERY_FAULTS);

const COMMON = {
  id: is.UUID,
  status: nullable(whole('a status code', { least: 200, most: 599 })),
  delay: nullable(text('a duration such as 1s500ms', /^(?:\d+(?:ms|s|m|h|d))+$/, { examples: ['3s'] })),
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
export type FaultView = Infer<typeof FAULT>;

/** A fault as the control API shows it: the fields it was created with, and how often it fired. */
export function faultView({ match, delayMs, ...fault }: Fault): FaultView {
  const { id, action, status, copies, parallel = null, when = null, count, probability, seen, fired } = fault;
  const { code = null, resource = null, nth = null } = match;
  const matched =
    match.on === 'call'
      ? { on: match.on, door: match.door, method: match.method, path: match.path }
      : {
          on: match.on,
          event: match.eventType,
          endpoint: match.endpointId ?? match.endpointUrl ?? null,
          attempt: match.attempt,
        };
  const aim = { code, resource, nth };
  const delay = delayMs === null ? null : formatDuration(delayMs);
  const details = { status, delay, copies, parallel, when, count, probability };
  return { id, action, ...matched, ...aim, ...details, seen, fired };
}

/** Refuses (INVALID_REQUEST) a restart where there is nothing that restarts the application. */
export function checkCanRestart({ restart }: Sandbox, faults: readonly FaultInput[]): void {
  if (restart !== undefined || !faults.some(({ action }) => action === 'restart')) return;
  throw new Refusal('INVALID_REQUEST', 'This sandbox does not know how to restart the application.', {
    details: [{ field: 'action', message: 'restart needs a command or a function that restarts it.' }],
    hint: "Start the sandbox with --restart 'COMMAND', or give createSandbox({ restart }) a function or a command.",
  });
}

function withEndpoint({ world }: Sandbox, fault: FaultInput): FaultInput {
  if (fault.match.on === 'call' || fault.match.endpointId === null) return fault;
  const { id: endpointId } = lookUp(world, 'endpoint', fault.match.endpointId);
  return { ...fault, match: { ...fault.match, endpointId } } as FaultInput;
}

export const FAULT_ROUTES: readonly ControlRoute[] = [
  route('GET', 'faults', {}, ({ sandbox }) =>
    ok({ data: Array.from(sandbox.world.faults.values(), faultView) }),
  ),
  route('POST', 'faults', { body: FAULT_INPUT }, ({ sandbox, body }) => {
    checkCanRestart(sandbox, [body]);
    const fault = sandbox.dispatch({ type: 'fault.add', fault: withEndpoint(sandbox, body) });
    return { status: 201, body: faultView(fault) };
  }),
  route('DELETE', 'faults', {}, ({ sandbox }) =>
    ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: null }) }),
  ),
  route('DELETE', 'faults/:id', {}, ({ sandbox, param }) => {
    const { id } = lookUpWhole(sandbox.world, 'fault', param('id'));
    return ok({ removed: sandbox.dispatch({ type: 'fault.remove', id }) });
  }),
];
