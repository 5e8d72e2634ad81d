import * as is from '../../core/resources/values.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import { body as bodyOf } from '../../core/input/body.js';
import { wholeNumber } from '../../core/input/kinds.js';
import { NAME } from '../../core/input/text-kinds.js';
import { lookUp, lookUpAny } from '../../core/named-rows.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { findEvent } from '../../core/webhooks/events.js';
import { EVENT_PATTERN } from '../../core/webhooks/fault-input.js';
import { heldBack } from '../../core/webhooks/pausing.js';
import type { RetriedAll } from '../../core/webhooks/retrying.js';
import { SKIPPED_FOR } from '../../core/webhooks/retrying.js';
import type { Delivery, AnnouncedEvent, App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { partial, named, nullish, optional } from '../../schema/fields.js';
import type { ValuesOf } from '../../schema/object.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import { presentPage, PRIVATE_HEADERS } from '../operation/answer.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS, waitFor } from '../operation/until.js';
import type { ControlRoute } from './control.js';
import { ok, route, listKey, appFilter, OF_APP } from './control.js';
import { deliveryLine, deliveryLines, deliveryView, eventLine, eventView, pausingView } from './events.js';

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

export const HISTORY_ROUTES: readonly ControlRoute[] = [
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
    const bytes = sandbox.bodyOf(findEvent(sandbox.world, param('id')));
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
];
