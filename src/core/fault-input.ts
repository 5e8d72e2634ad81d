import type { CallFaultAction, DeliveryFaultAction } from './fault-words.js';
import type { FaultInput } from './faults.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from './fault-words.js';
import type { Fields } from './fields.js';
import { LIMITS } from './limits.js';
import { parseDuration } from './time.js';

const CALL_ACTIONS = Object.keys(CALL_FAULTS) as CallFaultAction[];
const DELIVERY_ACTIONS = Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[];
/** Statuses that a fault may answer: those of a final response. */
const STATUS_MIN = 200;
const STATUS_MAX = 599;
const COPIES_MAX = 10;
const LONGEST_DELAY_MS = 60_000;

/**
 * A fault as JSON: `{on?, action, …}`. `on` is `call` or `delivery` and may be left out where only one of them knows the action.
 * Calls are matched by door, method and path, deliveries by event, endpoint and attempt. Refuses what does not fit.
 */
export function parseFault(fields: Fields): FaultInput {
  const on = fields.oneOf('on', ['call', 'delivery'] as const) ?? impliedBy(fields.take('action'));
  const fault = on === 'call' ? parseCallFault(fields) : parseDeliveryFault(fields);
  for (const unknown of fields.unknown()) fields.problem(unknown, `Is not a field of a fault on a ${on}.`);
  fields.done();
  return fault;
}

function impliedBy(action: unknown): 'call' | 'delivery' {
  return DELIVERY_ACTIONS.some((known) => known === action) ? 'delivery' : 'call';
}

function parseCallFault(fields: Fields): FaultInput {
  const match = {
    on: 'call' as const,
    door: fields.optionalText('door', LIMITS.nameLength) ?? null,
    method: fields.optionalText('method', LIMITS.nameLength)?.toUpperCase() ?? null,
    path: fields.optionalText('path', LIMITS.urlLength) ?? null,
  };
  return { match, action: actionOf(fields, CALL_ACTIONS), ...parseDetails(fields) };
}

function parseDeliveryFault(fields: Fields): FaultInput {
  const match = {
    on: 'delivery' as const,
    eventType: fields.optionalText('event', LIMITS.nameLength) ?? null,
    endpointId: fields.optionalUuid('endpoint') ?? null,
    attempt: wholeNumber(fields, 'attempt', 1, LIMITS.attemptsKept) ?? null,
  };
  return { match, action: actionOf(fields, DELIVERY_ACTIONS), ...parseDetails(fields) };
}

function actionOf<Action extends string>(
  fields: Fields,
  actions: readonly [Action, ...Action[]] | Action[],
): Action {
  const action = fields.oneOf('action', actions);
  if (action !== undefined) return action;
  fields.problem('action', `Is required: one of ${actions.join(', ')}.`);
  const [first] = actions;
  if (first === undefined) throw new Error('There are no actions to choose from.');
  return first;
}

function parseDetails(fields: Fields) {
  return {
    status: wholeNumber(fields, 'status', STATUS_MIN, STATUS_MAX) ?? null,
    delayMs: parseDelay(fields),
    copies: wholeNumber(fields, 'copies', 1, COPIES_MAX) ?? null,
    count: wholeNumber(fields, 'count', 1, 1_000_000) ?? null,
    probability: parseProbability(fields),
  };
}

function parseDelay(fields: Fields): number | null {
  const text = fields.optionalText('delay', 40);
  if (text === undefined) return null;
  const delayMs = parseDuration(text);
  if (delayMs !== undefined && delayMs <= LONGEST_DELAY_MS) return delayMs;
  fields.problem('delay', `Must be a duration of real time up to 60s, such as 3s; got ${text}.`);
  return null;
}

function parseProbability(fields: Fields): number {
  const value = fields.take('probability') ?? 1;
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  fields.problem('probability', 'Must be a number above 0 and up to 1.');
  return 1;
}

function wholeNumber(fields: Fields, field: string, least: number, most: number): number | undefined {
  const value = fields.take(field);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  return fields.problem(field, `Must be a whole number from ${least} to ${most}.`);
}
