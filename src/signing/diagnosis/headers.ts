import {
  checkTolerance,
  DEFAULT_TOLERANCE_S,
  type HeaderName,
  type HeaderSource,
  parseTimestamp,
  readHeaders,
  checkWholeSeconds,
} from '../message.js';
import { type DiagnosisContext, type SigningFinding, createObservedFinding } from './diagnose.js';

type AnyHeaders = HeaderSource | readonly string[];

/**
 * Reads headers and searches for missing headers under similar names. `others` contains all headers of the
 * message, as Node's flat `rawHeaders` or a record. @internal
 */
export function repairHeaders<Short extends string>(
  headers: HeaderSource,
  others: AnyHeaders | undefined,
  names: readonly HeaderName<Short>[],
): { readonly values: Partial<Record<Short, string>>; readonly findings: readonly SigningFinding[] } {
  const values: Partial<Record<Short, string>> = { ...readHeaders(headers, names) };
  const all = pairsOf(others ?? headers);
  const findings = names.flatMap(([short, full]): SigningFinding[] => {
    const value = values[short];
    if (value) {
      values[short] = deduplicateValue(value);
      if (values[short] === value) return [];
      const [did, expected] = [`${full} was sent twice.`, `Exactly one ${full} header.`];
      return [createObservedFinding('header-repeated', did, expected, `Set ${full} only once.`)];
    }
    const expected = `The ${full} header.`;
    const similar = all.find(
      ([name, text]) =>
        text !== '' && name.toLowerCase() !== full && normalizeHeaderName(name) === normalizeHeaderName(full),
    );
    if (!similar) {
      const did = `${full} is missing or empty.`;
      return [createObservedFinding('header-missing', did, expected, `Send ${full} with the message.`)];
    }
    values[short] = similar[1];
    const did = `${full} was sent under the name ${JSON.stringify(similar[0].slice(0, 64))}.`;
    return [createObservedFinding('header-misnamed', did, expected, `Rename the header to ${full}.`)];
  });
  return { values, findings };
}

/** Looks up a header by its lowercase name. @internal */
export function findHeader(headers: AnyHeaders, name: string): string | undefined {
  return pairsOf(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

type Pair = readonly [name: string, value: string];

function pairsOf(headers: AnyHeaders): Pair[] {
  if (isFlat(headers)) {
    return headers.flatMap((name, at): Pair[] => {
      const value = headers[at + 1];
      return at % 2 === 0 && value !== undefined ? [[name, value]] : [];
    });
  }
  // A fetch Headers object is iterable; other objects with a `get` method cannot be searched.
  if (typeof headers.get === 'function') return isIterable(headers) ? [...headers] : [];
  return Object.entries(headers).flatMap(([name, value]): Pair[] =>
    typeof value === 'string' ? [[name, value]] : Array.isArray(value) ? [[name, value.join(', ')]] : [],
  );
}

function isFlat(headers: AnyHeaders): headers is readonly string[] {
  return Array.isArray(headers);
}

function isIterable(headers: object): headers is Iterable<Pair> {
  return Symbol.iterator in headers;
}

/** Strips the prefixes and suffixes that frameworks and vendors add to header names. */
function normalizeHeaderName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^http-/, '')
    .replace(/^(?:x-)?(?:webhook|svix|hub|pix|message|msg|event)-/, '')
    .replace(/^(?:x-)?request-(?=timestamp|nonce|signature)/, '')
    .replace(/^x-/, '')
    .replace(/-(?:sha-?256|256|header|value|v1)$/, '')
    .replaceAll('-', '')
    .replace(/^(?:time|ts)$/, 'timestamp')
    .replace(/^(?:sig|sign|hmac)$/, 'signature');
}

/** Deduplicates a repeated header, which Node joins with commas. */
function deduplicateValue(value: string): string {
  const [first = '', ...rest] = value.split(', ');
  return rest.every((piece) => piece === first) ? first : value;
}

/**
 * Parses a timestamp header in any common format, and reports wrong formats and clock skew. `seconds` is
 * undefined if the value is ambiguous. @internal
 */
