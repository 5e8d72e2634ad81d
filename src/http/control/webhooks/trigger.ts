import { findDelivery } from '../../../core/webhooks/deliveries.js';
import { FAILURE_REASON_CODES } from '../../../contract/failure-reasons.js';
import type { FieldReader } from '../../../core/input/field-reader.js';
import { readChargeFields, readWithdrawalFields } from '../../../core/input/bodies.js';
import { LIMITS } from '../../../contract/limits.js';
import type { Override } from '../../../core/webhooks/overrides.js';
import { overridesProblem } from '../../../core/webhooks/overrides.js';
import { DAY_MS, SECOND_MS } from '../../../contract/time.js';
import type { TriggerInput } from '../../../core/webhooks/trigger.js';
import type { AnnouncedEvent } from '../../../core/world.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Answer } from '../../operation/answer.js';
import type { ControlRequest, ControlRoute, Sent } from '../control.js';
import { ok, route } from '../control.js';
import { deliveryLine, eventLine } from '../views.js';
import type { Milestone } from '../../operation/until.js';
import { MILESTONES, untilReached } from '../../operation/until.js';

interface TriggerRequest {
  readonly input: TriggerInput;
  readonly count: number;
  /** Whether to answer at once or when the deliveries have come so far. */
  readonly until: Milestone | undefined;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
/** What waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = DAY_MS;

/** The body `{type, charge?, withdrawal?, with?, late?, reason?, override?, app?, count?, until?, timeout?}`. */
function readTrigger(fields: FieldReader): TriggerRequest {
  const event = fields.variant('type', EVENT_TYPES);
  const { overrides, characters } = readOverrides(fields);
  const input: TriggerInput = {
    event,
    charge: fields.optionalText('charge', LIMITS.nameLength),
    withdrawal: fields.optionalText('withdrawal', LIMITS.nameLength),
    ...(event.startsWith('pix.')
      ? { chargeFields: fields.nested('with', readChargeFields, 'charge') }
      : { withdrawalFields: fields.nested('with', readWithdrawalFields, 'withdrawal') }),
    late: fields.flag('late') ?? false,
    reason: fields.oneOf('reason', FAILURE_REASON_CODES),
    overrides,
    appId: fields.optionalText('app', LIMITS.nameLength),
  };
  return {
    input,
    count: readCount(fields, input, characters),
    until: fields.oneOf('until', MILESTONES),
    timeoutMs: readTimeout(fields),
  };
}

/** `override`: an object from paths of the payload to what they are to say; and how long it is as JSON. */
function readOverrides(fields: FieldReader) {
  const wanted = fields.values('override', { 'data.object.amount': '1.00' });
  const problem = overridesProblem(wanted);
  fields.check(problem === undefined, 'override', problem ?? '');
  const overrides = Object.entries(wanted).map(([path, value]): Override => ({ path, value }));
  return { overrides, characters: JSON.stringify(wanted).length };
}

function readCount(fields: FieldReader, input: TriggerInput, overrideCharacters: number): number {
  const count = fields.wholeNumber('count', 1, LIMITS.triggerCount) ?? 1;
  const named = input.charge ?? input.withdrawal ?? input.chargeFields?.code ?? input.withdrawalFields?.code;
  const isOne = count === 1 || named === undefined;
  fields.check(isOne, 'count', 'Must be 1 when a charge, a withdrawal or a code is named.');
  const inAll = count * overrideCharacters;
  const most = LIMITS.overrideCharactersInAll;
  const problem = `Times the ${overrideCharacters} characters of override must be at most ${most}; got ${inAll}.`;
  fields.check(inAll <= most, 'count', problem);
  return count;
}

function readTimeout(fields: FieldReader): number {
  const timeout = { mostMs: LONGEST_TIMEOUT_MS, example: '30s' };
  return fields.duration('timeout', timeout) ?? DEFAULT_TIMEOUT_MS;
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

async function trigger(
  { sandbox }: ControlRequest,
  { body: { input, count, until, timeoutMs } }: Sent<TriggerRequest, undefined>,
): Promise<Answer> {
  const made = makeEvents(sandbox, input, count);
  const reached = until === undefined || (await untilReached(sandbox, made.deliveries, until, timeoutMs));
  return ok({
    reached,
    events: made.events.map(eventLine),
    deliveries: made.deliveries.map((delivery) => deliveryLine(sandbox, delivery)),
  });
}

function readAwaited(fields: FieldReader) {
  return {
    ids: fields.texts('ids'),
    until: fields.oneOf('until', MILESTONES) ?? 'ended',
    timeoutMs: readTimeout(fields),
  };
}

/** POST deliveries/until `{ids, until, timeout?}`: the deliveries, when they have come so far or the time is up. */
async function waitUntil(
  { sandbox }: ControlRequest,
  { body: { ids, until, timeoutMs } }: Sent<ReturnType<typeof readAwaited>, undefined>,
): Promise<Answer> {
  const deliveries = ids.map((id) => findDelivery(sandbox.world, id));
  const reached = await untilReached(sandbox, deliveries, until, timeoutMs);
  return ok({ reached, deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) });
}

export const TRIGGER_ROUTES: readonly ControlRoute[] = [
  route({ method: 'POST', path: 'trigger', body: readTrigger, handle: trigger }),
  route({ method: 'POST', path: 'deliveries/until', body: readAwaited, handle: waitUntil }),
];
