/** Matches up to ten digits before the decimal point and up to two after it (§2.1). */
const AMOUNT_PATTERN = /^(0|[1-9]\d{0,9})(?:\.(\d{1,2}))?$/;
/** Largest amount in this format, in cents. */
export const AMOUNT_MAX_CENTS = 999_999_999_999;
const PERCENT = /^(0|[1-9]\d{0,2})(?:\.(\d{1,4}))?$/;
const QUOTED_CHARACTERS = 40;

/** Result of `parseAmount`; `problem` completes a sentence that starts with the field name. */
type ParsedAmount = { cents: number } | { problem: string };

/**
 * Parses a JSON amount (§2.1): `"10"`, `"10.5"` and `"10.50"` become integer cents, at most 999999999999.
 * Anything else returns a `problem`, e.g. `must be a string, such as "10.00"; got the number 10`.
 */
export function parseAmount(value: unknown): ParsedAmount {
  if (typeof value !== 'string') {
    return { problem: `must be a string, such as "10.00"; got ${describe(value)}` };
  }
  const match = AMOUNT_PATTERN.exec(value);
  if (match === null) {
    const rule = 'must be a decimal number with at most two decimals, such as "10.00"';
    return { problem: `${rule}; got ${quote(value)}` };
  }
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return cents > 0 ? { cents } : { problem: `must be above zero, such as "0.01"; got ${quote(value)}` };
}

/**
 * Formats cents with two decimal places: 1000 becomes `10.00`, -5 becomes `-0.05`.
 *
 * Amounts are numbers, because the largest is far below 2^53. Balances sum any number of amounts and can
 * exceed 2^53, so they are bigints of cents: `balance + BigInt(cents)`. JSON has no bigint: serialize
 * balances with `String(balance)` and parse them with `BigInt(text)`. Throws a RangeError for unsafe
 * integers.
 */
export function formatAmount(cents: number | bigint): string {
  if (typeof cents === 'number' && !Number.isSafeInteger(cents)) {
    throw new RangeError(`Expected integer cents, got ${cents}; use a bigint for sums above 2^53`);
  }
  const sign = cents < 0 ? '-' : '';
  const digits = String(cents).slice(sign.length).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns true for a percentage from 0 to 100 with at most four decimals, e.g. `0.8`. */
export function isPercent(text: string): boolean {
  return PERCENT.test(text) && Number(text) <= 100;
}

/**
 * Computes a percentage of an amount in cents without floating point, rounded half up: `computePercent(1250,
 * '0.2')` returns 3. Throws a RangeError for an invalid percentage and for negative or non-integer cents.
 */
export function computePercent(cents: number, percent: string): number {
  if (!Number.isSafeInteger(cents) || cents < 0) {
    throw new RangeError(`Expected non-negative integer cents, got ${cents}`);
  }
  const match = isPercent(percent) ? PERCENT.exec(percent) : null;
  if (match === null) {
    throw new RangeError(`Expected a percentage from 0 to 100, such as "0.8", got ${quote(percent)}`);
  }
  const millionths = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'));
  return Number((BigInt(cents) * BigInt(millionths) + 500_000n) / 1_000_000n);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  return `a ${typeof value}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text);
}
