import { createHmac, timingSafeEqual } from 'node:crypto';

/** Message body: raw bytes, or text that is encoded as UTF-8. */
export type Bytes = Uint8Array | string;

/** Computes the HMAC-SHA256 of the concatenated parts. Text is encoded as UTF-8. @internal */
export function computeHmacSha256(key: Bytes, ...parts: readonly Bytes[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Compares two byte arrays in constant time. @internal */
export function areEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Converts header or request-line text back to the bytes that HTTP parsers decoded as Latin-1. Returns ASCII
 * text unchanged. @internal
 */
export function toWireBytes(text: string): Bytes {
  return /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text) ? Buffer.from(text, 'latin1') : text;
}

/** Object with a `get` method, e.g. fetch `Headers`. */
export interface HeaderLookup {
  get(name: string): string | null;
}

/** Headers by case-insensitive name, e.g. Node's `request.headers` or parsed JSON. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Fetch `Headers` object or plain record. */
export type HeaderSource = HeaderLookup | HeaderRecord;

/** Returns the value of the header `name` (lowercase), or undefined if absent. @internal */
export function readHeader(headers: HeaderSource, name: string): string | undefined {
  if (isLookup(headers)) return headers.get(name) ?? undefined;
  const exact = ownValue(headers, name);
  if (exact !== undefined) return exact;
  for (const key of Object.keys(headers)) {
    if (key.length === name.length && key.toLowerCase() === name) return ownValue(headers, key);
  }
  return undefined;
}

/** Short name of a header in library objects, and its full lowercase name. @internal */
export type HeaderName<Short extends string> = readonly [short: Short, full: string];

/** Reads headers by full name, or by short name if a record contains no full name. @internal */
export function readHeaders<Short extends string>(
  headers: HeaderSource,
  names: readonly HeaderName<Short>[],
): Partial<Record<Short, string>> {
  const given: unknown = headers;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`Expected headers as an object, got ${given === null ? 'null' : typeof given}.`);
  const found: Partial<Record<Short, string>> = {};
  for (const [short, full] of names) {
    const value = readHeader(headers, full);
    if (value !== undefined) found[short] = value;
  }
  if (Object.keys(found).length > 0 || isLookup(headers)) return found;
  for (const [short] of names) {
    const value = ownValue(headers, short);
    if (value !== undefined) found[short] = value;
  }
  return found;
}

/** Lists the full names of absent or empty headers. @internal */
export function listMissingHeaders<Short extends string>(
  found: Partial<Record<Short, string>>,
  names: readonly HeaderName<Short>[],
): string[] {
  return names.filter(([short]) => !found[short]).map(([, full]) => full);
}

function isLookup(headers: HeaderSource): headers is HeaderLookup {
  return typeof headers.get === 'function';
}

function ownValue(headers: HeaderRecord, key: string): string | undefined {
  if (!Object.hasOwn(headers, key)) return undefined;
  const value = headers[key];
  // Node joins repeated headers the same way.
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Default timestamp tolerance in either direction, in seconds (§5.5). */
export const DEFAULT_TOLERANCE_S = 300;

const TIMESTAMP_FORM = /^[0-9]{1,12}$/;

/**
 * Parses a timestamp header. Returns undefined unless the input has 1 to 12 decimal digits (§5.2). @internal
 */
export function parseTimestamp(text: string): number | undefined {
  return TIMESTAMP_FORM.test(text) ? Number(text) : undefined;
}

/** Formats a timestamp for a header. Throws RangeError if the number is out of range. @internal */
export function formatTimestamp(timestampS: number): string {
  const text = String(timestampS);
  if (!TIMESTAMP_FORM.test(text)) {
    throw new RangeError(
      `Expected timestampS in whole Unix seconds, 0 to 999999999999, got ${text}. For ` +
        'milliseconds, use Math.floor(ms / 1000).',
    );
  }
  return text;
}

/** Rounds `nowS` down to whole seconds, like the reference receiver. @internal */
export function checkWholeSeconds(nowS: number): number {
  if (!Number.isFinite(nowS)) throw new RangeError(`Expected nowS in Unix seconds, got ${nowS}.`);
  return Math.floor(nowS);
}

/** Returns the tolerance. Throws RangeError unless it is a number of 0 or more. @internal */
export function checkTolerance(toleranceS: number): number {
  if (!(toleranceS >= 0)) throw new RangeError(`Expected toleranceS of 0 or more, got ${toleranceS}.`);
  return toleranceS;
}

/** Describes an invalid timestamp for an error message. @internal */
export function describeTimestamp(text: string): string {
  if (/^[0-9]{13}$/.test(text)) return '13 digits, which looks like milliseconds';
  if (/^[0-9]+$/.test(text)) return `${text.length} digits`;
  if (/^\s|\s$/.test(text)) return 'a value with surrounding whitespace';
  if (/^[0-9]+\.[0-9]+$/.test(text)) return 'a number with a fraction';
  if (/^[+-]/.test(text)) return 'a number with a sign';
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text)) return 'an ISO date';
  return 'something else';
}
