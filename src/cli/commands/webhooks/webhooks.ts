import type { BodiesOf, BodyOf, Invocation } from '../../program/declaration.js';
import { present, presentAt, presentPage, sandboxNow } from '../../sandbox/present.js';
import type {
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  EventView,
} from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import {
  type Column,
  facts,
  fit,
  hanging,
  harmless,
  oneLine,
  paintStatus,
  SHORT_ID,
  statusColumn,
  table,
} from '../../terminal/text.js';
import { ageText, instantText, relativeText, whenText } from '../../terminal/when.js';
import { usageError } from '../../program/errors.js';
import { comparedText } from '../../terminal/differences.js';
import { differencesOf } from '../../../text/exchange/differences.js';
import { attemptExchange } from '../../../text/exchange/shown.js';
import { attemptAgain } from '../../../text/shell/kept.js';
import { scriptOrUsage } from '../calls/calls.js';
import { ATTEMPT_ERRORS, type AttemptError, EVENT_TYPES, type EventType } from '../../../contract/enums.js';
import { TEST_RECEIVER, listenerNameOf, listenerTarget } from '../../../text/listener-name.js';

import type { DELIVERIES, ENDPOINTS, EVENTS } from './command.js';

export const events: BodiesOf<typeof EVENTS> = {
  list: presentPage('events', ({ type, app }) => ({ type, app }), eventColumns),
  show: presentAt((client, { args }) => client.get('events/:id', { id: args.id }), eventText),
  resend: presentAt(
    (client, { args, options: { endpoint } }) =>
      client.post('events/:id/resend', { id: args.id, body: { endpoint } }),
    (io, { deliveries }, nowMs) => deliveriesText(io, deliveries, nowMs),
  ),
};

function eventColumns(_: Io, nowMs: number): readonly Column<EventLine>[] {
  return [
    { title: 'ID', value: ({ id }) => id, leastWidth: 'evt_'.length + SHORT_ID },
    { title: 'EVENT', value: ({ type }) => type },
    { title: 'CODE', value: ({ resource }) => resource.code, leastWidth: 8 },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
  ];
}

function eventText(io: Io, event: EventView, nowMs: number): string {
  const { resource, deliveries } = event;
  const head = facts(io, [
    ['event', event.id],
    ['type', event.type],
    [resource.type === 'pix' ? 'charge' : 'withdrawal', `${resource.code} (${resource.id})`],
    ['created', whenText(event.created_at, nowMs)],
  ]);
  const lines = harmless(JSON.stringify(event.payload, null, 2)).split('\n');
  const payload = lines.map((line) => fit(line, io.columns)).join('\n');
  return [head, payload, deliveriesText(io, deliveries, nowMs)].join('\n\n');
}

export function deliveriesText(io: Io, deliveries: EventView['deliveries'], nowMs: number): string {
  if (deliveries.length === 0) return 'No deliveries: no endpoint takes this event.';
  return table(io, deliveries, deliveryColumns(io, nowMs));
}

