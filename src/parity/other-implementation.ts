import { formatIsoTime, SECOND_MS } from '../contract/time.js';
import { createTimeout, sleep } from '../delivery/abort.js';
import { isObject } from '../schema/object.js';
import { getErrorMessage } from '../text/errors.js';
import { parseJson } from '../text/json.js';
import {
  type Implementation,
  type ParityRequest,
  type ProbeCredentials,
  ProbeStop,
  RequestNotAllowed,
  type WebhookSource,
} from './implementation.js';
import { findErrorCode, type ParityResponse } from './normalize.js';

/** Limits of a probe, so that it stays below every rate limit and lockout. */
export const PROBE_LIMITS = {
  requests: 55,
  refusedSignatures: 15,
  /** Server errors before the run stops. */
  serverErrors: 3,
  /** Longest accepted Retry-After, in milliseconds of real time. */
  retryAfterMs: 60 * SECOND_MS,
  responseMs: 15 * SECOND_MS,
} as const;

const RESUME = 'Run the same command again: it resumes.';
/** Each request is sent this long after a full second, so that both clocks show the same second. */
const SLOT_OFFSET_MS = 100;

/** Counters of a probe; a resumed probe continues them. */
export interface ProbeCounters {
  requests: number;
  refusedSignatures: number;
  serverErrors: number;
  /** Real time in milliseconds before which no request may be sent. */
  notBefore: number;
  environment: string | null;
}

export function createCounters(): ProbeCounters {
  return { requests: 0, refusedSignatures: 0, serverErrors: 0, notBefore: 0, environment: null };
}

export interface OtherOptions {
  readonly urls: Readonly<Record<ParityRequest['api'], string | undefined>>;
  readonly credentials: ProbeCredentials;
  readonly counters: ProbeCounters;
  /** Set if the caller vouches for the environment. */
  readonly isTest: boolean;
  readonly signal: AbortSignal;
  readonly onRequest?: (request: ParityRequest) => void;
  readonly webhooks?: WebhookSource | undefined;
  /** Replaces real time in tests. */
  readonly time?: { readonly now: () => number; readonly wait: (ms: number) => Promise<void> };
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Sends requests to another implementation, at most one per second. Throws ProbeStop for a response after
 * which no request may follow, and RequestNotAllowed before a request that exceeds a limit.
 */
export class OtherImplementation implements Implementation {
  readonly credentials: ProbeCredentials;
  readonly webhooks: WebhookSource | undefined;
  readonly #options: OtherOptions;
  readonly #time: NonNullable<OtherOptions['time']>;
  #skewS: number | undefined;

  constructor(options: OtherOptions) {
    this.#options = options;
    this.credentials = options.credentials;
    this.webhooks = options.webhooks;
    this.#time = options.time ?? { now: Date.now, wait: (ms) => sleep(ms, options.signal) };
  }

  skewS(): number | undefined {
    return this.#skewS;
  }

  nowS(): number {
    return Math.floor(this.#nextSlotMs() / SECOND_MS) + (this.#skewS ?? 0);
  }

  remaining() {
    const { requests, refusedSignatures } = this.#options.counters;
    return {
      requests: PROBE_LIMITS.requests - requests,
      refusedSignatures: PROBE_LIMITS.refusedSignatures - refusedSignatures,
    };
  }

  async send(request: ParityRequest): Promise<ParityResponse> {
    const { counters, isTest, signal, onRequest } = this.#options;
    const { requests, refusedSignatures } = this.remaining();
    if (requests <= 0)
      throw new RequestNotAllowed(`The limit of ${PROBE_LIMITS.requests} requests was reached.`);
    if (request.isSigned && refusedSignatures <= 0) {
      throw new RequestNotAllowed(
        `The limit of ${PROBE_LIMITS.refusedSignatures} refused signatures was reached.`,
      );
    }
    if (request.method !== 'GET' && counters.environment === null && !isTest) {
      throw new RequestNotAllowed(
        'No resource states its environment; pass --environment-is-test to send more than GET requests.',
      );
    }
    await this.#time.wait(Math.max(this.#nextSlotMs() - this.#time.now(), 0));
    if (signal.aborted) throw new ProbeStop('The probe was interrupted.', RESUME);
    counters.requests += 1;
    counters.notBefore = this.#time.now() + SECOND_MS - SLOT_OFFSET_MS;
    request.onSend?.();
    onRequest?.(request);
    const response = await this.#fetch(request);
    this.#readClock(response);
    this.#checkStatus(request, response);
    this.#checkEnvironment(request, response.body);
    return response;
  }

  #nextSlotMs(): number {
    const earliest = Math.max(this.#time.now(), this.#options.counters.notBefore);
    return Math.ceil((earliest - SLOT_OFFSET_MS) / SECOND_MS) * SECOND_MS + SLOT_OFFSET_MS;
  }

  async #fetch({ api, method, target, headers, body }: ParityRequest): Promise<ParityResponse> {
    const { urls, signal, fetch = globalThis.fetch } = this.#options;
    const timeUp = createTimeout(PROBE_LIMITS.responseMs);
    const sentMs = this.#time.now();
    try {
      const response = await fetch(`${urls[api]}${target}`, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeUp]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: parseJson(text),
        sentMs,
      };
    } catch (error) {
      if (signal.aborted) throw new ProbeStop('The probe was interrupted.', RESUME);
      const cause =
        error instanceof Error && error.cause !== undefined
          ? getErrorMessage(error.cause)
          : getErrorMessage(error);
      throw new ProbeStop(`${urls[api]} does not respond: ${cause}`, `Check the address. ${RESUME}`);
    }
  }

