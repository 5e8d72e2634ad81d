export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** Latest supported instant (end of the year 9999), in Unix milliseconds. */
export const LAST_INSTANT_MS = 253_402_300_799_999;

const pad = (value: number, width: number) => String(value).padStart(width, '0');

let cachedDay = Number.NaN;
let cachedDate = '';

/** Formats Unix milliseconds as ISO 8601 in UTC with milliseconds and `Z` (§2). */
export function formatIsoTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== cachedDay) {
    cachedDate = civilDate(day);
    cachedDay = day;
  }
  const rest = ms - day * DAY_MS;
  const hours = pad(Math.floor(rest / HOUR_MS), 2);
  const minutes = pad(Math.floor(rest / MINUTE_MS) % 60, 2);
  const seconds = pad(Math.floor(rest / SECOND_MS) % 60, 2);
  return `${cachedDate}T${hours}:${minutes}:${seconds}.${pad(rest % SECOND_MS, 3)}Z`;
}

/** Returns the Gregorian date of a day counted from 1970-01-01, using 400-year eras that start in March. */
function civilDate(daysSince1970: number): string {
  const daysSinceEra0 = daysSince1970 + 719_468;
  const era = Math.floor(daysSinceEra0 / 146_097);
  const dayOfEra = daysSinceEra0 - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Matches the format of an instant, even if the date does not exist. */
export const INSTANT_PATTERN =
  /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses an ISO 8601 instant with a time zone into Unix milliseconds. Returns undefined for other texts and
 * for nonexistent dates, e.g. February 30.
 */
export function parseInstant(text: string): number | undefined {
  const date = INSTANT_PATTERN.exec(text)?.[1];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const ms = Date.parse(text);
  if (date === undefined || Number.isNaN(midnight) || !isInstant(ms)) return undefined;
  // Date.parse reads February 30 as March 2.
  return formatIsoTime(midnight).startsWith(date) ? ms : undefined;
}

/** Returns true if the time in Unix milliseconds is within the supported range. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms <= LAST_INSTANT_MS;
}

export const DURATION_PATTERN = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy;

/**
 * Parses `90s`, `5m`, `2h`, `1d`, `500ms` or a combination such as `1d12h` into milliseconds. Returns
 * undefined for any other string.
 */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) {
    totalMs += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
  }
  return totalMs <= LAST_INSTANT_MS ? Math.round(totalMs) : undefined;
}

/**
 * Formats milliseconds for `parseDuration`, largest unit first: 129600000 becomes `1d12h`, 1500 becomes
 * `1s500ms`.
 */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const sizeMs = UNITS_MS[unit] ?? 1;
    const count = Math.floor(rest / sizeMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * sizeMs;
  }
  return text === '' ? '0s' : text;
}