export const deliveries: BodiesOf<typeof DELIVERIES> = {
  list: presentPage(
    'deliveries',
    ({ status, type: event_type, endpoint, event, app }) => ({ status, event_type, endpoint, event, app }),
    deliveryColumns,
  ),
  show: present(
    async (client, { args, options: { attempt, curl } }) => {
      const delivery = await client.get('deliveries/:id', { id: args.id });
      if (!curl) {
        return attempt === undefined
          ? delivery
          : { ...delivery, attempt_log: [attemptOf(delivery, attempt)] };
      }
      const isUnsent = delivery.attempt_log.length === 0 && attempt === undefined;
      const headers = isUnsent ? undefined : attemptOf(delivery, attempt).request_headers;
      const body = await client.getText('events/:id/body', { id: delivery.event_id });
      const { script, leftOut } = scriptOrUsage(attemptAgain(delivery, headers, body));
      return { curl: script, left_out: leftOut };
    },
    async (io, view, { client }) =>
      'curl' in view ? view.curl : deliveryText(io, view, await sandboxNow(client)),
  ),
  diff: present(
    async (client, { args }) =>
      compareAttempts(await client.get('deliveries/:id', { id: args.id }), args.from, args.to),
    (io, { from, to, ...compared }) => comparedText(io, `attempt ${from}`, `attempt ${to}`, compared),
  ),
  retry: async (invocation) => {
    const { args, options } = invocation;
    if (options.failed === (args.id !== undefined)) {
      throw usageError(
        'Which delivery? Give its id, or --failed for all that are FAILED.',
        '`npx sandbox deliveries list --status FAILED` shows them.',
      );
    }
    if (args.id === undefined) return retryFailed(invocation);
    if ((options.event ?? options.endpoint) !== undefined)
      throw usageError('--event and --endpoint go with --failed.', 'Leave out the id, or the filters.');
    await retryOne(args.id)(invocation);
  },
  pause: present(
    (client) => client.post('deliveries/pause'),
    (_, { waiting }) => `Deliveries are paused. Held back: ${waiting}.`,
    ({ program }) => `\`${program} deliveries resume\` lets them go.`,
  ),
  resume: present(
    (client) => client.post('deliveries/resume'),
    (_, { waiting }) => `Deliveries resumed. Released: ${waiting}.`,
  ),
};

function retryOne(id: string) {
  return presentAt(
    (client) => client.post('deliveries/:id/retry', { id }),
    (io, delivery, nowMs) =>
      [
        `delivery ${delivery.id} of ${delivery.event_type} is ${paintStatus(io, delivery.status)}`,
        hanging(`next  ${whatNext(io, delivery, nowMs)}`, io.columns),
      ].join('\n'),
    (io, delivery) =>
      hanging(`To see the result: \`${io.program} deliveries show ${delivery.id}\`.`, io.columns),
  );
}

/** Retries every dead letter that fits, and counts those that cannot be. */
const retryFailed: BodyOf<typeof DELIVERIES.retry> = present(
  (client, { options }) =>
    client.post('deliveries/retry', {
      body: { status: 'FAILED', event_type: options.event, endpoint: options.endpoint },
    }),
  (_, { retried }) => `Retried ${retried} ${retried === 1 ? 'delivery' : 'deliveries'}.`,
  ({ program }, { skipped, skipped_for: counts }) => {
    if (skipped === 0) return '';
    const reasons = Object.entries(counts).map(([why, count]) => `${count} ${why}`);
    return (
      `Skipped ${skipped}, by their endpoint: ${reasons.join(', ')}. \`${program} deliveries ` +
      `show <id>\` says what to do.`
    );
  },
);

type AttemptView = DeliveryView['attempt_log'][number];

/** Finds an attempt by its number, or the last one. Throws a usage error that lists the numbers. */
function attemptOf({ attempt_log: log, id }: DeliveryView, number?: number): AttemptView {
  const found = number === undefined ? log.at(-1) : log.find((attempt) => attempt.number === number);
  if (found !== undefined) return found;
  if (log.length === 0)
    throw usageError(`There was no attempt of the delivery ${id} yet.`, 'See `npx sandbox deliveries show`.');
  const known = log.map((attempt) => attempt.number).join(', ');
  throw usageError(`There is no attempt ${number} of the delivery ${id}.`, `There are ${known}.`);
}

/** Compares two attempts, by default the last two. */
function compareAttempts(delivery: DeliveryView, from?: number, to?: number) {
  const { id, attempt_log: log } = delivery;
  if ((from === undefined) !== (to === undefined))
    throw usageError('Compare two attempts; got one number.', 'Give both, or none for the last two.');
  if (log.length < 2) throw usageError(`Two attempts are compared; the delivery ${id} has ${log.length}.`);
  const before = attemptOf(delivery, from ?? log.at(-2)?.number);
  const after = attemptOf(delivery, to);
  return {
    delivery: id,
    from: before.number,
    to: after.number,
    ...differencesOf(attemptExchange(before), attemptExchange(after)),
    not_kept: [before, after]
      .filter(({ request_headers: headers }) => headers === undefined)
      .map(({ number }) => number),
  };
}

