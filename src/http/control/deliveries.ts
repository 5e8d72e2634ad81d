import * as is from '../../core/resources/values.js';
import { EVENT_TYPES, type EventType, PAYMENT_EVENTS } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { DELIVERY_STATUSES, isFailed } from '../../contract/transitions.js';
import {
  BODY_SCHEMA,
  createBodySchema as bodyOf,
  createNestedObject,
  createPaymentSchemas,
} from '../../core/input/bodies.js';
import { NAME_INPUT, RAW_TEXT, TEXT_LIST, integerRange } from '../../core/input/kinds.js';
import { requireRow, requireRowOfAnyKind } from '../../core/named-rows.js';
import { paginate, PAGE_FIELDS } from '../../core/page.js';
import { listRowsFrom } from '../../core/table.js';
import { listHeldDeliveries } from '../../core/webhooks/deliveries.js';
import { EVENT_PATTERN } from '../../core/webhooks/faults.js';
import { toOverrides } from '../../core/webhooks/overrides.js';
import { TRIGGER_FIELDS, type TriggerInput } from '../../core/webhooks/trigger.js';
import type { AnnouncedEvent, Delivery } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array, record, unionBy } from '../../schema/compound.js';
import { renameField, nullish, optional, type ValuesOf } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { withDoc, enumOf } from '../../schema/values.js';
import { presentPageView, PRIVATE_HEADERS } from '../shared/response.js';
import {
  DEFAULT_TIMEOUT_MS,
  MILESTONES,
  WAIT_TIMEOUT,
  waitForMilestone,
  waitForEffect,
} from '../shared/wait-for-milestone.js';
import {
  DELIVERY_DETAIL,
  DELIVERY_LINE,
  presentDeliveryLine,
  presentDeliveryLines,
  presentDeliveryDetail,
  EVENT_LINE,
  EVENT_DETAIL,
  presentEventLine,
  presentEventDetail,
  EVENT_PAYLOAD,
} from './exchanges.js';
import {
  findAppFilter,
  type ControlRequest,
  defineGet,
  createListKey,
  APP_QUERY,
  definePost,
} from './route.js';
import { setImmediate } from 'node:timers/promises';

/** Delivery filters for listing and waiting. */
const FILTERS = {
  status: optional(enumOf(DELIVERY_STATUSES)),
  failed: withDoc('Only deliveries whose last attempt failed.', optional(enumOf(['true', 'false']))),
  eventType: renameField('event_type', optional(enumOf(EVENT_TYPES))),
  endpoint: optional(NAME_INPUT),
  event: optional(NAME_INPUT),
  code: optional(RAW_TEXT),
  ...APP_QUERY,
};
const NO_FILTERS = {
  status: undefined,
  failed: undefined,
  eventType: undefined,
  endpoint: undefined,
  event: undefined,
  code: undefined,
  app: undefined,
};

/** Cursor key of the unfiltered delivery list. */
export const DELIVERY_LIST_KEY = createListKey('deliveries', NO_FILTERS);

/** Looks up the application for each delivery, because the application may not exist yet. */
function deliveryFilter({ world }: Sandbox, wanted: ValuesOf<typeof FILTERS>) {
  const { status, failed, eventType, endpoint, event, code, app } = wanted;
  return (delivery: Delivery) => {
    const owner = world.apps.byId.get(delivery.event.resource.appId);
    return (
      (app === undefined || owner?.id === app || owner?.name === app) &&
      (status === undefined || delivery.status === status) &&
      (failed === undefined || (delivery.lastError !== null) === (failed === 'true')) &&
      (eventType === undefined || delivery.event.type === eventType) &&
      (endpoint === undefined || delivery.endpointId === endpoint) &&
      (event === undefined || delivery.event.id === event) &&
      (code === undefined || delivery.event.resource.code === code)
    );
  };
}

/** Waiting for the deliveries of new or resent events. */
const WAITING = {
  until: nullish(enumOf(MILESTONES)),
  timeoutMs: renameField('timeout', nullish(WAIT_TIMEOUT, DEFAULT_TIMEOUT_MS)),
};
const OUTCOME = { reached: is.BOOLEAN, events: is.arrayOf(EVENT_LINE), deliveries: array(DELIVERY_LINE) };
const COMMON = { ...TRIGGER_FIELDS, ...WAITING };
type Counted = ValuesOf<typeof COMMON> & { readonly with: { readonly code?: string | undefined } };

