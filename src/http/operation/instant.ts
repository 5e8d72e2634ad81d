import type { TextForm } from '../../core/input/text-kinds.js';
import { LAST_INSTANT_MS, isoTime } from '../../contract/time.js';

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** How an instant is written; whether there is such a day is another matter. */
export const INSTANT_FORM: TextForm = {
  pattern: INSTANT,
  problem: () => 'Must be an instant such as 2026-01-31T12:00:00Z.',
  examples: ['2026-01-31T12:00:00Z'],
};

/** Milliseconds since 1970 of an instant in ISO 8601 with its zone; undefined for anything else, such as the 30th of February. */
export function parseInstant(text: string): number | undefined {
  const date = INSTANT.exec(text)?.[1];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const ms = Date.parse(text);
  if (date === undefined || Number.isNaN(midnight) || Number.isNaN(ms)) return undefined;
  // Date.parse takes the 30th of February for the 2nd of March.
  return isoTime(midnight).startsWith(date) && ms >= 0 && ms <= LAST_INSTANT_MS ? ms : undefined;
}