const BODY_LINES = 5;
const INDENT = '    ';

export function deliveryColumns(io: Io, nowMs: number): readonly Column<DeliveryLine>[] {
  return [
    { title: 'ID', value: ({ id }) => id, leastWidth: SHORT_ID },
    { title: 'CODE', value: ({ resource }) => resource.code, leastWidth: 8 },
    { title: 'EVENT', value: ({ event_type }) => event_type },
    statusColumn(io),
    { title: 'TRIES', value: (line) => `${line.attempts}/${line.attempt_limit}` },
    { title: 'LAST', value: lastOutcome, leastWidth: 10 },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    { title: 'NEXT', value: (delivery) => nextShort(delivery, nowMs), optional: true },
    { title: 'TO', value: endpointName, leastWidth: 16, optional: true },
  ];
}

function nextShort({ status, in_flight, blocked_by, next_attempt_at }: DeliveryLine, nowMs: number): string {
  if (in_flight) return 'under way';
  if (status === 'PENDING' && blocked_by !== null) return 'held';
  return next_attempt_at === null ? '' : relativeText(next_attempt_at, nowMs);
}

/** How the last attempt ended: the HTTP status if that explains it, otherwise the error. */
export function lastOutcome({ last_response_status, last_error }: DeliveryLine): string {
  return outcomeText(last_response_status, last_error);
}

function outcomeText(status: number | null, error: AttemptError | null): string {
  const saysAll = error === null || error === 'HTTP_STATUS' || error === 'REDIRECT';
  return saysAll && status !== null ? String(status) : (error ?? '');
}

function endpointName({ endpoint_name }: DeliveryLine): string {
  return endpoint_name ?? '(deleted)';
}

export function deliveryText(io: Io, delivery: DeliveryView, nowMs: number): string {
  const { attempts, attempt_limit, resource, last_error } = delivery;
  const head = facts(io, [
    ['delivery', delivery.id],
    ['event', `${delivery.event_type} ${delivery.event_id}`],
    [resource.type === 'pix' ? 'charge' : resource.type, `${resource.code} (${resource.id})`],
    ['to', `${endpointName(delivery)} (endpoint ${delivery.endpoint_id})`],
    ['status', delivery.status, (text) => paintStatus(io, delivery.status, text)],
    ['attempts', `${attempts} of ${attempt_limit}`],
    ['schedule', scheduleText(delivery, nowMs)],
    ['because', endedWithoutAttempt(delivery) && last_error !== null ? meaningOf(last_error) : ''],
    ['created', whenText(delivery.created_at, nowMs)],
  ]);
  const blocks = delivery.attempt_log.map((attempt) => attemptText(io, attempt, nowMs));
  return [head, ...blocks, hanging(`next  ${whatNext(io, delivery, nowMs)}`, io.columns)].join('\n\n');
}

/** Every attempt in a few words: how it ended, or when it is due. */
function scheduleText({ schedule }: DeliveryView, nowMs: number): string {
  return schedule
    .filter(({ at, due_at }) => at !== undefined || due_at !== null)
    .map(({ attempt, due_at, at, outcome }) => {
      if (at !== undefined) return `${attempt} ${outcome ?? 'under way'}`;
      return `${attempt} ${relativeText(due_at ?? '', nowMs)}`;
    })
    .join(', ');
}

/** Its endpoint was deleted or disabled while the delivery was waiting. */
function endedWithoutAttempt({ status, last_error, attempt_log }: DeliveryView): boolean {
  return status === 'FAILED' && attempt_log.at(-1)?.error !== last_error;
}

function attemptText(io: Io, attempt: AttemptView, nowMs: number): string {
  const { number, started_at, response_status, error, latency_ms, detail, body_error, response } = attempt;
  const outcome = outcomeText(response_status, error);
  const latency = latency_ms === undefined ? '' : `  ${latency_ms} ms`;
  const paint = error === null ? io.colour.green : io.colour.red;
  const lines = [`attempt ${number}  ${whenText(started_at, nowMs)}  ${paint(outcome)}${latency}`];
  if (error !== null) lines.push(INDENT + meaningOf(error));
  if (detail) lines.push(INDENT + oneLine(detail, 0));
  if (body_error) lines.push(`${INDENT}The body of the answer was cut off: ${oneLine(body_error, 0)}`);
  return [...lines, ...bodyLines(bodyText(response), io.columns)].join('\n');
}

