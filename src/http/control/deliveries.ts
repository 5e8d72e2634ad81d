import * as is from '../../core/resources/values.js';
import { EVENT_TYPES, type EventType, FAILURE_REASON_CODES } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import {
  BODY,
  body,
  body as bodyOf,
  chargeFields,
  nested,
  withdrawalFields,
} from '../../core/input/bodies.js';
import { NAME, TEXTS, valuesByName, wholeNumber } from '../../core/input/kinds.js';
import { lookUp, lookUpAny } from '../../core/named-rows.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { rowsFrom } from '../../core/table.js';
import { findEvent } from '../../core/webhooks/events.js';
import { EVENT_PATTERN } from '../../core/webhooks/fault-input.js';
import { overridesOf, overridesProblem } from '../../core/webhooks/overrides.js';
import { heldBack, type RetriedAll, SKIPPED_FOR } from '../../core/webhooks/deliveries.js';
import type { TriggerInput } from '../../core/webhooks/trigger.js';
import type { Delivery, AnnouncedEvent, App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { variant } from '../../schema/compound.js';
import { named, nullish, object, optional, partial, type ValuesOf } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import type { Found } from '../../schema/values.js';
import { oneOf, flag, refine } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { presentPage, PRIVATE_HEADERS } from '../operation/answer.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS, waitFor, MILESTONES, untilReached } from '../operation/until.js';
import type { ControlRoute, ControlRequest, OfApp } from './control.js';
import { ok, route, listKey, appFilter, OF_APP } from './control.js';
import { deliveryLine, deliveryLines, deliveryView, eventLine, eventView, pausingView } from './events.js';
import { setImmediate } from 'node:timers';

const COUNTS = partial(
  Object.fromEntries(SKIPPED_FOR.map((why) => [why, is.COUNT])) as Record<
    (typeof SKIPPED_FOR)[number],
    typeof is.COUNT
  >,
);

export const RETRIED = object('how many deliveries were retried', {
  retried: is.COUNT,
  skipped: is.COUNT,
  skipped_for: is.shape('How many were skipped, by the reason.', COUNTS),
});
export type RetriedView = Infer<typeof RETRIED>;

export function retriedView({ retried, skipped }: RetriedAll): RetriedView {
  const counts = [...skipped.values()];
  return {
    retried: retried.length,
    skipped: counts.reduce((sum, count) => sum + count, 0),
    skipped_for: Object.fromEntries(skipped),
  };
}

const MOST_AWAITED = 1_000_000_000;

const EVENT_QUERY = object('a query', {
  type: optional(oneOf(EVENT_TYPES)),
  ...OF_APP.fields,
  ...PAGE_FIELDS,
});

const RESEND = bodyOf({ endpoint: nullish(NAME) });

/** Which deliveries to retry; by default, all that are FAILED. */
const RETRY = bodyOf({
  status: nullish(oneOf(DELIVERY_STATUSES)),
  eventType: named('event_type', nullish(EVENT_PATTERN)),
  endpoint: nullish(NAME),
});

const FILTERS = {
  status: optional(oneOf(DELIVERY_STATUSES)),
  eventType: named('event_type', optional(oneOf(EVENT_TYPES))),
  endpoint: optional(NAME),
  event: optional(NAME),
  ...OF_APP.fields,
};
const DELIVERY_QUERY = object('a query', { ...FILTERS, ...PAGE_FIELDS });
/** How many deliveries to wait for, and the longest wait in real time. */
const WAIT_QUERY = object('a query', {
  timeoutMs: optional(TIMEOUT_MS),
  ...FILTERS,
  count: optional(wholeNumber(1, MOST_AWAITED)),
});

type DeliveryFilters = ValuesOf<typeof FILTERS>;

/** An application that does not exist yet may be waited for, so it is looked up for each delivery. */
function deliveryFilter(sandbox: Sandbox, { status, eventType, endpoint, event, app }: DeliveryFilters) {
  return (delivery: Delivery) =>
    (app === undefined || isNamed(sandbox.world.apps.byId.get(delivery.event.resource.appId), app)) &&
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType) &&
    (endpoint === undefined || delivery.endpointId === endpoint) &&
    (event === undefined || delivery.event.id === event);
}

function isNamed(app: App | undefined, idOrName: string): boolean {
  return app?.id === idOrName || app?.name === idOrName;
}

/** What the cursors of the list of deliveries are bound to, where nothing is filtered. */
export const DELIVERY_KEY = listKey(
  'deliveries',
  Object.fromEntries(Object.keys(FILTERS).map((name) => [name, undefined])),
);

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
      'New values by path. A text takes the type of the field at its path, as `"1"` does for a ' +
      'number. Any other value is set as it is, and so is a text whose path ends in a colon: ' +
      '`{"schema_version:": "1"}`.',
  },
);