function manyProblem({ count = 1, charge, withdrawal, with: fields }: Counted): string | undefined {
  const named = charge ?? withdrawal ?? fields.code;
  return count === 1 || named === undefined
    ? undefined
    : 'Must be 1 if a charge, a withdrawal or a code is specified.';
}

function sizeProblem({ count = 1, override = {} }: Counted): string | undefined {
  const characters = JSON.stringify(override).length;
  const max = LIMITS.overrideCharactersInAll;
  return count * characters <= max
    ? undefined
    : `count × ${characters} characters of override must be at most ${max}; got ${count * characters}.`;
}

function triggerOf<const Event extends EventType, Value extends Counted['with'], Json>(
  events: readonly Event[],
  fields: Schema<Value, Json>,
) {
  return bodyOf(
    { event: renameField('type', enumOf(events)), ...COMMON, with: createNestedObject(fields) },
    {
      rules: [
        { of: ['count', 'charge', 'withdrawal', 'with'], problem: manyProblem },
        { of: ['count', 'override'], problem: sizeProblem },
      ],
    },
  );
}

/** Trigger request body. */
const TRIGGER = unionBy(BODY_SCHEMA, 'type', [
  triggerOf(PAYMENT_EVENTS.charge, createPaymentSchemas('charge', 'a charge')),
  triggerOf(PAYMENT_EVENTS.withdrawal, createPaymentSchemas('withdrawal', 'a withdrawal')),
]);

/** Maximum number of events created per event-loop turn, so that deliveries can start in between. */
const EVENTS_PER_TURN = 50;

/**
 * Creates the events and returns them with their deliveries. `isWhole` is false if the sandbox was reset or
 * closed before all were created.
 */
async function createEvents({ sandbox, withCause }: ControlRequest, input: TriggerInput, count: number) {
  const { world } = sandbox;
  const events: AnnouncedEvent[] = [];
  const deliveries: Delivery[] = [];
  const ending = new AbortController();
  const over = () => ending.abort();
  const ends = [sandbox.onReset(over), sandbox.onClose(over)];
  const make = () => {
    const first = world.deliveryCount;
    const triggered = sandbox.dispatch({ type: 'trigger', ...input });
    events.push(...triggered.events);
    const fresh = listRowsFrom(world.deliveries, first);
    deliveries.push(...fresh.filter(({ event }) => triggered.events.includes(event)));
  };
  try {
    for (let made = 0; made < count && !ending.signal.aborted; made += 1) {
      withCause(make);
      if ((made + 1) % EVENTS_PER_TURN === 0 && made + 1 < count) await setImmediate();
    }
  } finally {
    for (const end of ends) end();
  }
  return { isWhole: !ending.signal.aborted, events, deliveries };
}

/** Waits for the deliveries of these events, if requested, and presents both. */
async function waitForOutcome(
  sandbox: Sandbox,
  { isWhole, events, deliveries }: Awaited<ReturnType<typeof createEvents>>,
  { until, timeoutMs }: ValuesOf<typeof WAITING>,
) {
  const reached =
    isWhole && (until === undefined || (await waitForMilestone(sandbox, deliveries, until, timeoutMs)));
  return {
    reached,
    events: events.map(presentEventLine),
    deliveries: presentDeliveryLines(sandbox, deliveries),
  };
}

const REACHED = { reached: is.BOOLEAN, deliveries: array(DELIVERY_LINE) };

const TRIGGER_ROUTE = definePost(
  'trigger',
  'Trigger an event through a real charge or withdrawal transition.',
  OUTCOME,
  { query: APP_QUERY, body: TRIGGER, errors: ['CODE_REUSED', 'INVALID_TRANSITION'] },
)(async (request) => {
  const { sandbox, body, query } = request;
  const { count = 1, until, timeoutMs, with: fields, override = {}, ...rest } = body;
  const field = rest.event.startsWith('pix.') ? 'chargeFields' : 'withdrawalFields';
  const input = { ...rest, appId: query.app, overrides: toOverrides(override), [field]: fields };
  return waitForOutcome(sandbox, await createEvents(request, input, count), { until, timeoutMs });
});

