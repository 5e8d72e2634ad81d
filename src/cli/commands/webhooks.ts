import type { ControlClient } from '../../client/control.js';
import { FAULTS } from '../../contract/fault-kinds.js';
import { DELIVERY_STATUSES, isDelivered, isFailed, isPending } from '../../contract/transitions.js';
import type { DeliveryLine, DeliveryView, EventLine, EventView } from '../../http/control/exchanges.js';
import { diffExchanges } from '../../text/exchange/differences.js';
import { presentAttemptExchange, formatOutcome } from '../../text/exchange/present-exchange.js';
import { completeRows, completeWords } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import { createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import * as option from '../program/options.js';
import {
  EVENT_PATTERN_VALUES,
  defineEventType,
  EXAMPLE_IDS,
  APP_OPTION,
  PAGE_OPTIONS,
  WAIT_EXITS,
  WAIT_OPTIONS,
} from '../program/shared-options.js';
import * as shown from '../terminal/text.js';
import { formatAge, formatInstant, formatRelativeTime, formatMoment } from '../terminal/time-text.js';
import { messageText, shortenImageValue } from './calls.js';
import { formatListenCommand } from './endpoints.js';
import { type FoundAttempt, fetchAttempt, fetchDelivery } from '../sandbox/find-sandbox.js';
import { describeAttemptError } from './listen/attempt-text.js';
import {
  explainFailure,
  formatHint,
  formatVerifyCommand,
  isReceiverFailure,
  toRecordedResponse,
} from './listen/failure-hints.js';

const OF_EVENT = {
  args: { id: option.requireArgument(completeRows('events')) },
  examples: [EXAMPLE_IDS.event],
};
const OF_DELIVERY = { id: option.requireArgument(completeRows('deliveries')) };

export const resend = declareCommand({
  name: 'events resend',
  summary: 'resend an event with the same webhook-id',
  description:
    'Creates a new delivery to every subscribed endpoint, or to one of them, and shows the deliveries like `trigger`.',
  ...OF_EVENT,
  options: {
    endpoint: option.defineText('id', 'resend only to this endpoint', completeRows('endpoints')),
    ...WAIT_OPTIONS,
  },
  exits: WAIT_EXITS,
});

export const events = {
  about: 'list, show and resend events',
  related: ['deliveries', 'trigger'],
  commands: [
    declareCommand({
      name: 'events list',
      summary: 'list events, newest first',
      options: { type: defineEventType('only events of this type'), ...APP_OPTION, ...PAGE_OPTIONS },
      examples: ['', '--type pix.settled'],
    }).shows(
      (client, { options: { url: _url, ...query } }) => client.get('events', query),
      shown.formatList('No events.', eventColumns),
      shown.formatPageNote,
    ),
    declareCommand({
      name: 'events show',
      summary: 'show an event with its payload and deliveries',
      ...OF_EVENT,
    }).shows((client, { args }) => client.get('events/:id', { id: args.id }), eventText),
    resend.runs(async () => (await import('./trigger.js')).runResend),
  ],
};

function eventColumns(_: Io, nowMs: number): readonly shown.TextColumn<EventLine>[] {
  return [
    shown.createColumn('id', { minWidth: 'evt_'.length + shown.SHORT_ID }),
    { title: 'EVENT', value: ({ type }) => type },
    { title: 'CODE', value: ({ resource }) => resource.code },
    { title: 'AGE', value: ({ created_at }) => formatAge(created_at, nowMs) },
  ];
}

function eventText(io: Io, event: EventView, nowMs: number): string {
  const { resource, deliveries } = event;
  const head = shown.formatFacts(io, [
    ['event', event.id],
    ['type', event.type],
    [resource.type === 'pix' ? 'charge' : 'withdrawal', `${resource.code} (${resource.id})`],
    ['created', formatMoment(event.created_at, nowMs)],
  ]);
  const lines = shown
    .escapeControlCharacters(JSON.stringify(event.payload, shortenImageValue, 2))
    .split('\n');
  const payload = lines.map((line) => shown.fitText(line, io.columns)).join('\n');
  return [head, payload, formatDeliveries(io, deliveries, nowMs)].join('\n\n');
}

export function formatDeliveries(io: Io, deliveries: EventView['deliveries'], nowMs: number): string {
  if (deliveries.length === 0) return 'No deliveries: no endpoint is subscribed to this event.';
  return shown.formatTable(io, deliveries, createDeliveryColumns(io, nowMs));
}

export const deliveries = {
  about: 'inspect, retry, pause and resume deliveries',
  related: ['events', 'endpoints', 'clock advance', 'logs'],
  commands: [
    declareCommand({
      name: 'deliveries list',
      summary: 'list deliveries, newest first',
      options: {
        status: option.defineChoice(
          'status',
          'PENDING, DELIVERED or FAILED',
          DELIVERY_STATUSES,
          'delivery status',
        ),
        failed: option.defineFlag('only deliveries whose last attempt failed, FAILED or not'),
        type: defineEventType('only deliveries of this event type'),
        endpoint: option.defineText('id', 'only deliveries to this endpoint', completeRows('endpoints')),
        event: option.defineText('id', 'only deliveries of this event', completeRows('events')),
        code: option.defineText('code', 'only deliveries of the payment with this code'),
        ...APP_OPTION,
        ...PAGE_OPTIONS,
      },
      examples: ['', '--failed', '--status PENDING'],
    }).shows(
      (client, { options: { url: _url, type: event_type, failed, ...query } }) =>
        client.get('deliveries', { event_type, failed: failed ? 'true' : undefined, ...query }),
      shown.formatList('No deliveries.', createDeliveryColumns),
      (io, page, _, { options: { status } }) =>
        isFailed(status) && page.data.length === 0
          ? `FAILED deliveries have no attempt left. \`${io.program} deliveries list --failed\` also lists ` +
            'deliveries that will be retried.'
          : shown.formatPageNote(io, page),
    ),
    declareCommand({
      name: 'deliveries show',
      summary: 'show a delivery with every attempt',
      description:
        'The code of a payment selects its newest delivery; `deliveries list --code` shows all. ' +
        'With --curl, prints a command for sh, bash and zsh that resends an attempt at any time, ' +
        'signed with the secret from an environment variable.',
      args: OF_DELIVERY,
      options: {
        attempt: option.defineCount('number', 'only this attempt'),
        curl: option.defineFlag('print a curl command for the attempt (default: the last)'),
      },
      examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} --curl`],
    }).shows(
      async (client, { args, options: { attempt, curl } }) => {
        const delivery = await fetchDelivery(client, args.id);
        if (curl) return curlOf(client, delivery, attempt);
        const body = await client.getText('events/:id/body', { id: delivery.event_id });
        const log = attempt === undefined ? delivery.attempt_log : [fetchAttempt(delivery, attempt)];
        return { ...delivery, request_body: body, attempt_log: log };
      },
      (io, view, nowMs) => ('curl' in view ? view.curl : formatDelivery(io, view, nowMs)),
    ),
    declareCommand({
      name: 'deliveries diff',
      summary: 'compare two attempts of a delivery, by default the last two',
      args: { ...OF_DELIVERY, from: option.acceptNumber(), to: option.acceptNumber() },
      examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} 1 3`],
    }).shows(
      async (client, { args }) => compareAttempts(await fetchDelivery(client, args.id), args.from, args.to),
      (io, { from, to, ...compared }) =>
        shown.formatComparison(io, `attempt ${from}`, `attempt ${to}`, compared),
    ),
    declareCommand({
      name: 'deliveries retry',
      summary: 'retry a failed delivery now, or all FAILED deliveries',
      description:
        'A FAILED delivery gets one more attempt; the next attempt of a PENDING delivery is made now. ' +
        '`latest` and the code of a payment select the newest FAILED delivery, if there is one.',
      args: { id: option.acceptArgument(completeRows('deadLetters')) },
      options: {
        failed: { ...option.defineFlag('retry every FAILED delivery'), alias: '--all' },
        event: option.defineText(
          'type',
          '--failed: only deliveries of this event type, e.g. pix.*',
          completeWords(EVENT_PATTERN_VALUES),
        ),
        endpoint: option.defineText(
          'id',
          '--failed: only deliveries to this endpoint, or to the listener with this name',
          completeRows('endpoints'),
        ),
      },
      examples: [EXAMPLE_IDS.delivery, '--failed', '--failed --event pix.*'],
      check: ({ args, options }) => {
        if (options.failed && args.id !== undefined)
          throw createUsageError('Pass either a delivery id or --failed, not both.', 'Omit one of them.');
        if (!options.failed && args.id === undefined) {
          throw createUsageError(
            'Specify a delivery id, or --failed for all FAILED deliveries.',
            '`npx sandbox deliveries list --status FAILED` shows the ids.',
          );
        }
        if (args.id !== undefined && (options.event ?? options.endpoint) !== undefined)
          throw createUsageError('--event and --endpoint require --failed.', 'Omit the id or the filters.');
      },
    }).shows(
      async (client, { args: { id }, options: { event: event_type, endpoint } }) =>
        id === undefined
          ? client.post('deliveries/retry', { body: { event_type, endpoint } })
          : client.post('deliveries/:id/retry', { id }),
      (io, view, nowMs) =>
        'retried' in view
          ? `Retried ${view.retried} ${view.retried === 1 ? 'delivery' : 'deliveries'}.`
          : `delivery ${view.id} of ${view.event_type} is ${shown.colorStatus(io, view.status)}\n` +
            shown.formatHanging(`next  ${whatNext(io, view, nowMs)}`, io.columns),
      (io, view) => {
        if (!('retried' in view))
          return shown.formatHanging(
            `To see the result: \`${io.program} deliveries show ${view.id}\`.`,
            io.columns,
          );
        if (view.skipped === 0) return '';
        const reasons = Object.entries(view.skipped_for).map(([why, count]) => `${count} ${why}`);
        return (
          `Skipped ${view.skipped} because of their endpoints: ${reasons.join(', ')}. \`${io.program} deliveries ` +
          `show <id>\` explains what to do.`
        );
      },
    ),
    declareCommand({
      name: 'deliveries pause',
      summary: 'hold all new attempts',
      description:
        'Attempts in flight finish. Due attempts wait for `deliveries resume`; until then, they ' +
        'count neither as in flight nor as due, so the clock passes them and the sandbox is idle.',
    }).shows(
      (client) => client.post('deliveries/pause'),
      (_, { waiting }) => `Deliveries are paused. Held: ${waiting}.`,
      ({ program }) => `To resume deliveries: \`${program} deliveries resume\`.`,
    ),
    declareCommand({ name: 'deliveries resume', summary: 'release the held attempts in order' }).shows(
      (client) => client.post('deliveries/resume'),
      (_, { waiting }) => `Deliveries resumed. Released: ${waiting}.`,
    ),
  ],
};

