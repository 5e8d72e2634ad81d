import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from './fault-words.js';
import type { FaultInput } from './faults.js';
import type { Fields } from './fields.js';
import { matchesGlob } from './globs.js';
import { LIMITS } from './limits.js';
import { parseDuration } from './time.js';
import { EVENT_TYPES } from './world.js';

const KINDS = ['call', 'delivery'] as const;
const ACTIONS = { call: Object.keys(CALL_FAULTS), delivery: Object.keys(DELIVERY_FAULTS) };
/** The statuses of errors, and those of all final responses. */
const ERROR_STATUS_MIN = 400;
const STATUS_MIN = 200;
const STATUS_MAX = 599;
const COPIES_MAX = 10;

/**
 * A fault as JSON: `{on?, action, …}`. `on` is `call` or `delivery` and may be left out where only one of them knows the action.
 * Calls are matched by door, method and path, deliveries by event, endpoint and attempt. Refuses what does not fit.
 */
export function parseFault(fields: Fields): FaultInput {
  const on = fields.oneOf('on', KINDS) ?? impliedKind(fields);
  const fault = on === 'call' ? parseCallFault(fields) : parseDeliveryFault(fields);
  for (const unknown of fields.unknown()) fields.problem(unknown, `Is not a field of a fault on a ${on}.`);
  fields.done();
  return fault;
}

function impliedKind(fields: Fields): (typeof KINDS)[number] {
  const action = fields.take('action');
  const [kind = 'call', other] = KINDS.filter((on) => ACTIONS[on].some((known) => known === action));
  if (other !== undefined && !fields.has('on')) {
    const message = `Is required, because calls and deliveries both know ${String(action)}: call or delivery.`;
    fields.problem('on', message);
  }
  return kind;
}

function parseCallFault(fields: Fields): FaultInput {
  const match = {
    on: 'call' as const,
    door: fields.oneOf('door', FAULT_DOORS) ?? null,
    method: fields.optionalText('method', LIMITS.nameLength)?.toUpperCase() ?? null,
    path: fields.optionalText('path', LIMITS.urlLength) ?? null,
  };
  return { match, action: actionOf(fields, CALL_FAULTS), ...parseDetails(fields, ERROR_STATUS_MIN) };
}

function parseDeliveryFault(fields: Fields): FaultInput {
  const match = {
    on: 'delivery' as const,
    eventType: parseEventPattern(fields),
    endpointId: fields.optionalUuid('endpoint') ?? null,
    attempt: wholeNumber(fields, 'attempt', 1, LIMITS.attemptsKept) ?? null,
  };
  return { match, action: actionOf(fields, DELIVERY_FAULTS), ...parseDetails(fields, STATUS_MIN) };
}

/** The action; the first one stands in where none came that is known, which is a problem. */
function actionOf<Action extends string>(fields: Fields, known: Readonly<Record<Action, string>>): Action {
  const actions = Object.keys(known) as [Action, ...Action[]];
  const action = actions.find((one) => one === fields.take('action'));
  if (action !== undefined) return action;
  const choices = fields.has('on') ? actions : [...ACTIONS.call, ...ACTIONS.delivery];
  if (fields.has('action')) fields.oneOf('action', choices);
  else fields.problem('action', `Is required: one of ${choices.join(', ')}.`);
  return actions[0];
}

function parseEventPattern(fields: Fields): string | null {
  const pattern = fields.optionalText('event', LIMITS.nameLength);
  if (pattern === undefined || EVENT_TYPES.some((type) => matchesGlob(pattern, type))) return pattern ?? null;
  fields.problem('event', `Must fit one of ${EVENT_TYPES.join(', ')}; got ${pattern}.`);
  return null;
}

function parseDetails(fields: Fields, statusMin: number) {
  return {
    status: wholeNumber(fields, 'status', statusMin, STATUS_MAX) ?? null,
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
  if (delayMs !== undefined && delayMs <= LIMITS.faultDelayMs) return delayMs;
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
