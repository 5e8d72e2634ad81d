import type { ClockShown } from './console.js';
import { hoursAndMinutes } from '../words/table.js';
import type { Words } from '../words/words.js';

const MINUTE_MS = 60_000;
/** From here on, an offset is shown in whole days. */
const DAYS_FROM_MINUTES = 100 * 60;

/** How fast the clock runs; in real time, also how far sandbox time is ahead or behind. */
export function paceOf({ clock }: Words, view: ClockShown | undefined): string {
  if (view === undefined) return '';
  if (view.advancing) return clock.advancing;
  if (view.rate === 0) return clock.frozen;
  if (view.rate !== 1) return clock.fast(view.rate);
  return `${clock.real} ${offsetOf(view)}`.trimEnd();
}

/** Such as `+45h` or `−9m`; empty below half a minute. */
function offsetOf({ now, real_now: realNow }: ClockShown): string {
  const ms = Date.parse(now) - Date.parse(realNow);
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  if (minutes === 0) return '';
  const span = minutes < DAYS_FROM_MINUTES ? hoursAndMinutes(minutes) : `${Math.round(minutes / 60 / 24)}d`;
  return (ms < 0 ? '−' : '+') + span;
}