function bodyText(response: AttemptView['response']): string {
  const { body, body_base64: encoded } = response ?? {};
  return encoded === undefined
    ? (body ?? '')
    : `${Buffer.from(encoded, 'base64').length} bytes that are not UTF-8`;
}

function meaningOf(error: AttemptError): string {
  return `${error}: ${ATTEMPT_ERRORS[error]}`;
}

/** The first lines of a receiver's answer, escaped, indented and cut to `columns`; 0 cuts none. */
function bodyLines(body: string, columns: number): string[] {
  const lines = harmless(body).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const prefix = `${INDENT}| `;
  const shown = lines
    .slice(0, BODY_LINES)
    .map((line) => prefix + fit(line, columns === 0 ? 0 : Math.max(columns - prefix.length, 1)));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `${prefix}… ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

/** What to type when nothing can reach the endpoint of a delivery. */
function blockedText(
  { blocked_by, status, endpoint_id, endpoint_name, endpoint_url, event_id }: DeliveryLine,
  program: string,
): string {
  const then = status === 'FAILED' ? ', then retry it' : '';
  switch (blocked_by) {
    case 'paused': {
      return `held while deliveries are paused; \`${program} deliveries resume\` lets them go`;
    }
    case 'away': {
      const what = status === 'FAILED' ? 'nothing' : 'held';
      return `${what} while its listener is away; ${againText(program, endpoint_url, endpoint_name)}${then}`;
    }
    case 'disabled': {
      return `nothing; \`${program} endpoints enable ${endpoint_id}\`${then}`;
    }
    default: {
      return (
        `nothing: its endpoint is gone; \`${program} events resend ${event_id}\` sends the event ` +
        'to those there are now'
      );
    }
  }
}

/** What happens next to a delivery, and what to type. */
function whatNext({ program }: Io, delivery: DeliveryLine, nowMs: number): string {
  const { id, status, attempts, attempt_limit, in_flight, next_attempt_at, delivered_at } = delivery;
  if (in_flight) return `attempt ${attempts + 1} is under way`;
  if (status === 'DELIVERED') {
    return `nothing: delivered${delivered_at === null ? '' : ` at ${instantText(delivered_at)}`}`;
  }
  if (delivery.blocked_by !== null) return blockedText(delivery, program);
  if (status === 'FAILED') {
    return `nothing by itself; \`${program} deliveries retry ${id}\` makes one more attempt`;
  }
  const when = next_attempt_at === null ? 'soon' : whenText(next_attempt_at, nowMs);
  return `attempt ${attempts + 1} of ${attempt_limit} ${when}; \`${program} clock next\` jumps to what is due`;
}

type OfEndpoint = Invocation<{ readonly id: string }>;

function change(verb: 'disable' | 'enable') {
  return present(
    (client, { args }: OfEndpoint) => client.post(`endpoints/:id/${verb}`, { id: args.id }),
    (io, endpoint) => {
      const state = paintStatus(io, endpointState(endpoint));
      return hanging(`endpoint ${endpoint.id} (${oneLine(endpoint.url, 0)}) is ${state}.`, io.columns);
    },
  );
}

export const endpoints: BodiesOf<typeof ENDPOINTS> = {
  list: present(
    (client, { options }) => client.get('endpoints', { app: options.app }),
    (io, { data }) => (data.length === 0 ? 'No endpoints.' : endpointTable(io, data)),
  ),
  create: present(
    (client, { args, options: { events, description, app } }) =>
      client.post('endpoints', { app, body: { url: args.url, events, description } }),
    secretText,
    () => 'Keep the secret: it is not shown again.',
  ),
  rotate: present(
    (client, { args }: OfEndpoint) => client.post('endpoints/:id/rotate-secret', { id: args.id }),
    secretText,
    () => 'Keep the secret. The one before it signs beside it for 24 hours.',
  ),
  remove: present(
    (client, { args }: OfEndpoint) => client.delete('endpoints/:id', { id: args.id }),
    (_, __, { args }) => `endpoint ${oneLine(args.id, 0)} is deleted.`,
  ),
  disable: change('disable'),
  enable: change('enable'),
};