export function readTimestampHeader(
  name: string,
  text: string,
  context: DiagnosisContext,
): { readonly findings: readonly SigningFinding[]; readonly seconds: number | undefined } {
  const nowS = checkWholeSeconds(context.nowS);
  const toleranceS = checkTolerance(context.toleranceS ?? DEFAULT_TOLERANCE_S);
  if (text === '') return { findings: [], seconds: undefined };
  const exact = parseTimestamp(text);
  if (exact !== undefined) return { findings: findClockSkew(name, nowS - exact, toleranceS), seconds: exact };
  const expected = `${name} in Unix seconds: 1 to 12 decimal digits and nothing else.`;
  const fix = 'Send whole Unix seconds, e.g. Math.floor(Date.now() / 1000), and sign the same string.';
  for (const [form, did, pattern, perSecond] of TIMESTAMP_FORMS) {
    const [whole, number = ''] = pattern.exec(text) ?? [];
    if (whole === undefined) continue;
    const seconds = Math.floor(perSecond === 'date' ? dateSeconds(text) : Number(number) / perSecond);
    if (!Number.isFinite(seconds)) continue;
    const finding = createObservedFinding(
      `timestamp-header-${form}`,
      `${name} was sent ${did}.`,
      expected,
      fix,
    );
    return { findings: [finding, ...findClockSkew(name, nowS - seconds, toleranceS)], seconds };
  }
  const did = `${name} is not a valid time.`;
  return {
    findings: [createObservedFinding('timestamp-header-form', did, expected, fix)],
    seconds: undefined,
  };
}

const TIMESTAMP_FORMS: readonly (readonly [
  form: string,
  did: string,
  pattern: RegExp,
  perSecond: number | 'date',
])[] = [
  ['milliseconds', 'in milliseconds', /^(\d{13})$/, 1e3],
  ['microseconds', 'in microseconds', /^(\d{16})$/, 1e6],
  ['nanoseconds', 'in nanoseconds', /^(\d{19})$/, 1e9],
  ['fraction', 'with a fraction', /^(\d{1,12})[.,]\d+$/, 1],
  ['exponent', 'with an exponent', /^(\d(?:\.\d+)?e\+?\d{1,2})$/i, 1],
  ['sign', 'with a sign', /^([+-]\d{1,12})$/, 1],
  ['blanks', 'with surrounding spaces', /^(?=.*\s)\s*(\d{1,12})\s*$/, 1],
  ['quoted', 'in quotes', /^["'](\d{1,12})["']$/, 1],
  ['unit', 'with a unit or other text after the digits', /^(\d{1,12})\s*[a-z]+$/i, 1],
  ['iso-date', 'as an ISO date', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/, 'date'],
  ['http-date', 'as an HTTP date', /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /, 'date'],
];

/** Parses a date to Unix seconds. A date without a time zone is read as UTC, not as local time. */
function dateSeconds(text: string): number {
  const isZoned = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(isZoned ? text : `${text}Z`) / 1000;
}

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

function findClockSkew(name: string, ageS: number, toleranceS: number): SigningFinding[] {
  const sizeS = Math.abs(ageS);
  if (sizeS <= toleranceS) return [];
  const [side, shown] =
    ageS > 0 ? ['behind', `in the past (-${sizeS} s)`] : ['ahead', `in the future (+${sizeS} s)`];
  const [id, fix] = isZoneOffset(ageS, toleranceS)
    ? ['clock-time-zone', 'Use UTC; a difference of whole or half hours means that a time zone was applied.']
    : ageS > DAY_S
      ? [
          'timestamp-stale',
          'Read the clock for each message; to verify an old capture, use its capture time.',
        ]
      : [
          `clock-${side}`,
          `Correct the sender’s clock: it runs ${side}, or the message was delayed before sending.`,
        ];
  const did = `${name} is ${durationWords(sizeS)} ${shown}.`;
  return [createObservedFinding(id, did, `${name} within ${toleranceS} s of now.`, fix)];
}

function isZoneOffset(ageS: number, toleranceS: number): boolean {
  const hours = Math.round((ageS / HOUR_S) * 2) / 2;
  const isNear = Math.abs(ageS - hours * HOUR_S) <= Math.min(toleranceS, 60);
  return isNear && hours !== 0 && Math.abs(hours) <= 14;
}

/** Formats a duration in its two largest units, e.g. `3 h 20 min`. */
function durationWords(totalS: number): string {
  const units: [unit: string, count: number][] = [
    ['d', Math.floor(totalS / DAY_S)],
    ['h', Math.floor(totalS / HOUR_S) % 24],
    ['min', Math.floor(totalS / 60) % 60],
    ['s', totalS % 60],
  ];
  const words = units.filter(([, count]) => count > 0).map(([unit, count]) => `${count} ${unit}`);
  return words.slice(0, 2).join(' ');
}