export const EVENT_ROUTES = [
  TRIGGER_ROUTE,
  defineGet('events', 'List the events.', is.createPageSchema(EVENT_LINE), {
    query: { type: optional(enumOf(EVENT_TYPES)), ...APP_QUERY, ...PAGE_FIELDS },
  })(({ sandbox: { world }, query: { type, app: idOrName, ...paging } }) => {
    const app = findAppFilter(world, idOrName);
    const matches = (event: AnnouncedEvent) =>
      (type === undefined || event.type === type) && (app === undefined || event.resource.appId === app.id);
    const key = createListKey('events', { type, app: app?.id });
    return presentPageView(paginate(world, world.events.rows, key, paging, matches), presentEventLine);
  }),
  defineGet(
    'events/:id',
    'Get an event with its body.',
    EVENT_DETAIL,
  )(({ sandbox, row }) => presentEventDetail(sandbox, row('event'))),
  defineGet(
    'events/:id/body',
    'Get the exact event body, as signed and sent in every attempt.',
    EVENT_PAYLOAD,
  )(({ sandbox, row }) => {
    const bytes = sandbox.epoch.bodyOf(row('event'));
    const headers = { 'content-type': 'application/json', ...PRIVATE_HEADERS };
    return new Response(new Uint8Array(bytes), { headers });
  }),
  definePost('events/:id/resend', 'Resend an event.', OUTCOME, {
    body: { endpoint: nullish(NAME_INPUT), ...WAITING },
    status: 202,
    errors: ['INVALID_TRANSITION'],
  })(({ sandbox, row, body: { endpoint, ...waiting } }) => {
    const { world } = sandbox;
    const event = row('event');
    const endpointId = endpoint === undefined ? undefined : requireRow(world, 'endpoint', endpoint).id;
    const deliveries = sandbox.dispatch({ type: 'event.resend', eventId: event.id, endpointId });
    return waitForOutcome(sandbox, { isWhole: true, events: [event], deliveries }, waiting);
  }),
];

const PAUSING = { paused: is.BOOLEAN, waiting: is.COUNT };

