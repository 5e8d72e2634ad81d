import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import { parseJson } from '../json.js';

/** A request or response as shown in logs. */
export interface ObservedMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  readonly body_base64?: string | undefined;
  readonly body_bytes?: number | undefined;
  readonly truncated?: boolean | undefined;
}

/** A request and its response. Unknown parts are undefined; a missing response is null. */
export interface ObservedExchange {
  readonly method: string;
  /** Request-target or URL. */
  readonly path: string;
  readonly request: ObservedMessage | undefined;
  readonly status: number | null;
  readonly error?: string | null;
  readonly response: ObservedMessage | null | undefined;
}

/** Parts that can differ. `writing` means different JSON text for the same value. */
const DIFFERENCE_PARTS = ['method', 'path', 'query', 'header', 'body', 'writing', 'status', 'error'] as const;

/** A difference. `from` and `to` are strings (JSON text for bodies), or null if absent. */
export interface ExchangeDifference {
  readonly of: 'request' | 'answer';
  readonly part: (typeof DIFFERENCE_PARTS)[number];
  /** Parameter name, header name or JSON path; empty for unnamed parts. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface ExchangeDifferences {
  readonly differences: ExchangeDifference[];
  /** Names of values that always differ. */
  readonly always: string[];
}

/** Headers and fields with a new value in every message. */
const ALWAYS = new Set([
  'header x-timestamp',
  'header x-nonce',
  'header x-signature',
  'header x-request-id',
  'header date',
  'header webhook-timestamp',
  'header webhook-signature',
  'body error.request_id',
]);

type Found = Omit<ExchangeDifference, 'of'>;
type Pairs = readonly (readonly [name: string, value: string])[];

export function diffExchanges(before: ObservedExchange, after: ObservedExchange): ExchangeDifferences {
  const [oldPath, oldQuery] = splitTarget(before.path);
  const [newPath, newQuery] = splitTarget(after.path);
  const request = [
    ...compare('method', '', before.method, after.method),
    ...compare('path', '', oldPath, newPath),
    ...comparePairs('query', oldQuery, newQuery),
    ...compareMessages(before.request, after.request),
  ];
  const response = [
    ...compare('status', '', before.status?.toString(), after.status?.toString()),
    ...compare('error', '', before.error, after.error),
    ...compareMessages(before.response, after.response),
  ];
  const all = [
    ...request.map((found): ExchangeDifference => Object.assign(found, { of: 'request' as const })),
    ...response.map((found): ExchangeDifference => Object.assign(found, { of: 'answer' as const })),
  ];
  const isAlways = ({ part, name }: ExchangeDifference) => ALWAYS.has(`${part} ${name}`);
  return {
    differences: all.filter((difference) => !isAlways(difference)),
    always: [...new Set(all.filter(isAlways).map(({ name }) => name))],
  };
}

type Text = string | null | undefined;

function compare(part: Found['part'], name: string, from: Text, to: Text): Found[] {
  return (from ?? null) === (to ?? null) ? [] : [{ part, name, from: from ?? null, to: to ?? null }];
}

function splitTarget(target: string): [path: string, query: Pairs] {
  const [path = '', ...rest] = target.split('?');
  const pairs = rest.join('?').split('&');
  return [path, pairs.filter((pair) => pair !== '').map(readPair)];
}

function readPair(pair: string): [name: string, value: string] {
  const [name = '', ...value] = pair.split('=');
  return [decoded(name), decoded(value.join('='))];
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped.replaceAll('+', ' '));
  } catch {
    return escaped;
  }
}

/** Compares named values. Repeated values are compared as one ordered list. */
function comparePairs(part: Found['part'], before: Pairs, after: Pairs): Found[] {
  const names = new Set([...before, ...after].map(([name]) => name));
  const valueOf = (pairs: Pairs, name: string) => {
    const values = pairs.filter((pair) => pair[0] === name).map(([, value]) => value);
    return values.length === 0 ? null : values.join(', ');
  };
  return [...names].flatMap((name) => compare(part, name, valueOf(before, name), valueOf(after, name)));
}

function compareMessages(before: ObservedExchange['response'], after: ObservedExchange['response']): Found[] {
  if (before === undefined || after === undefined) return [];
  const body = compareBodies(before, after);
  const headers = comparePairs('header', headersOf(before), headersOf(after));
  // Skip content-length if the body changed.
  return [...headers.filter(({ name }) => name !== 'content-length' || body.length === 0), ...body];
}

function headersOf(message: ObservedMessage | null): Pairs {
  return (message?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]);
}

function compareBodies(before: ObservedMessage | null, after: ObservedMessage | null): Found[] {
  const [from, to] = [bodyOf(before), bodyOf(after)];
  if (from === to) return compare('body', '', lengthOf(before), lengthOf(after));
  const [old, young] = [jsonIn(from), jsonIn(to)];
  if (old === undefined || young === undefined) return compare('body', '', from, to);
  const found = compareValues('', old.value, young.value);
  return found.length > 0 ? found : [{ part: 'writing', name: '', from, to }];
}

function bodyOf(message: ObservedMessage | null): string | null {
  const { body = '', body_base64: base64 } = message ?? {};
  if (base64 !== undefined) return `base64 ${base64}`;
  return body === '' ? null : body;
}

/** Formats the length of a truncated body. */
function lengthOf(message: ObservedMessage | null): string | null {
  return message?.truncated && message.body_bytes !== undefined ? `${message.body_bytes} bytes` : null;
}

/** Parses JSON. Returns undefined for deeply nested JSON, which is compared as text. */
function jsonIn(text: string | null): { readonly value: unknown } | undefined {
  const value = text === null ? undefined : parseJson(text);
  return value === undefined || isDeep(value) ? undefined : { value };
}

function isDeep(root: unknown): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > BROWSER_LIMITS.jsonDepth) return true;
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** Compares JSON values. Absent values are undefined. */
function compareValues(path: string, before: unknown, after: unknown): Found[] {
  const isList = Array.isArray(before);
  if (isRecord(before) && isRecord(after) && isList === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      compareValues(pathTo(path, key, isList), memberOf(before, key), memberOf(after, key)),
    );
  }
  return compare('body', path, JSON.stringify(before), JSON.stringify(after));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function memberOf(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function pathTo(path: string, key: string, isItem: boolean): string {
  if (isItem) return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
