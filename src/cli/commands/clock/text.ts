import type { ClockView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { instantText, spanText, whenText } from '../../terminal/when.js';

type DueView = NonNullable<ClockView['next_due']>;

/** Something due in words, such as `attempt of delivery 9f…`. */
export function dueText({ kind, id }: Pick<DueView, 'kind' | 'id'>): string {
  if (kind === 'delivery.attempt') return `attempt of delivery ${id}`;
  if (kind === 'charge.expire') return `expiry of charge ${id}`;
  return `${kind} ${id}`;
}

function rateText({ rate, frozen, advancing }: ClockView): string {
  if (advancing) return 'an advance is under way';
  if (frozen) return 'frozen';
  return rate === 1 ? 'real time' : `${spanText(rate * 1000)} per real second`;
}

export function clockFacts(clock: ClockView): Fact[] {
  const { now, next_due } = clock;
  const due =
    next_due === null ? 'nothing' : `${dueText(next_due)} ${whenText(next_due.at, Date.parse(now))}`;
  return [
    ['clock', `${instantText(now)}, ${rateText(clock)}`],
    ['due next', due],
  ];
}

export function clockText(io: Io, clock: ClockView): string {
  return facts(io, clockFacts(clock));
}