async function curlOf(client: ControlClient, delivery: DeliveryView, number: number | undefined) {
  const { createAttemptScript } = await import('../../text/shell/curl.js');
  const isUnsent = delivery.attempt_log.length === 0 && number === undefined;
  const headers = isUnsent ? undefined : fetchAttempt(delivery, number).request_headers;
  const body = await client.getText('events/:id/body', { id: delivery.event_id });
  const again = createAttemptScript(delivery, headers, body);
  if ('problem' in again) throw createUsageError(again.problem, again.hint);
  return { curl: again.script, left_out: again.leftOut };
}

/** Compares two attempts, by default the last two. */
function compareAttempts(delivery: DeliveryView, from?: number, to?: number) {
  const { id, attempt_log: log } = delivery;
  if ((from === undefined) !== (to === undefined))
    throw createUsageError(
      'Comparing requires two attempt numbers; got one.',
      'Pass both numbers, or none to compare the last two attempts.',
    );
  if (log.length < 2)
    throw createUsageError(`Comparing requires two attempts; the delivery ${id} has ${log.length}.`);
  const before = fetchAttempt(delivery, from ?? log.at(-2)?.number);
  const after = fetchAttempt(delivery, to);
  return {
    delivery: id,
    from: before.number,
    to: after.number,
    ...diffExchanges(presentAttemptExchange(before), presentAttemptExchange(after)),
    not_kept: [before, after].filter((one) => one.request_headers === undefined).map((one) => one.number),
  };
}

