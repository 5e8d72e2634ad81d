import { findDelivery } from '../../core/deliveries.js';
import { Fields } from '../../core/fields.js';
import { parseChargeFields, parseWithdrawalFields } from '../../core/inputs.js';
import { LIMITS } from '../../core/limits.js';
import type { Override } from '../../core/overrides.js';
import { parseDuration } from '../../core/time.js';
import type { TriggerInput } from '../../core/trigger.js';
import { FAILURE_REASON_CODES } from '../../core/withdrawals.js';
import type { AnnouncedEvent } from '../../core/world.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';
import { deliveryLine, eventLine } from './present.js';
import type { Milestone } from '../until.js';
import { MILESTONES, untilReached } from '../until.js';

interface TriggerRequest {
  readonly input: TriggerInput;
  readonly count: number;
  /** Whether to answer at once or when the deliveries have come so far. */
  readonly until: Milestone | undefined;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** A day: what waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = 86_400_000;

/** The body `{type, charge?, withdrawal?, with?, late?, reason?, app?, count?, until?, timeout?}`. */
function parse({ fields }: ControlRequest): TriggerRequest {
  const event = fields.oneOf('type', EVENT_TYPES) ?? missingType(fields);
  const input = parseInput(fields, event);
  const request = {
    input,
    count: parseCount(fields, input),
    until: fields.oneOf('until', MILESTONES),
    timeoutMs: parseTimeout(fields),
  };
  noMoreFields(fields);
  return request;
}

/** Refuses at once, because what else may stand in the body depends on the type. */
function missingType(fields: Fields): 'pix.settled' {
  if (fields.take('type') === undefined) {
    fields.problem('type', `Is required: one of ${EVENT_TYPES.join(', ')}.`);
  }
  fields.done();
  return 'pix.settled';
}

function parseInput(fields: Fields, event: TriggerInput['event']): TriggerInput {
  const isPix = event.startsWith('pix.');
  const chosen = new Fields(fields.take('with') ?? {});
  const input: TriggerInput = {
    event,
    charge: fields.optionalText('charge', LIMITS.nameLength),
    withdrawal: fields.optionalText('withdrawal', LIMITS.nameLength),
    ...(isPix
      ? { chargeFields: parseChargeFields(chosen) }
      : { withdrawalFields: parseWithdrawalFields(chosen) }),
    late: parseLate(fields),
    reason: fields.oneOf('reason', FAILURE_REASON_CODES),
    overrides: parseOverrides(fields),
    appId: fields.optionalText('app', LIMITS.nameLength),
  };
  for (const unknown of chosen.unknown()) {
    chosen.problem(`with.${unknown}`, `Is not a field of a ${isPix ? 'charge' : 'withdrawal'}.`);
  }
  chosen.done();
  return input;
}

/** `override`: an object from paths of the payload to what they are to say. */
function parseOverrides(fields: Fields): readonly Override[] {
  const value = fields.take('override') ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).map(([path, wanted]: [string, unknown]) => ({ path, value: wanted }));
  }
  fields.problem(
    'override',
    'Must be an object from paths to values, such as {"data.object.amount": "1.00"}.',
  );
  return [];
}

function parseLate(fields: Fields): boolean {
  const late = fields.take('late') ?? false;
  if (typeof late !== 'boolean') fields.problem('late', 'Must be true or false.');
  return late === true;
}

function parseCount(fields: Fields, input: TriggerInput): number {
  const count = fields.take('count') ?? 1;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > LIMITS.triggerCount) {
    fields.problem('count', `Must be a whole number from 1 to ${LIMITS.triggerCount}.`);
    return 1;
  }
  const named = input.charge ?? input.withdrawal ?? input.chargeFields?.code ?? input.withdrawalFields?.code;
  if (count > 1 && named !== undefined) {
    fields.problem('count', 'Must be 1 when a charge, a withdrawal or a code is named.');
  }
  return count;
}

function parseTimeout(fields: Fields): number {
  const text = fields.optionalText('timeout', 40);
  if (text === undefined) return DEFAULT_TIMEOUT_MS;
  const timeoutMs = parseDuration(text);
  if (timeoutMs !== undefined && timeoutMs <= LONGEST_TIMEOUT_MS) return timeoutMs;
  fields.problem('timeout', 'Must be a duration up to 1d, such as 30s.');
  return DEFAULT_TIMEOUT_MS;
}

/** The events and their deliveries, without those of what fell due meanwhile. */
function makeEvents(sandbox: Sandbox, input: TriggerInput, count: number) {
  const { deliveries } = sandbox.world;
  const firstDelivery = deliveries.rows.length;
  const events: AnnouncedEvent[] = [];
  for (let made = 0; made < count; made += 1) {
    events.push(...sandbox.dispatch({ type: 'trigger', ...input }).events);
  }
  const own = new Set(events);
  return { events, deliveries: deliveries.rows.slice(firstDelivery).filter(({ event }) => own.has(event)) };
}

async function trigger(request: ControlRequest): Promise<Answer> {
  const { sandbox } = request;
  const { input, count, until, timeoutMs } = parse(request);
  const made = makeEvents(sandbox, input, count);
  const reached = until === undefined || (await untilReached(sandbox, made.deliveries, until, timeoutMs));
  return ok({
    reached,
    events: made.events.map(eventLine),
    deliveries: made.deliveries.map((delivery) => deliveryLine(sandbox, delivery)),
  });
}

/** POST deliveries/until `{ids, until, timeout?}`: the deliveries, when they have come so far or the time is up. */
async function waitUntil({ sandbox, fields }: ControlRequest): Promise<Answer> {
  const ids = fields.take('ids');
  const until = fields.oneOf('until', MILESTONES) ?? 'ended';
  const timeoutMs = parseTimeout(fields);
  if (!Array.isArray(ids)) fields.problem('ids', 'Must be a list of delivery ids.');
  noMoreFields(fields);
  const deliveries = (Array.isArray(ids) ? ids : []).map((id) => findDelivery(sandbox.world, String(id)));
  const reached = await untilReached(sandbox, deliveries, until, timeoutMs);
  return ok({ reached, deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) });
}

export const TRIGGER_ROUTES: readonly ControlRoute[] = [
  { method: 'POST', path: 'trigger', handle: trigger },
  { method: 'POST', path: 'deliveries/until', handle: waitUntil },
];
