import { EVENT_TYPES } from '../../core/world.js';
import type { DeliveryLine, EventLine } from '../../http/control/schema.js';
import { oneOfOrUsage } from '../closest.js';
import { EXIT, usageError } from '../errors.js';

import type { Invocation, Io, Options } from '../io.js';
import { paymentFields } from '../payment-fields.js';
import { withSandbox } from '../with-sandbox.js';

interface Triggered {
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

/** How long the first attempts get, a little more than an attempt's own limit. */
const FIRST_ATTEMPT_TIMEOUT = '12s';
/** Events shown one by one; more are summed up. */
const SHOWN_EVENTS = 20;

/** `sandbox trigger`: makes an event happen, and says what became of its deliveries. */
export async function trigger(invocation: Invocation): Promise<number> {
  const { io, args, options } = invocation;
  const [text] = args;
  if (text === undefined)
    throw usageError(
      `Which event? One of ${EVENT_TYPES.join(', ')}.`,
      'For example: npx pix-sandbox trigger pix.settled',
    );
  const type = oneOfOrUsage('event', text, EVENT_TYPES);
  const waits = options.flag('wait');
  const request = {
    ...body(type, options),
    until: waits ? 'ended' : 'attempted',
    timeout: waits ? (options.text('timeout') ?? '30s') : FIRST_ATTEMPT_TIMEOUT,
  };
  const triggered = await withSandbox(invocation, (client) =>
    client.post<Triggered>('trigger', request, io.stopping),
  );
  io.emit(triggered);
  show(triggered, io);
  return waits ? exitCode(triggered, io) : EXIT.done;
}

function body(type: string, options: Options) {
  const count = options.text('count');
  if (count !== undefined && !/^\d{1,6}$/.test(count))
    throw usageError(`--count takes a whole number; got ${count}.`);
  return {
    type,
    charge: options.text('charge'),
    withdrawal: options.text('withdrawal'),
    with: paymentFields(options),
    reason: options.text('reason'),
    ...(options.flag('late') ? { late: true } : {}),
    ...(count === undefined ? {} : { count: Number(count) }),
    app: options.text('app'),
  };
}

function show({ events, deliveries }: Triggered, io: Io): void {
  const { colour } = io;
  for (const event of events.slice(0, SHOWN_EVENTS)) {
    const { code, id, type } = event.resource;
    io.say(
      `${colour.bold(event.type)}  ${event.id}  ${type === 'pix' ? 'charge' : 'withdrawal'} ${code} (${id})`,
    );
    const own = deliveries.filter((delivery) => delivery.event_id === event.id);
    for (const delivery of own) io.say(`  ${deliveryText(delivery, io)}`);
  }
  if (events.length > SHOWN_EVENTS) io.say(`… ${events.length} events in all: ${sums(deliveries)}`);
  if (deliveries.length === 0) {
    io.note(colour.yellow('Nobody receives it: no endpoint and no listener subscribes to this event.'));
    io.note('hint  npx pix-sandbox listen --forward-to localhost:3000/webhooks');
  }
}

function deliveryText(delivery: DeliveryLine, { colour }: Io): string {
  const paint = { DELIVERED: colour.green, FAILED: colour.red, PENDING: colour.yellow }[delivery.status];
  const answer = delivery.last_error ?? '';
  const status =
    delivery.last_response_status === null ? answer : `${answer} ${delivery.last_response_status}`.trim();
  const latency = delivery.last_latency_ms === null ? '' : ` in ${Math.round(delivery.last_latency_ms)} ms`;
  const next = delivery.next_attempt_at === null ? '' : `, next attempt at ${delivery.next_attempt_at}`;
  return `${paint(delivery.status)}  ${status}${latency}${next}  → ${delivery.endpoint_name ?? delivery.endpoint_id}\n    delivery ${delivery.id}`;
}

function sums(deliveries: readonly DeliveryLine[]): string {
  const counts = { DELIVERED: 0, PENDING: 0, FAILED: 0 };
  for (const { status } of deliveries) counts[status] += 1;
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}

function exitCode({ reached, deliveries }: Triggered, io: Io): number {
  if (deliveries.length === 0 || deliveries.some(({ status }) => status === 'FAILED')) return EXIT.no;
  if (reached) return EXIT.done;
  io.note(
    'Not every delivery has ended in time. `npx pix-sandbox clock advance 45h` runs the whole retry schedule.',
  );
  return EXIT.timedOut;
}
