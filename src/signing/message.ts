import { createHmac, timingSafeEqual } from 'node:crypto';

/** A message body: its bytes on the wire, or a text to encode in UTF-8. */
export type Bytes = Uint8Array | string;

/** HMAC-SHA256 of the concatenated parts; text is encoded in UTF-8. @internal */
export function computeHmacSha256(key: Bytes, ...parts: readonly Bytes[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Compares two byte strings in constant time for their length. @internal */
export function areEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The bytes of header or request-line text, of which HTTP parsers turn each byte into one character; ASCII is
 * as good as its bytes. @internal
 */
export function toWireBytes(text: string): Bytes {
  return /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text) ? Buffer.from(text, 'latin1') : text;
}

/** Anything with a `get` like that of fetch `Headers`. */
export interface HeaderLookup {
  get(name: string): string | null;
}

/** Headers by name in any letter case, as Node's `request.headers`, as fetch's `Headers`, or as parsed JSON. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A source of headers: a fetch `Headers` or a plain record. */
export type HeaderSource = HeaderLookup | HeaderRecord;

/** The value of the header `name` (in lower case); undefined if it is absent. @internal */
export function readHeader(headers: HeaderSource, name: string): string | undefined {
  if (isLookup(headers)) return headers.get(name) ?? undefined;
  const exact = ownValue(headers, name);
  if (exact !== undefined) return exact;
  for (const key of Object.keys(headers)) {
    if (key.length === name.length && key.toLowerCase() === name) return ownValue(headers, key);
  }
  return undefined;
}

/** A header's short name, as the library's own objects have it, and its full name in lower case. @internal */
export type HeaderName<Short extends string> = readonly [short: Short, full: string];

/**
 * Reads several headers: by their full names, or by short names if a record contains no full name. @internal
 */
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
  // Node joins a repeated header in the same way.
  return typeof value === 'object' ? value.join(', ') : value;
}

/** The default distance of a timestamp from now, in either direction (§5.5). */
export const DEFAULT_TOLERANCE_S = 300;

const TIMESTAMP_FORM = /^[0-9]{1,12}$/;

/** Unix seconds of a timestamp header; undefined unless it is exactly 1 to 12 decimal digits (§5.2). @internal */
export function parseTimestamp(text: string): number | undefined {
  return TIMESTAMP_FORM.test(text) ? Number(text) : undefined;
}

/**
 * Formats a timestamp for a header. Throws a RangeError for a number outside the range of a header. @internal
 */
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

/** Whole seconds of `now`; a fraction is dropped, as the reference receiver does. @internal */
export function checkWholeSeconds(nowS: number): number {
  if (!Number.isFinite(nowS)) throw new RangeError(`Expected nowS in Unix seconds, got ${nowS}.`);
  return Math.floor(nowS);
}

/** The tolerance; throws a RangeError unless it is a number of 0 or more. @internal */
export function checkTolerance(toleranceS: number): number {
  if (!(toleranceS >= 0)) throw new RangeError(`Expected toleranceS of 0 or more, got ${toleranceS}.`);
  return toleranceS;
}

/** Describes a value other than Unix seconds for an error message. @internal */
export function describeTimestamp(text: string): string {
  if (/^[0-9]{13}$/.test(text)) return '13 digits, which looks like milliseconds';
  if (/^[0-9]+$/.test(text)) return `${text.length} digits`;
  if (/^\s|\s$/.test(text)) return 'a value with blanks around it';
  if (/^[0-9]+\.[0-9]+$/.test(text)) return 'a number with a fraction';
  if (/^[+-]/.test(text)) return 'a number with a sign';
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text)) return 'a date in ISO form';
  return 'something else';
}
