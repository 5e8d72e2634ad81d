import { setTimeout as pause } from 'node:timers/promises';
import { type ControlClient, SandboxError } from '../../client/control.js';
import type { RouteArguments, WaitResult, ControlApi, TriggerResult } from '../../client/routes.js';
import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { PAYMENT_FIELDS } from '../../contract/fields.js';
import { LIMITS, RETRY_HOURS } from '../../contract/limits.js';
import {
  describeEvent,
  isDelivered,
  isFailed,
  isPending,
  listMoves,
  listStatusesBefore,
} from '../../contract/transitions.js';
import { listOptionEvents, TRIGGER_NAMES } from '../../contract/trigger-options.js';
import type { DeliveryLine, EventLine } from '../../http/control/exchanges.js';
import { groupBy } from '../../text/group-by.js';
import { completeWords } from '../completion/sources.js';
import { EXIT_CODES, parseChoice, wrapRemoteError } from '../program/errors.js';
import {
  type BodyOf,
  querySandbox,
  declareCommand,
  type Invocation as AnyInvocation,
  type InvocationOf,
  type OptionValuesOf,
} from '../program/declaration.js';
import type { Io } from '../program/io.js';
import * as option from '../program/options.js';
import {
  APP_NAME_OPTION,
  TRIGGER_COMMAND_OPTIONS,
  WAIT_EXITS,
  WAIT_OPTIONS,
} from '../program/shared-options.js';
import type { PromptChoice, PromptFlow } from '../prompts/prompter.js';
import { formatItems, formatHanging, colorStatus } from '../terminal/text.js';
import { throttle } from '../terminal/time-text.js';
import { findUnreachedHints } from './endpoints.js';
import {
  createFieldOptions,
  resolvePaymentName,
  listPaymentChoices,
  createPaymentOptions,
} from './payments.js';
import { findCauses, formatLastOutcome, type resend } from './webhooks.js';

const { charge, withdrawal, ...CHANGES } = TRIGGER_COMMAND_OPTIONS;

const trigger = declareCommand({
  name: 'trigger',
  summary: 'trigger an event and show its deliveries',
  description:
    'Without --charge or --withdrawal, creates a new payment. Waits for the first attempt of ' +
    'every delivery or, with --wait, until every delivery is DELIVERED or FAILED. --override changes ' +
    'only the payload, not the resource; the value is converted to the type of the field it ' +
    'replaces. With --count, --json adds a summary.',
  args: {
    event: option.promptForArgument(
      `Specify an event: one of ${EVENT_TYPES.join(', ')}.`,
      'For example: npx sandbox trigger pix.settled',
      completeWords(EVENT_TYPES),
    ),
  },
  options: {
    charge,
    withdrawal,
    ...createFieldOptions(PAYMENT_FIELDS.all),
    ...CHANGES,
    rate: option.defineCount('n', 'events per second of real time (default: all immediately)'),
    ...WAIT_OPTIONS,
    ...APP_NAME_OPTION,
  },
  examples: [
    'pix.settled',
    'withdrawal.failed --amount 25.00 --reason AC03',
    'pix.settled --override data.object.amount=1.00 --wait',
    'pix.settled --override data.object.amount:=1',
  ],
  exits: WAIT_EXITS,
  related: ['listen', 'charges', 'withdrawals', 'deliveries show', 'clock advance'],
});

type Invocation = InvocationOf<typeof trigger>;

export default trigger.runs(async () => triggerEvent, { load: async () => triggerQuestions });

/** Returns the percentile by nearest rank; undefined for an empty list. */
export function computePercentile(numbers: readonly number[], percent: number): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)];
}

/** Slightly exceeds the time limit of an attempt. */
const FIRST_ATTEMPT_TIMEOUT = { text: '12s', ms: 12_000 };
const WAIT_TIMEOUT = { text: '30s', ms: 30_000 };
const PROGRESS_MS = 200;
const BAR_WIDTH = 24;
/** Aligns the wrapped lines of a hint with its first word. */
const HINT_INDENT = ' '.repeat('hint  '.length);

