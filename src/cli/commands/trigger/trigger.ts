import { setTimeout as pause } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import type { Given, Reached, Routes, Triggered } from '../../../client/routes.js';
import { EVENT_TYPES, type EventType } from '../../../contract/enums.js';
import { LIMITS } from '../../../contract/limits.js';
import { announcedBy, movesFrom, statusesBefore } from '../../../contract/transitions.js';
import type { DeliveryLine, EventLine } from '../../../http/control/schema.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { EXIT, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import type { Duration } from '../../program/options.js';
import type { Choice, Questions } from '../../prompts/asker.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { besideOrBelow, hanging } from '../../terminal/text.js';
import { atMostEvery } from '../../terminal/when.js';
import { paymentFields } from '../payments/command.js';
import { nameOf, paymentChoices } from '../payments/payments.js';
import { unreachedHints } from '../webhooks/webhooks.js';
import type { trigger } from './command.js';

/** The percentile of the numbers by nearest rank; undefined if there are none. */
export function percentile(numbers: readonly number[], percent: number): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)];
}

/** How long to wait for the first attempts: a little longer than an attempt's own limit. */
const FIRST_ATTEMPT_TIMEOUT = { text: '12s', ms: 12_000 };
const PROGRESS_MS = 200;
const BAR_WIDTH = 24;
/** Aligns further lines of a hint with its first word. */
const HINT_INDENT = ' '.repeat('hint  '.length);

/** `sandbox trigger`: makes an event happen and prints how its deliveries went. */
export const triggerEvent: BodyOf<typeof trigger> = async (invocation) => {
  const { io, args, options } = invocation;
  if (args.event === undefined) {
    throw usageError(
      `Which event? One of ${EVENT_TYPES.join(', ')}.`,
      'For example: npx sandbox trigger pix.settled',
    );
  }
  const type = oneOfOrUsage('event', args.event, EVENT_TYPES);
  const { count = 1, rate, wait, timeout } = options;
  const burst = {
    body: body(type, options),
    count,
    rate,
    until: wait ? ('ended' as const) : ('attempted' as const),
    timeout: wait ? timeout : FIRST_ATTEMPT_TIMEOUT,
    signal: io.stopping,
    onProgress: progressBar(count, io),
  };
  const { triggered, payUrl, endpoints } = await withSandbox(invocation, async (client) => {
    const made = await runBurst(client, burst);
    return {
      triggered: made,
      payUrl: await payUrlOf(client, made),
      endpoints: made.deliveries.length > 0 ? [] : (await client.get('endpoints', { app: options.app })).data,
    };
  });
  io.emit(options.count === undefined ? triggered : { ...triggered, summary: summaryOf(triggered) });
  io.say(triggeredLines(triggered, io).join('\n'));
  if (payUrl !== undefined) io.say(`pay page  ${payUrl}`);
  if (triggered.deliveries.length === 0) {
    io.note(io.colour.yellow('No endpoint and no listener receives this event.'));
    const hints = unreachedHints(io.program, type, endpoints);
    for (const hint of hints.length > 0 ? hints : [listenHint(io)]) {
      io.note(`${io.colour.cyan('hint')}  ${hanging(hint, io.columns, HINT_INDENT)}`);
    }
  }
  if (triggered.deliveries.some(({ blocked_by: why }) => why === 'paused')) {
    io.note(io.colour.yellow(`Deliveries are paused; \`${io.program} deliveries resume\` lets them go.`));
  }
  return wait ? exitCode(triggered, io) : EXIT.done;
};

/**
 * The pay page of the charge, if the events are about a single one and it can still be paid: the one that has
 * expired.
 */
async function payUrlOf(client: ControlClient, { events }: Triggered): Promise<string | undefined> {
  const [{ type, resource } = {}, ...others] = events;
  if (type !== 'pix.expired' || resource === undefined) return undefined;
  if (others.some((event) => event.resource.id !== resource.id)) return undefined;
  // The sandbox may have left or been reset since; what was triggered is the answer all the same.
  const charge = await client.get('charges/:id', { id: resource.id }).catch(() => undefined);
  return charge !== undefined && movesFrom('charge', charge.status).includes('settle')
    ? charge.pay_url
    : undefined;
}

