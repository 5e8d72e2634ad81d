import type { DeliveryLine } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { besideOrBelow, hanging } from '../../terminal/text.js';
import { percentile } from '../../terminal/percentiles.js';
import type { Triggered } from '../../../client/routes.js';

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
  return events.length <= SHOWN_EVENTS ? shown : [...shown, ...summaryLines(summaryOf(triggered))];
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

/** What came of many events: how many there are, and how long the newest attempts took. */
export interface Summary {
  readonly made: number;
  readonly deliveries: number;
  readonly delivered: number;
  readonly pending: number;
  readonly failed: number;
  /** Null without an attempt. */
  readonly latency_ms: Readonly<Record<`p${50 | 95 | 99}`, number>> | null;
}

export function summaryOf({ events, deliveries }: Triggered): Summary {
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

function summaryLines({ made, delivered, pending, failed, latency_ms: latency }: Summary): string[] {
  const percents = Object.entries(latency ?? {}).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
  return [
    `… ${made} events in all`,
    `${delivered} DELIVERED, ${pending} PENDING, ${failed} FAILED`,
    ...(percents.length === 0 ? [] : [`latency of the newest attempts: ${percents.join(', ')}`]),
  ];
}