async function triggerEvent(invocation: Invocation): Promise<number> {
  const { io, args, options } = invocation;
  const type = parseChoice('event', args.event, EVENT_TYPES);
  const { count = 1, rate, app } = options;
  const fields = createPaymentOptions(options);
  const chosen = TRIGGER_NAMES.filter((name) => name !== 'count' && options[name] !== false);
  const body = {
    type,
    app,
    ...Object.fromEntries(chosen.map((name) => [name, options[name]])),
    ...(Object.keys(fields).length === 0 ? {} : { with: fields }),
  };
  const burst: TriggerBurst = {
    body,
    count,
    rate,
    ...resolveWait(options),
    signal: io.stopping,
    onProgress: progressBar(count, io),
  };
  return showOutcome(invocation, app, async (client) => {
    const made = await runBurst(client, burst).catch(nameOptions);
    return options.count === undefined ? made : { ...made, summary: summaryOf(made) };
  });
}

export const runResend: BodyOf<typeof resend> = (invocation) => {
  const { io, args, options } = invocation;
  const { until, timeout } = resolveWait(options);
  const body = { endpoint: options.endpoint, until, timeout: timeout.text };
  return showOutcome(invocation, undefined, (client) =>
    client.post('events/:id/resend', { id: args.id, body, signal: io.stopping }),
  );
};

type WaitOptions = OptionValuesOf<typeof WAIT_OPTIONS>;

function resolveWait({ wait, timeout }: WaitOptions): Pick<TriggerBurst, 'until' | 'timeout'> {
  const standard = wait ? WAIT_TIMEOUT : FIRST_ATTEMPT_TIMEOUT;
  return { until: wait ? 'ended' : 'attempted', timeout: timeout ?? standard };
}

/** Prints the deliveries created by `create`, with hints for obstacles. Returns the exit code. */
async function showOutcome(
  invocation: AnyInvocation<unknown, WaitOptions>,
  app: string | undefined,
  create: (client: ControlClient) => Promise<TriggerResult>,
): Promise<number> {
  const { io, options } = invocation;
  const triggered = await querySandbox(invocation, async (client) => {
    const made = await create(client);
    io.emit(made);
    await showTriggered(client, io, made, app);
    return made;
  });
  return options.wait ? exitCode(triggered, io) : EXIT_CODES.done;
}