function listenHint({ program }: Io): string {
  return (
    `\`${program} listen --forward-to localhost:3000/webhooks\` delivers to your ` +
    `application, and so does \`${program} start --forward-to localhost:3000/webhooks\`; ` +
    `\`${program} listen\` alone verifies and answers 200, as does the test receiver (v in ` +
    `the terminal of \`start\`).`
  );
}

function body(type: string, options: InvocationOf<typeof trigger>['options']): Burst['body'] {
  const { charge, withdrawal, reason, late, override, app } = options;
  const fields = paymentFields(options);
  return {
    type,
    charge,
    withdrawal,
    ...(Object.keys(fields).length === 0 ? {} : { with: fields }),
    reason,
    ...(late ? { late } : {}),
    override,
    app,
  };
}

/** A progress bar on stderr, only on a terminal. */
function progressBar(count: number, { progress, columns }: Io): (made: number) => void {
  if (columns === 0) return () => undefined;
  const show = (made: number) => {
    const filled = Math.round((made / count) * BAR_WIDTH);
    progress(`[${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}] ${made} of ${count}`);
  };
  return atMostEvery(PROGRESS_MS, () => performance.now(), show);
}

function exitCode({ reached, deliveries }: Triggered, io: Io): number {
  if (deliveries.length === 0 || deliveries.some(({ status }) => status === 'FAILED')) return EXIT.no;
  if (reached) return EXIT.done;
  io.note(
    `Not every delivery has ended in time. \`${io.program} clock advance 45h\` runs the whole retry schedule.`,
  );
  return EXIT.timedOut;
}

export interface Burst {
  /** The body of `POST trigger`, without count and timeout. */
  readonly body: Given<Routes, 'POST trigger'>['body'];
  readonly count: number;
  /** Events per second of real time; undefined creates them all at once. */
  readonly rate: number | undefined;
  readonly until: 'attempted' | 'ended';
  readonly timeout: Duration;
  readonly signal: AbortSignal;
  readonly onProgress: (made: number) => void;
}

/** Real time between two batches of a burst with a rate. */
const TICK_MS = 100;

/** Creates the events, all at once or at a rate, and waits until their deliveries reach `until`. */
export async function runBurst(client: ControlClient, burst: Burst): Promise<Triggered> {
  const { body, count, rate, until, timeout, signal } = burst;
  if (rate === undefined) {
    const wanted = { ...body, ...(count === 1 ? {} : { count }), until, timeout: timeout.text };
    return client.post('trigger', { body: wanted, signal });
  }
  const { events, deliveries } = await atRate(client, burst, rate);
  return { events, ...(await waitFor(client, deliveries, burst)) };
}

/** Waits for deliveries, in batches of as many as one request may name. */
async function waitFor(
  client: ControlClient,
  deliveries: readonly DeliveryLine[],
  { until, timeout, signal }: Burst,
): Promise<Reached> {
  const endsAt = performance.now() + timeout.ms;
  const waited: DeliveryLine[] = [];
  let isReached = true;
  for (let first = 0; first < deliveries.length; first += LIMITS.triggerCount) {
    const ids = deliveries.slice(first, first + LIMITS.triggerCount).map(({ id }) => id);
    const leftMs = Math.max(Math.ceil(endsAt - performance.now()), 0);
    const body = { ids, until, timeout: `${leftMs}ms` };
    const answer = await client.post('deliveries/until', { body, signal });
    waited.push(...answer.deliveries);
    isReached &&= answer.reached;
  }
  return { reached: isReached, deliveries: waited };
}

async function atRate(client: ControlClient, { body, count, signal, onProgress }: Burst, rate: number) {
  const events: EventLine[] = [];
  const deliveries: DeliveryLine[] = [];
  const startedAt = performance.now();
  let made = 0;
  while (made < count) {
    const dueNow = Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1;
    const portion = Math.min(dueNow - made, count - made, LIMITS.triggerCount);
    if (portion > 0) {
      const answer = await client.post('trigger', {
        body: { ...body, ...(portion === 1 ? {} : { count: portion }) },
        signal,
      });
      made += portion;
      events.push(...answer.events);
      deliveries.push(...answer.deliveries);
      onProgress(made);
    }
    if (made < count) await pause(TICK_MS, undefined, { signal });
  }
  return { events, deliveries };
}

/** Up to this many events are shown one by one; more are summarised. */
const SHOWN_EVENTS = 20;

