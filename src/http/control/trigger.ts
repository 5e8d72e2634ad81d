import { Fields } from '../../core/fields.js';
import { parseChargeFields, parseWithdrawalFields } from '../../core/inputs.js';
import { LIMITS } from '../../core/limits.js';
import { parseDuration } from '../../core/time.js';
import type { TriggerInput } from '../../core/trigger.js';
import { FAILURE_REASON_CODES } from '../../core/withdrawals.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';
import { deliveryLine, eventLine } from './present.js';
import type { Milestone } from './until.js';
import { MILESTONES, untilReached } from './until.js';

interface TriggerRequest {
  readonly input: TriggerInput;
  readonly count: number;
  /** Whether to answer at once or when the deliveries have come so far. */
  readonly until: Milestone | undefined;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

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
  for (const unknown of fields.unknown()) fields.problem(unknown, 'Is not a known field.');
  fields.done();
  return request;
}

function missingType(fields: Fields): 'pix.settled' {
  fields.problem('type', `Is required: one of ${EVENT_TYPES.join(', ')}.`);
  return 'pix.settled';
}

function parseInput(fields: Fields, event: TriggerInput['event']): TriggerInput {
  const isPix = event.startsWith('pix.');
  const chosen = new Fields(fields.take('with') ?? {});
  const input = {
    event,
    charge: fields.optionalText('charge', LIMITS.nameLength),
    withdrawal: fields.optionalText('withdrawal', LIMITS.nameLength),
    ...(isPix
      ? { chargeFields: parseChargeFields(chosen) }
      : { withdrawalFields: parseWithdrawalFields(chosen) }),
    late: fields.take('late') === true,
    reason: fields.oneOf('reason', FAILURE_REASON_CODES),
    appId: fields.optionalText('app', LIMITS.nameLength),
  };
  for (const unknown of chosen.unknown()) {
    chosen.problem(`with.${unknown}`, `Is not a field of a ${isPix ? 'charge' : 'withdrawal'}.`);
  }
  chosen.done();
  return input;
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
  if (timeoutMs === undefined) fields.problem('timeout', 'Must be a duration such as 30s.');
  return timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

async function trigger(request: ControlRequest): Promise<Answer> {
  const { sandbox } = request;
  const { input, count, until, timeoutMs } = parse(request);
  const { events, deliveries } = sandbox.world;
  const firstEvent = events.rows.length;
  const firstDelivery = deliveries.rows.length;
  for (let made = 0; made < count; made += 1) sandbox.dispatch({ type: 'trigger', ...input });
  const made = { events: events.rows.slice(firstEvent), deliveries: deliveries.rows.slice(firstDelivery) };
  const reached = until === undefined || (await untilReached(sandbox, made.deliveries, until, timeoutMs));
  return ok({
    reached,
    events: made.events.map(eventLine),
    deliveries: made.deliveries.map((delivery) => deliveryLine(sandbox, delivery)),
  });
}

export const TRIGGER_ROUTES: readonly ControlRoute[] = [{ method: 'POST', path: 'trigger', handle: trigger }];