/** Rethrows a validation error, with command options instead of control API fields. */
function nameOptions(error: unknown): never {
  if (!(error instanceof SandboxError) || error.code !== 'INVALID_REQUEST') throw error;
  const named = (text: string) =>
    text.replaceAll(/\bwith\.(\w+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  const { message, details, ...others } = error.body;
  throw wrapRemoteError(EXIT_CODES.usage, {
    ...others,
    message: named(message),
    details: details.map(({ field, message: problem }) => ({ field: named(field), message: problem })),
  });
}

async function showTriggered(
  client: ControlClient,
  io: Io,
  triggered: TriggerResult,
  app: string | undefined,
): Promise<void> {
  if (!io.json) {
    io.say(formatTriggered(triggered, io, await failuresOf(client, io, triggered)).join('\n'));
    const payUrl = await payUrlOf(client, triggered);
    if (payUrl !== undefined) io.say(`pay page  ${payUrl}`);
  }
  await noteObstacles(client, io, { type: triggered.events.at(-1)?.type, ...triggered }, app);
}

/** Notes why deliveries of an event were not created or not attempted. */
async function noteObstacles(
  client: ControlClient,
  io: Io,
  { type, deliveries }: Pick<TriggerResult, 'deliveries'> & { readonly type: EventType | undefined },
  app: string | undefined,
): Promise<void> {
  const { colors, columns, program } = io;
  if (deliveries.length === 0) {
    io.note(colors.yellow('No endpoint or listener receives this event.'));
    const { data } = await client.get('endpoints', { app });
    const hints = type === undefined ? [] : findUnreachedHints(program, type, data);
    for (const hint of hints.length > 0 ? hints : [listenHint(io)]) {
      io.note(`${colors.cyan('hint')}  ${formatHanging(hint, columns, HINT_INDENT)}`);
    }
  }
  const obstacles = new Set(deliveries.map(({ blocked_by: why }) => why));
  if (obstacles.has('paused'))
    io.note(colors.yellow(`Deliveries are paused; \`${program} deliveries resume\` resumes them.`));
  if (obstacles.has('fault'))
    io.note(
      colors.yellow(`A fault holds the deliveries until it ends; \`${program} faults list\` shows it.`),
    );
  if (obstacles.has('frozen'))
    io.note(colors.yellow(`The clock is frozen: \`${program} clock next\` makes the next attempt.`));
}

/** Notes the deliveries of a payment's newest event of this type after their first attempts, like `trigger`. */
export async function noteNewestDeliveries(
  client: ControlClient,
  io: Io,
  { id, code, type }: { readonly id: string; readonly code: string; readonly type: EventType },
  app: string | undefined,
): Promise<void> {
  const { data } = await client.get('deliveries', { code, event_type: type, app });
  const own = data.filter(({ resource }) => resource.id === id);
  const ids = own.filter(({ event_id: event }) => event === own[0]?.event_id).map((one) => one.id);
  const body = { ids, until: 'attempted', timeout: FIRST_ATTEMPT_TIMEOUT.text } as const;
  const { deliveries } = await client.post('deliveries/until', { body, signal: io.stopping });
  const causes = await failuresOf(client, io, { deliveries });
  const lines = deliveries.flatMap((one) => deliveryLines(one, io, causes.get(one.id) ?? []));
  if (lines.length > 0) io.note(lines.join('\n'));
  await noteObstacles(client, io, { type, deliveries }, app);
}

/** Limits the explained failures. */
const MOST_CAUSES = 3;

/** Finds the causes of failed attempts, by delivery id: once for deliveries that failed in the same way. */
async function failuresOf(client: ControlClient, io: Io, { deliveries }: Pick<TriggerResult, 'deliveries'>) {
  const failed = deliveries.filter(({ last_error }) => last_error !== null);
  const groups = groupBy(failed, (one) => `${one.endpoint_id} ${formatLastOutcome(one)}`);
  const causes = [...groups.values()].slice(0, MOST_CAUSES).map(async ([{ id }, ...others]) => {
    // The sandbox may have been stopped or reset meanwhile; the events are still printed.
    const delivery = await client.get('deliveries/:id', { id }).catch(() => undefined);
    const attempt = delivery?.attempt_log.at(-1);
    const found = delivery && attempt ? findCauses(io, delivery, attempt) : [];
    const more = others.length === 0 ? [] : [`${others.length} more failed in the same way.`];
    return [id, [...found, ...more]] as const;
  });
  return new Map(await Promise.all(causes));
}

/** Returns the pay page if all events belong to one expired charge that can still be paid. */
async function payUrlOf(client: ControlClient, { events }: TriggerResult): Promise<string | undefined> {
  const [{ type, resource } = {}, ...others] = events;
  if (type !== 'pix.expired' || resource === undefined) return undefined;
  if (others.some((event) => event.resource.id !== resource.id)) return undefined;
  const charge = await client.get('charges/:id', { id: resource.id }).catch(() => undefined);
  return charge !== undefined && listMoves('charge', charge.status).length > 0 ? charge.pay_url : undefined;
}

function listenHint({ program }: Io): string {
  return (
    `To deliver to your application, use \`${program} listen --forward-to localhost:3000/webhooks\` ` +
    `or \`${program} start --forward-to localhost:3000/webhooks\`; ` +
    `\`${program} listen\` without a target verifies deliveries and responds with 200, like the test ` +
    `receiver (press v in the \`start\` terminal).`
  );
}

/** Creates a progress bar on stderr, which does nothing without a terminal. */
function progressBar(count: number, { progress, columns }: Io): (made: number) => void {
  if (columns === 0) return () => undefined;
  const show = (made: number) => {
    const filled = Math.round((made / count) * BAR_WIDTH);
    progress(`[${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}] ${made} of ${count}`);
  };
  return throttle(PROGRESS_MS, () => performance.now(), show);
}

function exitCode({ reached, deliveries }: TriggerResult, io: Io): number {
  if (deliveries.length === 0 || deliveries.some(({ status }) => isFailed(status))) return EXIT_CODES.no;
  if (reached) return EXIT_CODES.done;
  io.note(
    `Not every delivery ended in time. \`${io.program} clock advance ${RETRY_HOURS}h\` runs the entire ` +
      'retry schedule.',
  );
  return EXIT_CODES.timedOut;
}

export interface TriggerBurst {
  /** Request body without count and timeout. */
  readonly body: RouteArguments<ControlApi, 'POST trigger'>['body'];
  readonly count: number;
  /** Events per second of real time; undefined means all immediately. */
  readonly rate: number | undefined;
  readonly until: 'attempted' | 'ended';
  readonly timeout: option.Duration;
  readonly signal: AbortSignal;
  readonly onProgress: (made: number) => void;
}

/** Interval between batches (real time). */
const TICK_MS = 100;

/** Creates the events, immediately or at a rate, and waits until their deliveries reach `until`. */
export async function runBurst(client: ControlClient, burst: TriggerBurst): Promise<TriggerResult> {
  const { body, count, rate, until, timeout, signal } = burst;
  if (rate === undefined) {
    const wanted = { ...body, ...(count === 1 ? {} : { count }), until, timeout: timeout.text };
    return client.post('trigger', { body: wanted, signal });
  }
  const { events, deliveries } = await atRate(client, burst, rate);
  return { events, ...(await waitFor(client, deliveries, burst)) };
}

/** Waits for deliveries in batches, because a request accepts a limited number of ids. */
async function waitFor(
  client: ControlClient,
  deliveries: readonly DeliveryLine[],
  { until, timeout, signal }: TriggerBurst,
): Promise<WaitResult> {
  const endsAt = performance.now() + timeout.ms;
  const waited: DeliveryLine[] = [];
  let isReached = true;
  for (let first = 0; first < deliveries.length; first += LIMITS.triggerCount) {
    const ids = deliveries.slice(first, first + LIMITS.triggerCount).map(({ id }) => id);
    const leftMs = Math.max(Math.ceil(endsAt - performance.now()), 0);
    const body = { ids, until, timeout: `${leftMs}ms` };
    const response = await client.post('deliveries/until', { body, signal });
    waited.push(...response.deliveries);
    isReached &&= response.reached;
  }
  return { reached: isReached, deliveries: waited };
}

async function atRate(
  client: ControlClient,
  { body, count, signal, onProgress }: TriggerBurst,
  rate: number,
) {
  const events: EventLine[] = [];
  const deliveries: DeliveryLine[] = [];
  const startedAt = performance.now();
  // Counts requested events: a late payment creates two.
  let made = 0;
  while (made < count) {
    const dueNow = Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1;
    const portion = Math.min(dueNow - made, count - made, LIMITS.triggerCount);
    if (portion > 0) {
      const wanted = { ...body, ...(portion === 1 ? {} : { count: portion }) };
      const response = await client.post('trigger', { body: wanted, signal });
      made += portion;
      events.push(...response.events);
      deliveries.push(...response.deliveries);
      onProgress(made);
    }
    if (made < count) await pause(TICK_MS, undefined, { signal });
  }
  return { events, deliveries };
}

/** Larger numbers of events are only summarized. */
const SHOWN_EVENTS = 20;

/**
 * Formats the events with their deliveries, or a summary of many events with the first failure; `causes` explain
 * failed attempts, by delivery id.
 */
export function formatTriggered(
  triggered: TriggerResult,
  io: Io,
  causes: ReadonlyMap<string, readonly string[]> = new Map(),
): string[] {
  const { events, deliveries } = triggered;
  const { bold, yellow } = io.colors;
  if (events.length > SHOWN_EVENTS) return formatSummary(triggered, io, causes);
  return events.flatMap((event) => {
    const { code, id, type } = event.resource;
    const subject = `${type === 'pix' ? 'charge' : 'withdrawal'} ${code} (${id})`;
    const mark = event.overridden ? [yellow('(payload overridden)')] : [];
    const head = formatItems([`${bold(event.type)}  ${event.id}`, subject, ...mark], '  ', io.columns);
    const own = deliveries.filter((delivery) => delivery.event_id === event.id);
    return head.concat(own.flatMap((one) => deliveryLines(one, io, causes.get(one.id) ?? [])));
  });
}

function formatSummary(
  triggered: TriggerResult,
  io: Io,
  causes: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { events, deliveries } = triggered;
  const { made, delivered, pending, failed, latency_ms: latency } = summaryOf(triggered);
  const percents = Object.entries(latency ?? {}).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
  const failures = deliveries.filter(({ last_error }) => last_error !== null);
  const [first] = failures;
  const lists = `\`${io.program} deliveries list --failed\` lists them`;
  return [
    `${made} events: ${[...new Set(events.map(({ type }) => type))].join(', ')}`,
    `${delivered} DELIVERED, ${pending} PENDING, ${failed} FAILED`,
    ...(percents.length === 0 ? [] : [`latency of the newest attempts: ${percents.join(', ')}`]),
    ...(first === undefined
      ? []
      : [
          formatHanging(`failed attempts: ${failures.length}; ${lists}. The first:`, io.columns),
          ...deliveryLines(first, io, causes.get(first.id) ?? []),
        ]),
  ];
}

function deliveryLines(delivery: DeliveryLine, io: Io, causes: readonly string[]): string[] {
  const latency = delivery.last_latency_ms === null ? '' : ` in ${Math.round(delivery.last_latency_ms)} ms`;
  const next = delivery.next_attempt_at === null ? '' : `, next attempt at ${delivery.next_attempt_at}`;
  const last = formatLastOutcome(delivery) || (delivery.blocked_by === 'fault' ? 'held by a fault' : '');
  const outcome = `  ${colorStatus(io, delivery.status)}  ${last}${latency}${next}`;
  const destination = `→ ${delivery.endpoint_name ?? delivery.endpoint_id}`;
  return [
    ...formatItems([outcome, destination], '    ', io.columns),
    ...[`delivery ${delivery.id}`, ...causes].map((line) => `    ${formatHanging(line, io.columns, '    ')}`),
  ];
}

/** Summarizes events: counts by status, and the latency of the newest attempts (null without attempts). */
function summaryOf({ events, deliveries }: TriggerResult) {
  const count = (is: typeof isFailed) => deliveries.filter(({ status }) => is(status)).length;
  const latencies = deliveries.map((one) => one.last_latency_ms).filter((latency) => latency !== null);
  const at = (percent: number) => computePercentile(latencies, percent) ?? 0;
  return {
    made: events.length,
    deliveries: deliveries.length,
    delivered: count(isDelivered),
    pending: count(isPending),
    failed: count(isFailed),
    latency_ms: latencies.length === 0 ? null : { p50: at(50), p95: at(95), p99: at(99) },
  };
}

const NEW = Symbol('new');

/** Prompts for the event, and for an existing payment if one qualifies. */
const triggerQuestions: PromptFlow<Invocation> = async (invocation, asker) => {
  return querySandbox(invocation, async (client) => {
    const { options } = invocation;
    const { charge, withdrawal, count } = options;
    const event = await asker.choose('Which event?', eventChoices(options));
    const isChosen =
      (charge ?? withdrawal ?? count) !== undefined || Object.keys(createPaymentOptions(options)).length > 0;
    const { kind: what, moves } = describeEvent(event);
    const there = isChosen ? [] : await listPaymentChoices(client, what, listStatusesBefore(what, moves));
    if (there.length === 0) return { args: [event] };
    const chosen = await asker.choose<string | undefined | typeof NEW>(`For which ${what}?`, [
      { value: NEW, name: `a new ${what}` },
      ...there,
    ]);
    if (chosen === NEW) return { args: [event] };
    return { args: [event], options: { [what]: await resolvePaymentName(what, chosen, asker) } };
  });
};

function eventChoices(options: Invocation['options']): PromptChoice<EventType>[] {
  const chosen = TRIGGER_NAMES.filter((name) => options[name] !== undefined && options[name] !== false);
  const possible = EVENT_TYPES.filter((type) =>
    chosen.every((name) => listOptionEvents(name).includes(type)),
  );
  return possible.map((value) => ({ value, name: value, description: describeEvent(value).label }));
}
