import { LIMITS } from '../contract/limits.js';
import type { FieldProblem } from '../contract/refusals.js';
import { shortenSessionIds, shortenSessionIdsOf } from '../core/identity/session.js';
import { shortenCredential, redactFields, redactHeaders, redactUrl } from '../text/redaction.js';
import { REDACTED_BYTES } from './attempt-records.js';
import { type PresentedBody, presentBody } from '../text/exchange/present-exchange.js';
import type { PendingRequest } from './timeline/entry.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** A recorded request or response. `bytes` is the full body length; a Buffer can be truncated. */
export interface RecordedMessage {
  readonly headers: Headers;
  readonly body: Buffer | string;
  readonly bytes: number;
}

/** A recorded request with its response, if any. */
interface RecordedExchange {
  readonly request: RecordedMessage;
  readonly response: RecordedMessage | null;
  /** Real time between request and response. */
  readonly durationMs: number;
}

/** A message for display, with redacted secrets and a body of limited length. */
export interface RedactedMessage {
  readonly headers: Headers;
  readonly body: PresentedBody;
  readonly bytes: number;
  readonly truncated: boolean;
  /** True if secrets in the body were redacted. */
  readonly redacted: boolean;
}

interface ShownExchange {
  readonly request: RedactedMessage;
  readonly response: RedactedMessage | null;
  readonly durationMs: number;
}

type Hide = (text: string) => string;

/** An API request from the integrator's code, with its response. */
export interface Call {
  readonly requestId: string;
  /** Sandbox time and real time, in milliseconds. */
  readonly at: number;
  readonly realAt: number;
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** True if a route matches the method and path. */
  readonly matched: boolean;
  readonly appId: string | null;
  /** The single resource in the response, if any. */
  readonly resourceId: string | null;
  /** The payment code in the response, if any. */
  readonly resourceCode?: string | undefined;
  /** The response's error code and suggested fix. */
  readonly error: string | null;
  readonly hint: string | null;
  /** The refusal's message. */
  readonly message?: string | undefined;
  readonly details?: readonly FieldProblem[] | undefined;
  /** Warnings about accepted but probably unintended input. */
  readonly warnings: readonly string[];
  /** Faults that fired on this request. */
  readonly faults: readonly { readonly id: string; readonly action: string }[];
  /** The recorded request and response, if any. Secrets are redacted on reading. */
  readonly exchange?: RecordedExchange | undefined;
}

/** Called with each logged request and its pending timeline entry, if any. */
type CallListener = (call: Call, open: PendingRequest | undefined) => void;

/** Query parameters of the built-in routes. Their values are never secret, even if long. */
const PARAMETERS = new Set(['limit', 'after', 'before', 'status', 'event_type']);

/** Redacts credentials in a request path and its query. */
export function redactPath(path: string): string {
  const shortened = shortenSessionIds(path);
  return shortened.includes('?') ? redactUrl(shortened, PARAMETERS) : shortened;
}

/** Logs the newest API requests. */
export class CallLog {
  readonly #hide: Hide;
  readonly #calls: Call[] = [];
  readonly #listeners = new Set<CallListener>();
  #count = 0;

  /** `hide` redacts known secrets in a text. */
  constructor(hide: Hide = (text) => text) {
    this.#hide = hide;
  }

  /**
   * Logs a request. Redacts known secrets and shortens session ids, which are credentials. A pending
   * request's path is already redacted.
   */
  add(made: Call, open?: PendingRequest): void {
    const { exchange, details } = made;
    const shown = (text: string) => shortenSessionIdsOf(this.#hide(text));
    const call: Call = {
      ...made,
      message: made.message && shown(made.message),
      details: details?.map(({ field, message }) => ({ field: shown(field), message: shown(message) })),
      exchange: exchange && {
        ...exchange,
        request: cutMessage(exchange.request),
        response: exchange.response && cutMessage(exchange.response),
      },
      path: open === undefined ? redactPath(this.#hide(made.path)) : made.path,
      resourceCode: made.resourceCode && this.#hide(made.resourceCode),
      hint: made.hint === null ? null : this.#hide(made.hint),
      warnings: made.warnings.map(this.#hide),
    };
    this.#calls.push(call);
    this.#count += 1;
    if (this.#calls.length > LIMITS.callsKept) this.#calls.shift();
    for (const listener of this.#listeners) listener(call, open);
  }

  /** Number of requests since the last reset. */
  get count(): number {
    return this.#count;
  }

  /** Finds a logged request by its id. */
  get(requestId: string): Call | undefined {
    return this.#calls.findLast((call) => call.requestId === requestId);
  }

  /** Lists the logged requests, newest first. */
  newest(): Call[] {
    return this.#calls.toReversed();
  }

  /**
   * Returns a request's exchange. Removes known secrets; shortens credentials and the values of secret-named
   * fields.
   */
  shown({ exchange }: Call): ShownExchange | undefined {
    return (
      exchange && {
        ...exchange,
        request: shownMessage(exchange.request, this.#hide, redactFields),
        response: exchange.response && shownMessage(exchange.response, this.#hide),
      }
    );
  }

  /** Calls `listener` with each new request. Returns a function that unsubscribes. */
  subscribe(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#calls.length = 0;
    this.#count = 0;
  }
}

/** Extra bytes stored beyond the limit, so that a secret at the limit is complete and can be redacted. */
const BEYOND_CUT = 1_024;
const MAX_BYTES = LIMITS.callBodyBytes;

/** Copies the beginning of a long body, so that the full body can be garbage-collected. */
function cutMessage(message: RecordedMessage): RecordedMessage {
  const { headers, body, bytes } = message;
  if (body.length <= MAX_BYTES) return message;
  return { headers, bytes, body: Buffer.from(bytesOf(body).subarray(0, MAX_BYTES + BEYOND_CUT)) };
}

function shownMessage(
  { headers, body, bytes }: RecordedMessage,
  hide: Hide,
  hideFields: Hide = (text) => text,
): RedactedMessage {
  const whole = bytesOf(body);
  const isCut = whole.length > MAX_BYTES;
  const text = isCut ? presentBody(whole, true).body : presentBody(whole).body;
  const original = text ?? whole.toString('latin1');
  const hidden = hideFields(shortenSessionIdsOf(hide(original)));
  const shown =
    text === undefined ? Buffer.from(hidden.replaceAll('…', REDACTED_BYTES), 'latin1') : Buffer.from(hidden);
  return {
    headers: redactHeaders(headers, shortenCredential).map(([name, value]) => [hide(name), hide(value)]),
    body: presentBody(isCut ? shown.subarray(0, MAX_BYTES) : shown, isCut),
    bytes,
    truncated: isCut || bytes > whole.length,
    redacted: hidden !== original,
  };
}

function bytesOf(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