export const DELIVERY_ROUTES = [
  defineGet('deliveries', 'List the deliveries.', is.createPageSchema(DELIVERY_LINE), {
    query: { ...FILTERS, ...PAGE_FIELDS },
  })(({ sandbox, query: { status, failed, eventType, endpoint, event, code, app, ...paging } }) => {
    const { world } = sandbox;
    const filters = {
      status,
      failed,
      eventType,
      endpoint: endpoint === undefined ? undefined : requireRow(world, 'recipient', endpoint).id,
      event: event === undefined ? undefined : requireRow(world, 'event', event).id,
      code,
      app: findAppFilter(world, app)?.id,
    };
    const key = createListKey('deliveries', filters);
    const found = paginate(world, world.deliveries.rows, key, paging, deliveryFilter(sandbox, filters));
    return presentPageView(found, (delivery) => presentDeliveryLine(sandbox, delivery));
  }),
  defineGet(
    'deliveries/wait',
    'Wait until `count` deliveries match.',
    { satisfied: is.BOOLEAN, deliveries: array(DELIVERY_LINE) },
    {
      query: {
        timeoutMs: renameField('timeout', optional(WAIT_TIMEOUT)),
        ...FILTERS,
        count: optional(integerRange(1, 1_000_000_000)),
      },
    },
  )(async ({ sandbox, context, query }) => {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, count = 1, endpoint, event, ...filters } = query;
    const { signal } = context.req.raw;
    // The resource may not exist yet.
    const idOf = (kind: 'recipient' | 'event', text: string | undefined) =>
      text === undefined ? undefined : (requireRowOfAnyKind(sandbox.world, kind, text)?.id ?? text);
    const ids = { endpoint: idOf('recipient', endpoint), event: idOf('event', event) };
    const matches = deliveryFilter(sandbox, { ...filters, ...ids });
    const found = new Set(sandbox.world.deliveries.rows.filter(matches));
    if (found.size < count) {
      await waitForEffect(sandbox, { timeoutMs, signal, onReset: () => found.clear() }, (effects) => {
        for (const effect of effects) {
          if (effect.type !== 'delivery') continue;
          if (matches(effect.delivery)) found.add(effect.delivery);
          else found.delete(effect.delivery);
        }
        return found.size >= count || undefined;
      });
    }
    const deliveries = [...found].sort((a, b) => a.ordinal - b.ordinal);
    return { satisfied: found.size >= count, deliveries: presentDeliveryLines(sandbox, deliveries) };
  }),
  defineGet(
    'deliveries/:id',
    'Get a delivery with its attempts.',
    DELIVERY_DETAIL,
  )(({ sandbox, row }) => presentDeliveryDetail(sandbox, row('delivery'))),
  definePost('deliveries/pause', 'Pause delivery attempts.', PAUSING, {
    description:
      'Attempts in flight finish. Held attempts count as neither in flight nor due, so the clock ' +
      'advances past them.',
  })(({ sandbox }) => {
    sandbox.dispatch({ type: 'deliveries.pause' });
    return { paused: true, waiting: listHeldDeliveries(sandbox.world).length };
  }),
  definePost(
    'deliveries/resume',
    'Resume held attempts in order of due time.',
    PAUSING,
  )(({ sandbox }) => ({ paused: false, waiting: sandbox.dispatch({ type: 'deliveries.resume' }).length })),
  definePost(
    'deliveries/retry',
    'Retry all failed deliveries, optionally for one event type or endpoint.',
    {
      retried: is.COUNT,
      skipped: is.COUNT,
      skipped_for: withDoc('Number of skipped deliveries by reason.', record(is.COUNT)),
    },
    {
      body: {
        status: nullish(enumOf(DELIVERY_STATUSES)),
        eventType: renameField('event_type', nullish(EVENT_PATTERN)),
        endpoint: nullish(NAME_INPUT),
      },
      status: 202,
      errors: ['NOT_FOUND'],
      description:
        '`event_type` can be a pattern such as `pix.*`; `endpoint` can be a listener name. Deliveries ' +
        'that cannot be retried stay unchanged and are counted by reason.',
    },
  )(({ sandbox, body: { status, eventType, endpoint } }) => {
    const endpointId =
      endpoint === undefined ? undefined : requireRow(sandbox.world, 'recipient', endpoint).id;
    const filter = { status, eventType, endpointId };
    const { retried, skipped } = sandbox.dispatch({ type: 'deliveries.retry', ...filter });
    const counts = [...skipped.values()];
    return {
      retried: retried.length,
      skipped: counts.reduce((sum, count) => sum + count, 0),
      skipped_for: Object.fromEntries(skipped),
    };
  }),
  definePost(
    'deliveries/:id/retry',
    'Retry a failed delivery, or make a waiting attempt now.',
    DELIVERY_LINE,
    {
      status: 202,
      errors: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'],
      description:
        'A FAILED delivery gets one more attempt; the next attempt of a PENDING delivery is made now. `latest` and ' +
        'the code of a payment select the newest FAILED delivery, if there is one.',
    },
  )(({ sandbox, row }) => {
    const { id: deliveryId } = row('delivery', ({ status }) => isFailed(status));
    return presentDeliveryLine(
      sandbox,
      sandbox.dispatch({ type: 'delivery.retry', deliveryId, early: true }),
    );
  }),
  definePost(
    'deliveries/until',
    'Wait until the specified deliveries have been attempted or have ended.',
    REACHED,
    {
      body: {
        ids: TEXT_LIST,
        until: nullish(enumOf(MILESTONES), 'ended' as const),
        timeoutMs: renameField('timeout', nullish(WAIT_TIMEOUT, DEFAULT_TIMEOUT_MS)),
      },
      errors: ['NOT_FOUND'],
    },
  )(async ({ sandbox, body }) => {
    const deliveries = body.ids.map((id) => requireRow(sandbox.world, 'delivery', id));
    const reached = await waitForMilestone(sandbox, deliveries, body.until, body.timeoutMs);
    return { reached, deliveries: presentDeliveryLines(sandbox, deliveries) };
  }),
];
