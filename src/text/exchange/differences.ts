import { BROWSER_LIMITS } from '../../contract/browser-limits.js';

/** A request or an answer as logs show it. */
export interface SeenMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  readonly body_base64?: string | undefined;
  readonly body_bytes?: number | undefined;
  readonly truncated?: boolean | undefined;
}

/** A request and its answer, of which undefined is what is not known, and null an answer that did not come. */
export interface SeenExchange {
  readonly method: string;
  /** Its target or its URL. */
  readonly path: string;
  readonly request: SeenMessage | undefined;
  readonly status: number | null;
  readonly error?: string | null;
  readonly response: SeenMessage | null | undefined;
}

/** What can differ; `writing` is that of the same JSON. */
export const DIFFERENCE_PARTS = [
  'method',
  'path',
  'query',
  'header',
  'body',
  'writing',
  'status',
  'error',
] as const;

/** One thing that differs. `from` and `to` are texts, in bodies those of JSON values; null where there is none. */
export interface Difference {
  readonly of: 'request' | 'answer';
  readonly part: (typeof DIFFERENCE_PARTS)[number];
  /** A parameter, a header, or the path to a value in JSON; empty where there is only one. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface Differences {
  readonly differences: Difference[];
  /** What differs in any two exchanges, by name. */
  readonly always: string[];
}

/** Headers that are new in every request or answer. */
const ALWAYS_HEADERS = new Set([
  'x-timestamp',
  'x-nonce',
  'x-signature',
  'x-request-id',
  'date',
  'webhook-timestamp',
  'webhook-signature',
]);
/** The id of a request in an error. */
const ALWAYS_IN_BODIES = new Set(['error.request_id']);

type Found = Omit<Difference, 'of'>;

/** What differs in two exchanges. */
export function differencesOf(before: SeenExchange, after: SeenExchange): Differences {
  const [oldPath, oldQuery] = splitTarget(before.path);
  const [newPath, newQuery] = splitTarget(after.path);
  const request = [
    ...one('method', before.method, after.method),
    ...one('path', oldPath, newPath),
    ...named('query', oldQuery, newQuery),
    ...messages(before.request, after.request),
  ];
  const answer = [
    ...one('status', textOf(before.status), textOf(after.status)),
    ...one('error', before.error ?? null, after.error ?? null),
    ...messages(before.response, after.response),
  ];
  const all = [
    ...request.map((found): Difference => Object.assign(found, { of: 'request' as const })),
    ...answer.map((found): Difference => Object.assign(found, { of: 'answer' as const })),
  ];
  const isAlways = ({ part, name }: Difference) =>
    (part === 'header' && ALWAYS_HEADERS.has(name)) || (part === 'body' && ALWAYS_IN_BODIES.has(name));
  return {
    differences: all.filter((difference) => !isAlways(difference)),
    always: [...new Set(all.filter(isAlways).map(({ name }) => name))],
  };
}

function textOf(status: number | null): string | null {
  return status === null ? null : String(status);
}

function one(part: Found['part'], from: string | null, to: string | null): Found[] {
  return from === to ? [] : [{ part, name: '', from, to }];
}

function splitTarget(target: string): [path: string, query: (readonly [string, string])[]] {
  const [path = '', ...rest] = target.split('?');
  const query = rest.join('?');
  const pairs = query === '' ? [] : query.split('&');
  return [
    path,
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [readable(name), readable(value.join('='))];
    }),
  ];
}

function readable(escaped: string): string {
  try {
    return decodeURIComponent(escaped.replaceAll('+', ' '));
  } catch {
    return escaped;
  }
}

/** Compares values by name; those of one name are taken together, in their order. */
function named(
  part: Found['part'],
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[],
): Found[] {
  const [old, young] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((name) => {
    const [from, to] = [old.get(name)?.join(', ') ?? null, young.get(name)?.join(', ') ?? null];
    return from === to ? [] : [{ part, name, from, to }];
  });
}

function byName(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

function messages(before: SeenExchange['response'], after: SeenExchange['response']): Found[] {
  if (before === undefined || after === undefined) return [];
  const body = bodies(before, after);
  const headers = named('header', headersOf(before), headersOf(after));
  // The length follows from the body.
  return [...headers.filter(({ name }) => name !== 'content-length' || body.length === 0), ...body];
}

function headersOf(message: SeenMessage | null): [string, string][] {
  return (message?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]);
}

function bodies(before: SeenMessage | null, after: SeenMessage | null): Found[] {
  const [from, to] = [bodyOf(before), bodyOf(after)];
  if (from === to) {
    const [old, young] = [lengthOf(before), lengthOf(after)];
    return old === young ? [] : [{ part: 'body', name: '', from: old, to: young }];
  }
  const [old, young] = [jsonIn(from), jsonIn(to)];
  if (old === undefined || young === undefined) return one('body', from, to);
  const found = values('', old.value, young.value);
  return found.length > 0 ? found : [{ part: 'writing', name: '', from, to }];
}

function bodyOf(message: SeenMessage | null): string | null {
  const { body, body_base64: base64 } = message ?? {};
  if (base64 !== undefined) return `base64 ${base64}`;
  return body === undefined || body === '' ? null : body;
}

/** The length of a body of which only the beginning is known. */
function lengthOf(message: SeenMessage | null): string | null {
  return message?.truncated && message.body_bytes !== undefined ? `${message.body_bytes} bytes` : null;
}

/** A value of JSON, unless it is nested so deep that it is compared as a text. */
function jsonIn(text: string | null): { readonly value: unknown } | undefined {
  try {
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return value === undefined || isDeep(value) ? undefined : { value };
  } catch {
    return undefined;
  }
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

function values(path: string, before: unknown, after: unknown): Found[] {
  const bothLists = Array.isArray(before) && Array.isArray(after);
  if (bothLists || (isRecord(before) && isRecord(after))) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => {
      const name = pathTo(path, key, bothLists);
      const [old, young] = [memberOf(before, key), memberOf(after, key)];
      return old === undefined || young === undefined
        ? [{ part: 'body' as const, name, from: jsonText(old), to: jsonText(young) }]
        : values(name, old, young);
    });
  }
  const [from, to] = [jsonText(before), jsonText(after)];
  return from === to ? [] : [{ part: 'body', name: path, from, to }];
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of JSON is never undefined. */
function memberOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function pathTo(path: string, key: string, isItem: boolean): string {
  if (isItem) return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function jsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