/** How a listener that is away comes back, from its URL and description as an endpoint. */
function againText(program: string, url: string | null, description: string | null): string {
  const name = listenerNameOf(url ?? '');
  if (name === TEST_RECEIVER) return 'turn on the test receiver again: v in the terminal of `start`';
  const { target } = listenerTarget(description) ?? {};
  const forward = target === undefined ? '' : ` --forward-to ${target}`;
  return `start \`${program} listen --name ${name}${forward}\` again`;
}

/** Whether it receives deliveries: a listener is connected or away, an endpoint ACTIVE or DISABLED. */
function endpointState({ status, connected }: EndpointView): string {
  if (connected === null || status === 'DISABLED') return status;
  return connected ? 'connected' : 'away';
}

export function endpointTable(io: Io, endpoints: readonly EndpointView[]): string {
  const columns: Column<EndpointView>[] = [
    { title: 'ID', value: ({ id }) => id },
    {
      title: 'STATE',
      value: endpointState,
      paint: (text, endpoint) => paintStatus(io, endpointState(endpoint), text),
    },
    { title: 'URL', value: ({ url }) => url, leastWidth: 24 },
    { title: 'RETRIES', value: ({ retries }) => (retries === 'real' ? '' : retries), optional: true },
    {
      title: 'EVENTS',
      value: ({ events }) => (events.length === EVENT_TYPES.length ? 'all' : events.join(' ')),
      leastWidth: 11,
      optional: true,
    },
    { title: 'DELIVERIES', value: ({ deliveries }) => String(deliveries), optional: true },
    { title: 'DESCRIPTION', value: ({ description }) => description ?? '', leastWidth: 12, optional: true },
  ];
  return table(io, endpoints, columns);
}

function secretText(io: Io, endpoint: EndpointView & { readonly secret: string }): string {
  const state = endpointState(endpoint);
  return facts(io, [
    ['endpoint', endpoint.id],
    ['url', endpoint.url],
    ['state', state, (text) => paintStatus(io, state, text)],
    ['events', endpoint.events.join(' ')],
    ['description', endpoint.description ?? ''],
    ['secret', endpoint.secret],
  ]);
}

/** More endpoints would not be read. */
const MOST = 3;

/**
 * Why none of these endpoints receives an event of this type, and what to type: that they are disabled or
 * away, otherwise that they want other events. Newest first; empty if there are none.
 */
export function unreachedHints(
  program: string,
  type: EventType,
  endpoints: readonly EndpointView[],
): readonly string[] {
  const newest = endpoints.toReversed();
  const stopped = newest.filter(
    (endpoint) => endpoint.events.includes(type) && ['DISABLED', 'away'].includes(endpointState(endpoint)),
  );
  const others = newest.filter(({ events }) => !events.includes(type));
  return (stopped.length > 0 ? stopped : others)
    .slice(0, MOST)
    .map((endpoint) => hint(program, type, endpoint));
}

function hint(program: string, type: EventType, endpoint: EndpointView): string {
  const { id, url, description, events, connected } = endpoint;
  const name = connected === null ? `endpoint ${oneLine(url, 0)}` : `listener ${listenerNameOf(url)}`;
  if (!events.includes(type)) {
    const only = `The ${name} receives only ${events.join(', ')};`;
    return connected === null
      ? `${only} \`${program} endpoints create ${oneLine(url, 0)} --events ${type}\` registers one for ${type}.`
      : `${only} its --events, or the setting \`events\`, has to include ${type}.`;
  }
  return endpointState(endpoint) === 'DISABLED'
    ? `The ${name} is disabled; \`${program} endpoints enable ${id}\` enables it.`
    : `The ${name} is away; ${againText(program, url, description)}.`;
}
