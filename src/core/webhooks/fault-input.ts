import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import type { CallFaultAction, DeliveryFaultAction } from '../../contract/fault-kinds.js';
import type { FaultInput } from './faults.js';
import type { FieldReader } from '../input/field-reader.js';
import { matchesGlob } from '../../text/globs.js';
import { LIMITS } from '../../contract/limits.js';
import { EVENT_TYPES } from '../../contract/events.js';

const KINDS = ['call', 'delivery'] as const;
const ACTIONS = {
  call: Object.keys(CALL_FAULTS) as CallFaultAction[],
  delivery: Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[],
};
/** The statuses of errors, and those of all final responses. */
export const ERROR_STATUS_MIN = 400;
export const STATUS_MIN = 200;
export const STATUS_MAX = 599;
export const COPIES_MAX = 10;
export const COUNT_MAX = 1_000_000;

/**
 * A fault as JSON: `{on?, action, …}`. `on` is `call` or `delivery` and may be left out where only one of them knows the action.
 * Calls are matched by door, method and path, deliveries by event, endpoint and attempt.
 */
export function readFault(fields: FieldReader): FaultInput {
  const on = fields.optionalVariant('on', KINDS) ?? impliedKind(fields);
  const fault = on === 'call' ? readCallFault(fields) : readDeliveryFault(fields);
  fields.refuseUnknown(`Is not a field of a fault on a ${on}.`);
  return fault;
}

function impliedKind(fields: FieldReader): (typeof KINDS)[number] {
  const action = fields.variant('action', [...new Set([...ACTIONS.call, ...ACTIONS.delivery])]);
  const [kind = 'call', other] = KINDS.filter((on) => ACTIONS[on].some((known) => known === action));
  if (other !== undefined) {
    fields.refuse('on', `Is required, because calls and deliveries both know ${action}: call or delivery.`);
  }
  return kind;
}

function readCallFault(fields: FieldReader): FaultInput {
  const match = {
    on: 'call' as const,
    door: fields.oneOf('door', FAULT_DOORS) ?? null,
    method: fields.optionalText('method', LIMITS.nameLength)?.toUpperCase() ?? null,
    path: fields.optionalText('path', LIMITS.urlLength) ?? null,
  };
  const action = fields.oneOfRequired('action', ACTIONS.call);
  return { match, action, ...readDetails(fields, ERROR_STATUS_MIN) };
}

function readDeliveryFault(fields: FieldReader): FaultInput {
  const match = {
    on: 'delivery' as const,
    eventType: readEventPattern(fields),
    endpointId: fields.optionalUuid('endpoint') ?? null,
    attempt: fields.wholeNumber('attempt', 1, LIMITS.attemptsKept) ?? null,
  };
  const action = fields.oneOfRequired('action', ACTIONS.delivery);
  return { match, action, ...readDetails(fields, STATUS_MIN) };
}

function readEventPattern(fields: FieldReader): string | null {
  const pattern = fields.optionalText('event', LIMITS.nameLength);
  const fits = pattern === undefined || EVENT_TYPES.some((type) => matchesGlob(pattern, type));
  fields.check(fits, 'event', `Must fit one of ${EVENT_TYPES.join(', ')}; got ${pattern}.`);
  return pattern ?? null;
}

function readDetails(fields: FieldReader, statusMin: number) {
  return {
    status: fields.wholeNumber('status', statusMin, STATUS_MAX) ?? null,
    delayMs: fields.duration('delay', { mostMs: LIMITS.faultDelayMs, example: '3s' }) ?? null,
    copies: fields.wholeNumber('copies', 1, COPIES_MAX) ?? null,
    count: fields.wholeNumber('count', 1, COUNT_MAX) ?? null,
    probability: fields.number('probability', { above: 0, most: 1 }) ?? 1,
  };
}
