import type { HeaderName, HeaderSource } from '../headers.js';
import { readHeaders } from '../headers.js';
import { checkedTolerance, DEFAULT_TOLERANCE_S, parseTimestamp, wholeSeconds } from '../timestamp.js';
import { type DiagnosisContext, type Finding, observed } from './diagnose.js';

/** The headers of a message as far as they can be read, and the problems with their names and number. */
interface RepairedHeaders<Short extends string> {
  readonly values: Partial<Record<Short, string>>;
  readonly findings: readonly Finding[];
}

/**
 * Reads headers, and looks for a missing one under a similar name. `others` are all headers of the message:
 * Node's flat `rawHeaders` or a record.
 */
export function repairHeaders<Short extends string>(
  headers: HeaderSource,
  others: HeaderSource | readonly string[] | undefined,
  names: readonly HeaderName<Short>[],
): RepairedHeaders<Short> {
  const values: Partial<Record<Short, string>> = { ...readHeaders(headers, names) };
  const findings: Finding[] = [];
  const all = pairsOf(others ?? headers);
  for (const [short, full] of names) {
    const value = values[short];
    const expected = `The header ${full}.`;
    if (value) {
      const single = singleOf(value);
      if (single === value) continue;
      values[short] = single;
      const fix = `Set ${full} in one place only.`;
      findings.push(
        observed('header-repeated', `${full} was sent twice.`, `Exactly one header ${full}.`, fix),
      );
      continue;
    }
    const similar = all.find(([name, value]) => value !== '' && isSimilar(name, full));
    if (!similar) {
      const fix = `Send ${full} with the message.`;
      findings.push(observed('header-missing', `${full} was not sent, or is empty.`, expected, fix));
      continue;
    }
    values[short] = similar[1];
    const did = `${full} was sent under the name ${JSON.stringify(similar[0].slice(0, 64))}.`;
    findings.push(observed('header-misnamed', did, expected, `Name the header ${full}.`));
  }
  return { values, findings };
}

/** The value of a header, by its name in lower case. */
export function findHeader(
  headers: HeaderSource | readonly string[] | undefined,
  name: string,
): string | undefined {
  return headers && pairsOf(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

type Pair = readonly [name: string, value: string];

function pairsOf(headers: HeaderSource | readonly string[]): Pair[] {
  if (isFlat(headers)) {
    const pairs: Pair[] = [];
    for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? '']);
    return pairs;
  }
  // A fetch Headers lists its entries; another lookup cannot be searched.
  if (typeof headers.get === 'function') return isIterable(headers) ? [...headers] : [];
  return Object.entries(headers).flatMap(([name, value]): Pair[] =>
    typeof value === 'string' ? [[name, value]] : Array.isArray(value) ? [[name, value.join(', ')]] : [],
  );
}

function isFlat(headers: HeaderSource | readonly string[]): headers is readonly string[] {
  return Array.isArray(headers);
}

function isIterable(headers: object): headers is Iterable<Pair> {
  return Symbol.iterator in headers;
}

function isSimilar(name: string, full: string): boolean {
  return essence(name) === essence(full) && name.toLowerCase() !== full;
}