const BODY_LINES = 5;
const INDENT = '    ';

export function createDeliveryColumns(io: Io, nowMs: number): readonly shown.TextColumn<DeliveryLine>[] {
  return [
    shown.createColumn('id', { minWidth: shown.SHORT_ID }),
    { title: 'CODE', value: ({ resource }) => resource.code },
    { title: 'EVENT', value: ({ event_type }) => event_type },
    shown.createStatusColumn(io),
    { title: 'TRIES', value: (line) => `${line.attempts}/${line.attempt_limit}` },
    { title: 'LAST', value: formatLastOutcome, minWidth: 10 },
    { title: 'AGE', value: ({ created_at }) => formatAge(created_at, nowMs), optional: true },
    { title: 'NEXT', value: (delivery) => nextShort(delivery, nowMs), optional: true },
    { title: 'TO', value: endpointName, minWidth: 16, optional: true },
  ];
}

function nextShort({ status, in_flight, blocked_by, next_attempt_at }: DeliveryLine, nowMs: number): string {
  if (in_flight) return 'in flight';
  if (isPending(status) && blocked_by !== null) return blocked_by === 'frozen' ? 'frozen' : 'held';
  return next_attempt_at === null ? '' : formatRelativeTime(next_attempt_at, nowMs);
}

/** Formats the last attempt's outcome: the HTTP status if it explains the result, otherwise the error. */
export function formatLastOutcome({ last_response_status: status, last_error: error }: DeliveryLine): string {
  const saysAll = error === null || error === 'HTTP_STATUS' || error === 'REDIRECT';
  return saysAll && status !== null ? String(status) : (error ?? '');
}