const COMMON = {
  charge: nullish(NAME),
  withdrawal: nullish(NAME),
  late: nullish(flag, false),
  reason: nullish(oneOf(FAILURE_REASON_CODES)),
  override: nullish(OVERRIDES, {}),
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
 * Makes the events and their deliveries; leaves out those that fall due meanwhile. `isWhole` is false where
 * the sandbox was reset or closed before the last one.
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

async function trigger(request: ControlRequest<Infer<typeof TRIGGER>, OfApp>): Promise<Answer> {
  const { sandbox, body, query } = request;
  const { count, until, timeoutMs, with: fields, override, ...input } = body;
  const overrides = overridesOf(override);
  const field = input.event.startsWith('pix.') ? 'chargeFields' : 'withdrawalFields';
  const made = await makeEvents(request, { ...input, appId: query.app, overrides, [field]: fields }, count);
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

export const DELIVERY_ROUTES: readonly ControlRoute[] = [
  route(
    'GET',
    'events',
    { query: EVENT_QUERY },
    ({ sandbox: { world }, query: { type, app: named, ...asked } }) => {
      const app = appFilter(world, named);
      const matches = (event: AnnouncedEvent) =>
        (type === undefined || event.type === type) && (app === undefined || event.resource.appId === app.id);
      const key = listKey('events', { type, app: app?.id });
      return presentPage(page(world, world.events.rows, key, asked, matches), eventLine);
    },
  ),
  route('GET', 'events/:id', {}, ({ sandbox, param }) =>
    ok(eventView(sandbox, findEvent(sandbox.world, param('id')))),
  ),
  route('GET', 'events/:id/body', {}, ({ sandbox, param }) => {
    const bytes = sandbox.epoch.bodyOf(findEvent(sandbox.world, param('id')));
    const headers = { 'content-type': 'application/json', ...PRIVATE_HEADERS };
    return new Response(new Uint8Array(bytes), { headers });
  }),
  route('POST', 'events/:id/resend', { body: RESEND }, ({ sandbox, param, body }) => {
    const { world } = sandbox;
    const eventId = findEvent(world, param('id')).id;
    const endpointId = body.endpoint === undefined ? undefined : lookUp(world, 'endpoint', body.endpoint).id;
    const deliveries = sandbox.dispatch({ type: 'event.resend', eventId, endpointId });
    return { status: 202, body: { deliveries: deliveryLines(sandbox, deliveries) } };
  }),
  route('GET', 'deliveries', { query: DELIVERY_QUERY }, ({ sandbox, query }) => {
    const { status, eventType, endpoint, event, app, ...asked } = query;
    const { world } = sandbox;
    const filters = {
      status,
      eventType,
      endpoint: endpoint === undefined ? undefined : lookUp(world, 'recipient', endpoint).id,
      event: event === undefined ? undefined : lookUp(world, 'event', event).id,
      app: appFilter(world, app)?.id,
    };
    const key = listKey('deliveries', filters);
    const found = page(world, world.deliveries.rows, key, asked, deliveryFilter(sandbox, filters));
    return presentPage(found, (delivery) => deliveryLine(sandbox, delivery));
  }),
  route('GET', 'deliveries/wait', { query: WAIT_QUERY }, async ({ sandbox, context, query }) => {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, count = 1, endpoint, event, ...filters } = query;
    const { signal } = context.req.raw;
    // An id that is not there yet may come.
    const idOf = (kind: 'recipient' | 'event', text: string | undefined) =>
      text === undefined ? undefined : (lookUpAny(sandbox.world, kind, text)?.id ?? text);
    const ids = { endpoint: idOf('recipient', endpoint), event: idOf('event', event) };
    const matches = deliveryFilter(sandbox, { ...filters, ...ids });
    const found = new Set(sandbox.world.deliveries.rows.filter(matches));
    if (found.size < count) {
      await waitFor(sandbox, { timeoutMs, signal, onReset: () => found.clear() }, (effects) => {
        for (const effect of effects) {
          if (effect.type !== 'delivery') continue;
          if (matches(effect.delivery)) found.add(effect.delivery);
          else found.delete(effect.delivery);
        }
        return found.size >= count || undefined;
      });
    }
    const deliveries = [...found].sort((a, b) => a.ordinal - b.ordinal);
    return ok({ satisfied: found.size >= count, deliveries: deliveryLines(sandbox, deliveries) });
  }),
  route('GET', 'deliveries/:id', {}, ({ sandbox, param }) =>
    ok(deliveryView(sandbox, lookUp(sandbox.world, 'delivery', param('id')))),
  ),
  route('POST', 'deliveries/pause', {}, ({ sandbox }) => {
    sandbox.dispatch({ type: 'deliveries.pause' });
    return ok(pausingView(true, heldBack(sandbox.world)));
  }),
  route('POST', 'deliveries/resume', {}, ({ sandbox }) =>
    ok(pausingView(false, sandbox.dispatch({ type: 'deliveries.resume' }))),
  ),
  route('POST', 'deliveries/retry', { body: RETRY }, ({ sandbox, body: { status, eventType, endpoint } }) => {
    const endpointId = endpoint === undefined ? undefined : lookUp(sandbox.world, 'recipient', endpoint).id;
    const filter = { status, eventType, endpointId };
    return { status: 202, body: retriedView(sandbox.dispatch({ type: 'deliveries.retry', ...filter })) };
  }),
  route('POST', 'deliveries/:id/retry', {}, ({ sandbox, param }) => {
    const { id: deliveryId } = lookUp(sandbox.world, 'delivery', param('id'));
    const delivery = sandbox.dispatch({ type: 'delivery.retry', deliveryId });
    return { status: 202, body: deliveryLine(sandbox, delivery) };
  }),
  route('POST', 'trigger', { query: OF_APP, body: TRIGGER }, trigger),
  // The deliveries, once all have reached `until` or the time is up.
  route('POST', 'deliveries/until', { body: AWAITED }, async ({ sandbox, body }) => {
    const deliveries = body.ids.map((id) => lookUp(sandbox.world, 'delivery', id));
    const reached = await untilReached(sandbox, deliveries, body.until, body.timeoutMs);
    return ok({ reached, deliveries: deliveryLines(sandbox, deliveries) });
  }),
];