export function triggeredLines(triggered: Triggered, io: Io): string[] {
  const { events, deliveries } = triggered;
  const { bold, yellow } = io.colour;
  const shown = events.slice(0, SHOWN_EVENTS).flatMap((event) => {
    const { code, id, type } = event.resource;
    const subject = `${type === 'pix' ? 'charge' : 'withdrawal'} ${code} (${id})`;
    const mark = event.overridden ? [yellow('(payload overridden)')] : [];
    const head = besideOrBelow([`${bold(event.type)}  ${event.id}`, subject, ...mark], '  ', io.columns);
    const own = deliveries.filter((delivery) => delivery.event_id === event.id);
    return head.concat(own.flatMap((one) => deliveryLines(one, io)));
  });
  if (events.length <= SHOWN_EVENTS) return shown;
  const { made, delivered, pending, failed, latency_ms: latency } = summaryOf(triggered);
  const percents = Object.entries(latency ?? {}).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
  return [
    ...shown,
    `… ${made} events in all`,
    `${delivered} DELIVERED, ${pending} PENDING, ${failed} FAILED`,
    ...(percents.length === 0 ? [] : [`latency of the newest attempts: ${percents.join(', ')}`]),
  ];
}

function deliveryLines(delivery: DeliveryLine, { colour, columns }: Io): string[] {
  const paint = { DELIVERED: colour.green, FAILED: colour.red, PENDING: colour.yellow }[delivery.status];
  const error = delivery.last_error === 'HTTP_STATUS' ? null : delivery.last_error;
  const answer = [error, delivery.last_response_status].filter((part) => part !== null).join(' ');
  const latency = delivery.last_latency_ms === null ? '' : ` in ${Math.round(delivery.last_latency_ms)} ms`;
  const next = delivery.next_attempt_at === null ? '' : `, next attempt at ${delivery.next_attempt_at}`;
  const outcome = `  ${paint(delivery.status)}  ${answer}${latency}${next}`;
  const destination = `→ ${delivery.endpoint_name ?? delivery.endpoint_id}`;
  return [
    ...besideOrBelow([outcome, destination], '    ', columns),
    hanging(`    delivery ${delivery.id}`, columns, '    '),
  ];
}

/** Sums up many events: how many there are, and how long the newest attempts took (null without one). */
function summaryOf({ events, deliveries }: Triggered) {
  const counts = { DELIVERED: 0, PENDING: 0, FAILED: 0 };
  for (const { status } of deliveries) counts[status] += 1;
  const latencies = deliveries
    .map(({ last_latency_ms: latency }) => latency)
    .filter((latency) => latency !== null);
  const at = (percent: number) => percentile(latencies, percent) ?? 0;
  return {
    made: events.length,
    deliveries: deliveries.length,
    delivered: counts.DELIVERED,
    pending: counts.PENDING,
    failed: counts.FAILED,
    latency_ms: latencies.length === 0 ? null : { p50: at(50), p95: at(95), p99: at(99) },
  };
}

type Invocation = InvocationOf<typeof trigger>;
type Options = Invocation['options'];

const NEW = Symbol('new');

/** Asks which event, and which existing resource it applies to, if there is one. */
export const triggerQuestions: Questions<Invocation> = (invocation, asker) =>
  withSandbox(invocation, async (client) => {
    const { options } = invocation;
    const event = await asker.choose('Which event?', eventChoices(options));
    const { kind: what, moves } = announcedBy(event);
    if (saysWhat(options)) return { args: [event] };
    const there = await paymentChoices(client, what, statusesBefore(what, moves));
    if (there.length === 0) return { args: [event] };
    const chosen = await asker.choose<string | undefined | typeof NEW>(`To which ${what}?`, [
      { value: NEW, name: `a new ${what}` },
      ...there,
    ]);
    if (chosen === NEW) return { args: [event] };
    return { args: [event], options: { [what]: await nameOf(what, chosen, asker) } };
  });

function eventChoices({ charge, withdrawal, late }: Options): Choice<EventType>[] {
  const isCharge = charge !== undefined || late;
  const isWithdrawal = withdrawal !== undefined;
  return EVENT_TYPES.filter((type) => !(type.startsWith('pix.') ? isWithdrawal : isCharge))
    .filter((type) => !late || type === 'pix.settled')
    .map((value) => ({ value, name: value, description: announcedBy(value).label }));
}

function saysWhat(options: Options): boolean {
  const { charge, withdrawal, count } = options;
  return (charge ?? withdrawal ?? count) !== undefined || Object.keys(paymentFields(options)).length > 0;
}
