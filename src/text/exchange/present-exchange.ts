import { REDACTED } from '../redaction.js';
import type { ObservedExchange, ObservedMessage } from './differences.js';
import { parseJson } from '../json.js';

export const SIGNATURE_HEADERS: readonly string[] = ['x-timestamp', 'x-nonce', 'x-signature'];

type Headers = readonly (readonly [name: string, value: string])[];

/** Returns true if a replayed payments API request requires a signature or was originally signed (§5.2). */
export function needsSignature(call: {
  readonly api: string;
  readonly method: string;
  readonly headers: Headers;
}): boolean {
  const { api, method, headers } = call;
  const changes = method !== 'GET' && method !== 'HEAD';
  const wasSigned = headers.some(([name]) => SIGNATURE_HEADERS.includes(name.toLowerCase()));
  return api === 'api' && (changes || wasSigned);
}

/**
 * Builds a replayed request's headers. Values from `fresh` replace recorded headers or are appended; an
 * undefined value removes a header. `leftOut` lists headers redacted by the log.
 */
export function buildReplayHeaders<Value>(
  kept: Headers,
  fresh: Readonly<Record<string, Value | undefined>>,
): { readonly headers: [name: string, value: Value | string][]; readonly leftOut: string[] } {
  const added = new Map(Object.entries(fresh));
  const headers: [string, Value | string | undefined][] = [];
  const leftOut: string[] = [];
  for (const [name, value] of kept) {
    const key = name.toLowerCase();
    if (added.delete(key)) headers.push([name, fresh[key]]);
    else if (Object.hasOwn(fresh, key)) continue;
    else if (value.includes(REDACTED)) leftOut.push(key);
    else headers.push([name, value]);
  }
  headers.push(...added);
  return { headers: headers.filter((one): one is [string, Value | string] => one[1] !== undefined), leftOut };
}

/**
 * Matches a JSON token. An unterminated string extends to the end of the text, which keeps matching linear.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\]:,]+|[{}[\]:,]/g;

/**
 * Replaces a member's value in JSON object text and preserves all other characters. Replaces only the last
 * occurrence of a repeated member. Returns undefined if the text is not an object or lacks the member.
 */
export function replaceMember(json: string, name: string, value: unknown): string | undefined {
  if (parseJson(json) === undefined) return undefined;
  const tokens = Array.from(json.matchAll(TOKEN), ({ 0: token, index }) => ({ token, index }));
  if (tokens[0]?.token !== '{') return undefined;
  let depth = 0;
  let start: number | undefined;
  let found: readonly [from: number, to: number] | undefined;
  for (const [at, { token }] of tokens.entries()) {
    if (depth === 1 && (token === ',' || token === '}') && start !== undefined) {
      const last = tokens[at - 1];
      found = [start, (last?.index ?? 0) + (last?.token.length ?? 0)];
      start = undefined;
    }
    const isName = depth === 1 && tokens[at + 1]?.token === ':' && JSON.parse(token) === name;
    if (isName) start = tokens[at + 2]?.index;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return found && json.slice(0, found[0]) + JSON.stringify(value) + json.slice(found[1]);
}

/** A body for JSON output, as UTF-8 text or base64. */
export type PresentedBody =
  | { readonly body: string; readonly body_base64?: undefined }
  | { readonly body?: undefined; readonly body_base64: string };

/** Converts a body for JSON output. Drops a truncated body's incomplete last character. */
export function presentBody(bytes: Uint8Array, isCut = false): PresentedBody {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(bytes, { stream: isCut }) };
  } catch {
    return { body_base64: Buffer.from(bytes).toString('base64') };
  }
}

/** Control API request header that identifies the sender: `console`, or `scenario` and a name. */
export const SENDER_HEADER = 'x-sandbox-sender';

/** Formats the header value for a scenario. Percent-encodes characters that headers cannot contain. */
export function formatScenarioSender(name: string): string {
  const whole = name.replaceAll(/\p{Cs}/gu, '\u{fffd}');
  return `scenario ${whole.replaceAll(/[^ -$&-~]| $/gu, (character) => encodeURIComponent(character))}`;
}

/** Parses the sender header and truncates scenario names. Returns undefined for other senders. */
export function readSender(
  value: string,
  maxLength: number,
): { readonly by: 'console' } | { readonly by: 'scenario'; readonly scenario: string } | undefined {
  const [by, ...words] = value.split(' ');
  if (by === 'console') return { by };
  if (by !== 'scenario') return undefined;
  const scenario = decoded(words.join(' '))
    .slice(0, maxLength)
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

/** Formats the status and error of a request or attempt. Returns an empty string while in flight. */
export function formatOutcome({
  status,
  error,
}: {
  readonly status?: number | null | undefined;
  readonly error?: string | null | undefined;
}): string {
  return [status, error === 'HTTP_STATUS' ? null : error].filter((part) => part != null).join(' ');
}

/** Converts a logged request to a comparable exchange. */
export function presentCallExchange(
  call: Pick<ObservedExchange, 'method' | 'path' | 'status'> & {
    readonly request: ObservedMessage | null;
    readonly response: ObservedMessage | null;
  },
): ObservedExchange {
  const { method, path, status, request, response } = call;
  return request === null
    ? { method, path, status, request: undefined, response: undefined }
    : { method, path, status, request, response };
}

/** Converts a delivery attempt to a comparable exchange. All attempts of a delivery have the same body. */
export function presentAttemptExchange(attempt: {
  readonly response_status: number | null;
  readonly error: string | null;
  readonly request_headers?: Readonly<Record<string, string>> | undefined;
  readonly response?: ObservedMessage | null | undefined;
}): ObservedExchange {
  const { response_status: status, error, request_headers: headers, response } = attempt;
  const request = headers === undefined ? undefined : { headers: Object.entries(headers) };
  return { method: 'POST', path: '', status, error, request, response };
}