/** The core of a header's name, without the prefixes and suffixes of frameworks and vendors. */
function essence(name: string): string {
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

/** A header that was sent twice with the same value arrives joined by a comma. */
function singleOf(value: string): string {
  const [first = '', ...rest] = value.split(', ');
  return rest.length > 0 && rest.every((piece) => piece === first) ? first : value;
}

/** What a timestamp header reveals about the sender's clock and code. @internal */
interface TimestampHeader {
  readonly findings: readonly Finding[];
  /** The Unix seconds that the header means, if that is clear. */
  readonly seconds: number | undefined;
}

/** Reads a timestamp header in every format that programs write, and names a wrong format or clock. @internal */
export function readTimestampHeader(name: string, text: string, context: DiagnosisContext): TimestampHeader {
  const nowS = wholeSeconds(context.nowS);
  const toleranceS = checkedTolerance(context.toleranceS ?? DEFAULT_TOLERANCE_S);
  if (text === '') return { findings: [], seconds: undefined };
  const exact = parseTimestamp(text);
  if (exact !== undefined) return { findings: skewOf(name, nowS - exact, toleranceS), seconds: exact };
  const expected = `${name} in Unix seconds: 1 to 12 decimal digits and nothing else.`;
  for (const [id, did, secondsOf] of FORMS) {
    const seconds = secondsOf(text);
    if (seconds === undefined || !Number.isFinite(seconds)) continue;
    const finding = observed(id, `${name} was sent ${did}.`, expected, WHOLE_SECONDS);
    return { findings: [finding, ...skewOf(name, nowS - seconds, toleranceS)], seconds };
  }
  const did = `${name} was sent as something that is not a time.`;
  return { findings: [observed('timestamp-header-form', did, expected, WHOLE_SECONDS)], seconds: undefined };
}

const WHOLE_SECONDS = 'Send whole Unix seconds, as in Math.floor(Date.now() / 1000), and sign the same text.';

type SecondsOf = (text: string) => number | undefined;

const FORMS: readonly (readonly [id: string, did: string, secondsOf: SecondsOf])[] = [
  ['timestamp-header-milliseconds', 'in milliseconds', digits(13, 1e3)],
  ['timestamp-header-microseconds', 'in microseconds', digits(16, 1e6)],
  ['timestamp-header-nanoseconds', 'in nanoseconds', digits(19, 1e9)],
  ['timestamp-header-fraction', 'with a fraction', matching(/^(\d{1,12})[.,]\d+$/)],
  ['timestamp-header-exponent', 'with an exponent', matching(/^(\d(?:\.\d+)?e\+?\d{1,2})$/i)],
  ['timestamp-header-sign', 'with a sign', matching(/^([+-]\d{1,12})$/)],
  ['timestamp-header-blanks', 'with spaces around it', matching(/^(?=.*\s)\s*(\d{1,12})\s*$/)],
  ['timestamp-header-quoted', 'in quotes', matching(/^["'](\d{1,12})["']$/)],
  ['timestamp-header-unit', 'with a unit or other text after the digits', matching(/^(\d{1,12})\s*[a-z]+$/i)],
  ['timestamp-header-iso-date', 'as a date in ISO form', date(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/)],
  [
    'timestamp-header-http-date',
    'as a date in HTTP form',
    date(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /),
  ],
];

function digits(count: number, perSecond: number): SecondsOf {
  return (text) =>
    text.length === count && /^\d+$/.test(text) ? Math.floor(Number(text) / perSecond) : undefined;
}

function matching(pattern: RegExp): SecondsOf {
  return (text) => {
    const number = pattern.exec(text)?.[1];
    return number === undefined ? undefined : Math.floor(Number(number));
  };
}

function date(beginning: RegExp): SecondsOf {
  return (text) => {
    if (!beginning.test(text)) return undefined;
    // A date without a zone is read as UTC, not in the zone of this machine.
    const zoned = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
    return Math.floor(Date.parse(zoned) / 1000);
  };
}

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

function skewOf(name: string, ageS: number, toleranceS: number): Finding[] {
  const sizeS = Math.abs(ageS);
  if (sizeS <= toleranceS) return [];
  const expected = `${name} within ${toleranceS} s of now.`;
  const side = ageS > 0 ? 'behind' : 'ahead';
  const did =
    `${name} is ${durationWords(sizeS)} ${ageS > 0 ? 'behind' : 'ahead of'} now ` +
    `(${ageS > 0 ? '-' : '+'}${sizeS} s).`;
  if (zoneHours(ageS, toleranceS) !== undefined) {
    const fix = 'Use UTC; a difference of whole or half hours means that a time zone was applied.';
    return [observed('clock-time-zone', did, expected, fix)];
  }
  if (ageS > DAY_S) {
    const fix = 'Read the time again for each message; verify an old capture with the time of its capture.';
    return [observed('timestamp-stale', did, expected, fix)];
  }
  const fix = `Set the clock of the sending machine: it runs ${side}, or the message waited before it was sent.`;
  return [observed(`clock-${side}`, did, expected, fix)];
}

/** The offset in hours of a time zone that matches the difference. */
function zoneHours(ageS: number, toleranceS: number): number | undefined {
  const hours = Math.round((ageS / HOUR_S) * 2) / 2;
  const near = Math.abs(ageS - hours * HOUR_S) <= Math.min(toleranceS, 60);
  return near && hours !== 0 && Math.abs(hours) <= 14 ? hours : undefined;
}

/** A duration in its two largest units, as in `3 h 20 min`. */
function durationWords(totalS: number): string {
  const units = [
    ['d', DAY_S],
    ['h', HOUR_S],
    ['min', 60],
    ['s', 1],
  ] as const;
  let restS = totalS;
  const words: string[] = [];
  for (const [unit, sizeS] of units) {
    const count = Math.floor(restS / sizeS);
    restS -= count * sizeS;
    if (count > 0) words.push(`${count} ${unit}`);
  }
  return words.slice(0, 2).join(' ');
}
