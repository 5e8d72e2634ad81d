import type { SeenExchange, SeenMessage } from './differences.js';

/** A request as it is kept: without secrets. */
export interface KeptRequest {
  readonly door: string;
  readonly method: string;
  /** Its target. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export const SIGNATURE_HEADERS: readonly string[] = ['x-timestamp', 'x-nonce', 'x-signature'];
/** What a log shows in place of a secret; no request can hold it outside its body. */
export const HIDDEN = '…';

/** Whether a part of a kept request lacks what the log hides. */
export function isHidden(text: string): boolean {
  return text.includes(HIDDEN);
}

/**
 * Whether a kept call is signed when it is sent again: as it was before, and where the payments API asks for
 * it (§5.2).
 */
export function isSignedAgain({ door, method, headers }: KeptRequest): boolean {
  if (door !== 'api') return false;
  const changes = method !== 'GET' && method !== 'HEAD';
  return changes || headers.some(([name]) => SIGNATURE_HEADERS.includes(name.toLowerCase()));
}

/**
 * Headers for a request that is sent again, and the names of those that are left out because the log hides
 * their values.
 */
interface HeadersAgain<Value> {
  readonly headers: [name: string, value: Value | string][];
  readonly leftOut: string[];
}

/**
 * The kept headers in their order, with the fresh values in the places of the old ones or after all; a fresh
 * undefined leaves one out.
 */
export function headersAgain<Value>(
  kept: KeptRequest['headers'],
  fresh: Readonly<Record<string, Value | undefined>>,
): HeadersAgain<Value> {
  const given = new Map(Object.entries(fresh));
  const isReplaced = new Set(given.keys());
  const headers: [string, Value | string][] = [];
  const leftOut: string[] = [];
  for (const [name, value] of kept) {
    const key = name.toLowerCase();
    const now = given.get(key);
    given.delete(key);
    if (now !== undefined) headers.push([name, now]);
    else if (isReplaced.has(key)) continue;
    else if (isHidden(value)) leftOut.push(key);
    else headers.push([name, value]);
  }
  for (const [name, value] of given) if (value !== undefined) headers.push([name, value]);
  return { headers, leftOut };
}

/** A string that does not end reaches to the end, so that no text takes long. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\]:,]+|[{}[\]:,]/g;

/** Where the value of a member of a JSON object stands, from and to. */
type Range = readonly [from: number, to: number];

/**
 * The text of a JSON object with another value for a member, and every other character as it was. Of a
 * repeated member the last counts. Undefined for what is no object, or has no such member.
 */
export function withMember(json: string, name: string, value: unknown): string | undefined {
  const range = isJson(json) ? rangeOf(json, name) : undefined;
  if (range === undefined) return undefined;
  return json.slice(0, range[0]) + JSON.stringify(value) + json.slice(range[1]);
}

function rangeOf(json: string, name: string): Range | undefined {
  let depth = 0;
  let key: string | undefined;
  let isKey = false;
  let from: number | undefined;
  let end = 0;
  let found: Range | undefined;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (depth === 0 && token !== '{') return undefined;
    if (depth === 1 && (token === ',' || token === '}')) {
      if (key === name && from !== undefined) found = [from, end];
      from = undefined;
    } else if (depth === 1 && isKey) {
      key = JSON.parse(token) as string;
    } else if (depth === 1 && token !== ':') {
      from ??= index;
    }
    isKey = token === ',' || (depth === 0 && token === '{');
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    end = index + token.length;
    if (depth === 0) break;
  }
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A body in JSON: as text where it is UTF-8, else in base64. */
export type ShownBody =
  | { readonly body: string; readonly body_base64?: undefined }
  | { readonly body?: undefined; readonly body_base64: string };

/** The bytes of a body for JSON. A cut body may end within a character, which is then left out. */
export function shownBody(bytes: Uint8Array, isCut = false): ShownBody {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(bytes, { stream: isCut }) };
  } catch {
    return { body_base64: Buffer.from(bytes).toString('base64') };
  }
}

/** The header of a control request that says who sends it, for the timeline: `console`, or `scenario` and its name. */
export const SENDER_HEADER = 'x-sandbox-sender';

/** The header's value for a scenario: what a header cannot hold is percent-encoded, and so is a space at its end. */
export function scenarioSender(name: string): string {
  const whole = name.replaceAll(/\p{Cs}/gu, '\u{fffd}');
  return `scenario ${whole.replaceAll(/[^ -$&-~]| $/gu, (character) => encodeURIComponent(character))}`;
}

/** Who the header names, and for a scenario its name up to a length; undefined for anybody else. */
export function readSender(
  value: string,
  mostLength: number,
): { readonly by: 'console' } | { readonly by: 'scenario'; readonly scenario: string } | undefined {
  const [by, ...words] = value.split(' ');
  if (by === 'console') return { by };
  if (by !== 'scenario') return undefined;
  const scenario = decoded(words.join(' '))
    .slice(0, mostLength)
    .replace(/\p{Cs}$/u, '');
  return { by, scenario };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A call as the control API shows it. */
interface ShownCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly request: SeenMessage | null;
  readonly response: SeenMessage | null;
}

/** An attempt as the control API shows it. */
interface ShownAttempt {
  readonly response_status: number | null;
  readonly error: string | null;
  readonly request_headers?: Readonly<Record<string, string>> | undefined;
  readonly response?: SeenMessage | null | undefined;
}

/** A call as it is compared. */
export function callExchange({ method, path, status, request, response }: ShownCall): SeenExchange {
  if (request === null) return { method, path, status, request: undefined, response: undefined };
  return { method, path, status, request, response };
}

/** An attempt as it is compared; every attempt of a delivery has the same body. */
export function attemptExchange({
  response_status: status,
  error,
  request_headers: headers,
  response,
}: ShownAttempt): SeenExchange {
  const request = headers === undefined ? undefined : { headers: Object.entries(headers) };
  return { method: 'POST', path: '', status, error, request, response };
}