function endpointName({ endpoint_name }: DeliveryLine): string {
  return endpoint_name ?? '(deleted)';
}

export function formatDelivery(
  io: Io,
  delivery: DeliveryView & { readonly request_body?: string },
  nowMs: number,
): string {
  const { attempts, attempt_limit, resource, last_error, attempt_log: log, status } = delivery;
  // The endpoint was deleted or disabled while the delivery was waiting.
  const isUnsent = isFailed(status) && last_error !== null && log.at(-1)?.error !== last_error;
  const head = shown.formatFacts(io, [
    ['delivery', delivery.id],
    ['event', `${delivery.event_type} ${delivery.event_id}`],
    [resource.type === 'pix' ? 'charge' : resource.type, `${resource.code} (${resource.id})`],
    ['to', `${endpointName(delivery)} (endpoint ${delivery.endpoint_id})`],
    ['status', status, (text) => shown.colorStatus(io, status, text)],
    ['attempts', `${attempts} of ${attempt_limit}`],
    ['schedule', scheduleText(delivery, nowMs)],
    ['reason', isUnsent ? describeAttemptError(last_error) : ''],
    ['created', formatMoment(delivery.created_at, nowMs)],
  ]);
  const sent = log.findLast(({ request_headers: headers }) => headers !== undefined);
  const headers = Object.entries(sent?.request_headers ?? {});
  const message = { headers, body: delivery.request_body, truncated: false };
  const request = `request${sent === undefined ? '' : ` of attempt ${sent.number}`}\n${messageText(io, message)}`;
  const blocks = log.map((attempt) => attemptText(io, delivery, attempt, nowMs));
  return [
    head,
    request,
    ...blocks,
    shown.formatHanging(`next  ${whatNext(io, delivery, nowMs)}`, io.columns),
  ].join('\n\n');
}

/** Summarizes every attempt by its outcome or due time. */
function scheduleText({ schedule }: DeliveryView, nowMs: number): string {
  return schedule
    .filter(({ at, due_at }) => at !== undefined || due_at !== null)
    .map(({ attempt, due_at, at, outcome }) => {
      if (at !== undefined) return `${attempt} ${outcome ?? 'in flight'}`;
      return `${attempt} ${formatRelativeTime(due_at ?? '', nowMs)}`;
    })
    .join(', ');
}

