import type { EventType } from '../../contract/events.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import { LIMITS } from '../../contract/limits.js';
import { chargeFields, nested, withdrawalFields } from '../../core/input/bodies.js';
import { BODY, body } from '../../core/input/body.js';
import { TEXTS, valuesByName, wholeNumber } from '../../core/input/kinds.js';
import { NAME } from '../../core/input/text-kinds.js';
import { lookUp } from '../../core/named-rows.js';
import { rowsFrom } from '../../core/table.js';
import { overridesOf, overridesProblem } from '../../core/webhooks/overrides.js';
import type { TriggerInput } from '../../core/webhooks/trigger.js';
import type { AnnouncedEvent, Delivery } from '../../core/world.js';
import { variant } from '../../schema/compound.js';
import { named, nullish } from '../../schema/fields.js';
import type { ValuesOf } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import type { Found } from '../../schema/values.js';
import { flag, oneOf, refine } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { DEFAULT_TIMEOUT_MS, MILESTONES, TIMEOUT_MS, untilReached } from '../operation/until.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { deliveryLines, eventLine } from './events.js';
import { setImmediate } from 'node:timers';

const PIX_EVENTS = EVENT_TYPES.filter((type) => type.startsWith('pix.'));
const OTHER_EVENTS = EVENT_TYPES.filter((type) => !type.startsWith('pix.'));

/** An object from paths of the payload to their new values, which `overridesOf` reads. */
const OVERRIDES = refine(
  valuesByName({ 'data.object.amount': '1.00' }),
  (value): Found<Readonly<Record<string, unknown>>> => {
    const problem = overridesProblem(value);
    return problem === undefined ? { value } : { problem };
  },
  {
    description:
      'New values by path. A text takes the type of the field at its path, as `"1"` does for a number. Any other value is set as it is, and so is a text whose path ends in a colon: `{"schema_version:": "1"}`.',
  },
);

const COMMON = {
  charge: nullish(NAME),
  withdrawal: nullish(NAME),
  late: nullish(flag, false),
  reason: nullish(oneOf(FAILURE_REASON_CODES)),
  override: nullish(OVERRIDES, {}),
  appId: named('app', nullish(NAME)),
  count: nullish(wholeNumber(1, LIMITS.triggerCount), 1),
  until: nullish(oneOf(MILESTONES)),
  timeoutMs: nullish(TIMEOUT_MS, DEFAULT_TIMEOUT_MS),
};
type Counted = ValuesOf<typeof COMMON> & { readonly with: { readonly code?: string | undefined } };

function manyProblem({ count, charge, withdrawal, with: fields }: Counted): string | undefined {
  const named = charge ?? withdrawal ?? fields.code;
  return count === 1 || named === undefined
    ? undefined
    : 'Must be 1 when a charge, a withdrawal or a code is named.';
}

function sizeProblem({ count, override }: Counted): string | undefined {
  const characters = JSON.stringify(override).length;
  const most = LIMITS.overrideCharactersInAll;
  return count * characters <= most
    ? undefined
    : `Times the ${characters} characters of override must be at most ${most}; got ${count * characters}.`;
}

function triggerOf<const Event extends EventType, Value extends Counted['with']>(
  events: readonly Event[],
  fields: Schema<Value>,
) {
  return body(
    { event: named('type', oneOf(events)), ...COMMON, with: nested(fields) },
    {
      rules: [
        { of: ['count', 'charge', 'withdrawal', 'with'], problem: manyProblem },
        { of: ['count', 'override'], problem: sizeProblem },
      ],
    },
  );
}

/** The body `{type, charge?, withdrawal?, with?, late?, reason?, override?, app?, count?, until?, timeout?}`. */
const TRIGGER = variant(BODY, 'type', [
  triggerOf(PIX_EVENTS, chargeFields('a charge')),
  triggerOf(OTHER_EVENTS, withdrawalFields('a withdrawal')),
]);

/** How many are made in one turn of the event loop; the first go out while the others are made. */
const EVENTS_PER_TURN = 50;

/**
 * Makes the events and their deliveries; leaves out those that fall due meanwhile. `isWhole` is false where the sandbox was reset or
 * closed before the last one.
 */
async function makeEvents({ sandbox, because }: ControlRequest, input: TriggerInput, count: number) {
  const { world } = sandbox;
  const events: AnnouncedEvent[] = [];
  const deliveries: Delivery[] = [];
  let isWhole = true;
  const over = () => {
    isWhole = false;
  };
  const ends = [sandbox.onReset(over), sandbox.onClose(over)];
  const make = (some: number) => {
    for (let made = 0; made < some; made += 1) {
      const first = world.deliveryCount;
      const triggered = sandbox.dispatch({ type: 'trigger', ...input });
      events.push(...triggered.events);
      const fresh = rowsFrom(world.deliveries, first);
      deliveries.push(...fresh.filter(({ event }) => triggered.events.includes(event)));
    }
  };
  try {
    for (let made = 0; made < count; made += EVENTS_PER_TURN) {
      if (made > 0) await new Promise((resolve) => setImmediate(resolve));
      if (!isWhole) break;
      because(() => make(Math.min(EVENTS_PER_TURN, count - made)));
    }
  } finally {
    for (const end of ends) end();
  }
  return { isWhole, events, deliveries };
}

async function trigger(request: ControlRequest<Infer<typeof TRIGGER>>): Promise<Answer> {
  const { sandbox, body } = request;
  const { count, until, timeoutMs, with: fields, override, ...input } = body;
  const overrides = overridesOf(override);
  const field = input.event.startsWith('pix.') ? 'chargeFields' : 'withdrawalFields';
  const made = await makeEvents(request, { ...input, overrides, [field]: fields }, count);
  const reached =
    made.isWhole && (until === undefined || (await untilReached(sandbox, made.deliveries, until, timeoutMs)));
  const deliveries = deliveryLines(sandbox, made.deliveries);
  return ok({ reached, events: made.events.map(eventLine), deliveries });
}

const AWAITED = body({
  ids: TEXTS,
  until: nullish(oneOf(MILESTONES), 'ended' as const),
  timeoutMs: nullish(TIMEOUT_MS, DEFAULT_TIMEOUT_MS),
});

export const TRIGGER_ROUTES: readonly ControlRoute[] = [
  route('POST', 'trigger', { body: TRIGGER }, trigger),
  // The deliveries, once all have reached `until` or the time is up.
  route('POST', 'deliveries/until', { body: AWAITED }, async ({ sandbox, body }) => {
    const deliveries = body.ids.map((id) => lookUp(sandbox.world, 'delivery', id));
    const reached = await untilReached(sandbox, deliveries, body.until, body.timeoutMs);
    return ok({ reached, deliveries: deliveryLines(sandbox, deliveries) });
  }),
];
