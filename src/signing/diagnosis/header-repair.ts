import { type HeaderName, type HeaderSource, readHeaders } from '../headers.js';
import { type Finding, observed } from './finding.js';

/** The headers of a message as far as they can be read, and the problems with their names and number. */
export interface RepairedHeaders<Short extends string> {
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