function attemptText(io: Io, delivery: DeliveryView, attempt: FoundAttempt, nowMs: number): string {
  const { number, started_at, response_status, error, latency_ms, detail, body_error } = attempt;
  const latency = latency_ms === undefined ? '' : `  ${latency_ms} ms`;
  const paint = error === null ? io.colors.green : io.colors.red;
  const outcome = paint(formatOutcome({ status: response_status, error }));
  const lines = [`attempt ${number}  ${formatMoment(started_at, nowMs)}  ${outcome}${latency}`];
  if (error !== null) lines.push(INDENT + describeAttemptError(error));
  if (detail) lines.push(INDENT + shown.toOneLine(detail, 0));
  if (body_error) lines.push(`${INDENT}The response body was cut off: ${shown.toOneLine(body_error, 0)}`);
  const causes = findCauses(io, delivery, attempt);
  return [
    ...lines,
    ...shown.formatBodyLines(io, bodyText(attempt), `${INDENT}| `, BODY_LINES),
    ...causes.map((line) => INDENT + shown.formatHanging(line, io.columns, INDENT)),
  ].join('\n');
}

/**
 * Explains a failed attempt by its faults, or by its response. Omits the explanation if the next attempt failed
 * in the same way.
 */
export function findCauses(
  io: Io,
  { id, target_url, attempt_log: log }: DeliveryView,
  attempt: FoundAttempt,
): readonly string[] {
  const faults = attempt.faults.map(
    ({ action }) => `${io.colors.magenta('fault')} ${action}: ${FAULTS.delivery[action]?.meaning}`,
  );
  const hint = (one: FoundAttempt | undefined, command?: string) => {
    if (one === undefined || one.error === null || !isReceiverFailure(one.faults)) return undefined;
    const cause = explainFailure(target_url, toRecordedResponse(one));
    return cause && formatHint(cause, one.response_status === null ? undefined : command);
  };
  const next = log.find(({ number }) => number === attempt.number + 1);
  const text = hint(attempt);
  if (text === undefined || text === hint(next)) return faults;
  const number = attempt === log.at(-1) ? undefined : attempt.number;
  return [...faults, hint(attempt, formatVerifyCommand(io, id, number)) ?? text];
}

function bodyText({ response }: FoundAttempt): string {
  const { body, body_base64: encoded } = response ?? {};
  return encoded === undefined ? (body ?? '') : `${Buffer.from(encoded, 'base64').length} bytes, not UTF-8`;
}

/** Describes the next step of a delivery, with a command if needed. */
function whatNext({ program }: Io, delivery: DeliveryLine, nowMs: number): string {
  const { id, status, attempts, attempt_limit, in_flight, next_attempt_at, delivered_at } = delivery;
  const { blocked_by, endpoint_id, endpoint_name, endpoint_url, event_id } = delivery;
  if (in_flight) return `attempt ${attempts + 1} is in flight`;
  if (isDelivered(status)) {
    return `nothing: delivered${delivered_at === null ? '' : ` at ${formatInstant(delivered_at)}`}`;
  }
  const then = isFailed(status) ? ', then retry it' : '';
  if (blocked_by === 'paused')
    return `held while deliveries are paused; \`${program} deliveries resume\` resumes them`;
  if (blocked_by === 'away') {
    const what = isFailed(status) ? 'nothing' : 'held';
    const command = formatListenCommand(program, endpoint_url, endpoint_name);
    return `${what} while its listener is not connected; ${command}${then}`;
  }
  if (blocked_by === 'disabled') return `nothing; \`${program} endpoints enable ${endpoint_id}\`${then}`;
  if (blocked_by === 'deleted')
    return (
      `nothing: its endpoint was deleted; \`${program} events resend ${event_id}\` sends the event ` +
      'to the current endpoints'
    );
  if (isFailed(status))
    return `no automatic retry; \`${program} deliveries retry ${id}\` makes one more attempt`;
  const when = next_attempt_at === null ? 'soon' : formatMoment(next_attempt_at, nowMs);
  const still =
    blocked_by === 'frozen' ? 'the clock is frozen: ' : blocked_by === 'fault' ? 'a fault holds it: ' : '';
  const jump = `\`${program} clock next\` jumps to the next due item`;
  return `attempt ${attempts + 1} of ${attempt_limit} ${when}; ${still}${jump}`;
}