  /** Uses the smallest difference, because a response can only be late. */
  #readClock({ headers, sentMs }: ParityResponse): void {
    const theirs = Date.parse(headers['date'] ?? '');
    if (Number.isNaN(theirs)) return;
    const skewS = Math.floor(theirs / SECOND_MS) - Math.floor(sentMs / SECOND_MS);
    this.#skewS = Math.min(this.#skewS ?? skewS, skewS);
  }

  #checkEnvironment({ expects }: ParityRequest, body: unknown): void {
    const environment = findEnvironment(body);
    if (environment === undefined) return;
    if (environment === 'TEST') {
      this.#options.counters.environment = environment;
      return;
    }
    const created = expects === 'creation' ? ` ${describeCreated(body)}` : '';
    throw new ProbeStop(
      `The server states the environment ${JSON.stringify(environment)}; expected "TEST".${created}`,
      'Use the credentials and the address of the TEST environment.',
    );
  }

  #checkStatus(request: ParityRequest, { status, headers, body }: ParityResponse): void {
    const { counters } = this.#options;
    const { method, target, expects, isSigned, allows403 } = request;
    const code = status < 400 ? undefined : findErrorCode(body);
    const what = `${method} ${target.split('?')[0]} returned ${status}${code === undefined ? '' : ` ${code}`}`;
    const waitMs = readRetryAfter(headers['retry-after'], this.#time.now());
    const notBefore = waitMs === undefined ? undefined : this.#time.now() + waitMs;
    const until = notBefore === undefined ? '' : ` after ${formatIsoTime(notBefore)}, as the server asks`;
    const again = `Run the same command again${until || ' later'}: it resumes.`;
    counters.notBefore = Math.max(counters.notBefore, notBefore ?? 0);
    if (expects === 'refusal' && status >= 200 && status < 300) {
      throw new ProbeStop(
        `${what}, although the request is invalid. ${describeCreated(body)}`,
        'Remove it with the provider’s own tools. The service accepts requests that the sandbox refuses.',
      );
    }
    if (status >= 300 && status < 400) {
      throw new ProbeStop(
        `${what}, a redirect, which is not followed.`,
        'Pass the final address with --against.',
      );
    }
    if (status === 423 || status === 429 || (status === 403 && !allows403)) {
      const hint = status === 403 ? `Check the token’s scopes. ${again}` : again;
      throw new ProbeStop(`${what}; the probe stops to protect the application.`, hint);
    }
    if (status === 401 && counters.requests === 1) {
      // The corrected command also starts with a first request.
      counters.requests = 0;
      throw new ProbeStop(`${what}: the token was refused.`, 'Check PARITY_TOKEN.');
    }
    if (status === 401 && isSigned) counters.refusedSignatures += 1;
    if (status >= 500) counters.serverErrors += 1;
    if (counters.serverErrors >= PROBE_LIMITS.serverErrors) {
      throw new ProbeStop(`${what}, the third server error.`, again);
    }
    if (waitMs !== undefined && waitMs > PROBE_LIMITS.retryAfterMs) throw new ProbeStop(`${what}.`, again);
  }
}

/** Finds an environment that a resource states, at any depth; one other than TEST if there is one. */
function findEnvironment(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 6) return undefined;
  const own = isObject(value) ? value['environment'] : undefined;
  let found = typeof own === 'string' ? own : undefined;
  for (const inner of Object.values(value)) {
    if (found !== undefined && found !== 'TEST') break;
    found = findEnvironment(inner, depth + 1) ?? found;
  }
  return found;
}

/** Parses Retry-After: seconds or a date (RFC 9110). Returns milliseconds. */
function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(date - nowMs, 0);
}

function describeCreated(body: unknown): string {
  const shown = isObject(body)
    ? ['id', 'code', 'url', 'status'].flatMap((name) =>
        typeof body[name] === 'string' ? [`${name} ${body[name]}`] : [],
      )
    : [];
  return shown.length === 0 ? 'The response names no resource.' : `It may have created: ${shown.join(', ')}.`;
}
