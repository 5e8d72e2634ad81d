import { SECOND_MS } from '../../../contract/time.js';
import type { ClockView, DeliveryLine } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { lastOutcome } from '../webhooks/webhooks.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';
import { instantText, relativeText, roundedSpanText, spanText, whenText } from '../../terminal/when.js';

type DueView = NonNullable<ClockView['next_due']>;

/** Something due in words, such as `attempt of delivery 9f…`. */
export function dueText({ kind, id }: Pick<DueView, 'kind' | 'id'>): string {
  if (kind === 'delivery.attempt') return `attempt of delivery ${id}`;
  if (kind === 'charge.expire') return `expiry of charge ${id}`;
  return `${kind} ${id}`;
}

/** How the last attempt of a delivery ended, and when the next one is due: `401, PENDING, next in 5m`. */
export function attemptOutcome(io: Io, delivery: DeliveryLine, nowMs: number): string {
  const { status, next_attempt_at } = delivery;
  const again = next_attempt_at === null ? '' : `, next ${relativeText(next_attempt_at, nowMs)}`;
  return `${lastOutcome(delivery)}, ${paintStatus(io, status)}${again}`;
}

function paceText(clock: ClockView): string {
  const { rate, frozen, advancing } = clock;
  const offset = offsetText(clock);
  const rest = offset === '' ? '' : `, ${offset}`;
  if (advancing) return `an advance is under way${rest}`;
  if (frozen) return `frozen${rest}`;
  if (rate !== 1) return `${spanText(rate * 1000)} per real second${rest}`;
  return offset === '' ? 'real time' : `at real speed${rest}`;
}

/** How far sandbox time is from real time; empty below a second, and while a frozen clock is behind, as it soon is. */
export function offsetText({ now, real_now, frozen }: ClockView): string {
  const aheadMs = Date.parse(now) - Date.parse(real_now);
  if (!(Math.abs(aheadMs) >= SECOND_MS) || (frozen && aheadMs < 0)) return '';
  return `${roundedSpanText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} real time`;
}

export function clockFacts(clock: ClockView): Fact[] {
  const { now, next_due } = clock;
  const due =
    next_due === null ? 'nothing' : `${dueText(next_due)} ${whenText(next_due.at, Date.parse(now))}`;
  return [
    ['clock', `${instantText(now)}, ${paceText(clock)}`],
    ['due next', due],
  ];
}

export function clockText(io: Io, clock: ClockView): string {
  return facts(io, clockFacts(clock));
}
