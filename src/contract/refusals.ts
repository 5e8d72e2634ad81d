/** Every error code of the service and of the sandbox's own routes, with its HTTP status and meaning (§7). */
const REFUSALS = {
  INVALID_REQUEST: [400, 'The request is malformed or a field has a wrong value.'],
  UNAUTHENTICATED: [401, 'The bearer token is missing or unknown.'],
  SIGNATURE_MISSING: [401, 'A signature header is missing.'],
  SIGNATURE_INVALID: [401, 'A signature header has the wrong form, or the signature does not hold.'],
  TIMESTAMP_OUT_OF_RANGE: [401, 'X-Timestamp is too far from the current time.'],
  NONCE_REUSED: [401, 'The nonce was used before.'],
  INSUFFICIENT_SCOPE: [403, 'The token lacks a scope required by the operation.'],
  FORBIDDEN: [403, 'The request came from a disallowed host or origin.'],
  NOT_FOUND: [404, 'There is no such route or resource, or it belongs to another application.'],
  METHOD_NOT_ALLOWED: [405, 'The route exists for other methods.'],
  CODE_REUSED: [409, 'The code was used for an earlier resource with other fields.'],
  ENDPOINT_ALREADY_EXISTS: [409, 'An active endpoint with the same URL exists.'],
  ENDPOINT_LIMIT_REACHED: [409, 'The application has ten webhook endpoints.'],
  DELIVERY_NOT_FAILED: [409, 'Only a delivery in FAILED can be retried.'],
  ENDPOINT_UNAVAILABLE: [
    409,
    'The endpoint of the delivery is disabled, deleted or away, so a retry cannot reach it.',
  ],
  INVALID_TRANSITION: [409, 'The state of the resource does not allow it.'],
  INSUFFICIENT_BALANCE: [409, 'The balance does not cover the withdrawal.'],
  IDEMPOTENCY_KEY_REUSED: [409, 'The key was used for an earlier request with another body.'],
  NOT_TERMINAL: [409, 'The verification has no final decision yet.'],
  SCENARIO_BUSY: [409, 'A scenario is running, or this one was broken off.'],
  NOT_STOPPABLE: [409, 'The sandbox belongs to a command or a program that ends it.'],
  CLOCK_BUSY: [409, 'Another advance of the clock is under way.'],
  SESSION_EXPIRED: [410, 'The verification session lapsed without a decision.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is over the limit.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body is not plain application/json.'],
  ENDPOINT_URL_NOT_ALLOWED: [422, 'The endpoint URL is not HTTPS to a public address.'],
  RATE_LIMITED: [429, 'Too many requests.'],
  HEADERS_TOO_LARGE: [431, 'The request has too many headers, or they are too long.'],
  SERVICE_UNAVAILABLE: [
    503,
    'Identity verification is off or has no credential, or the sandbox has too many open files.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number, meaning: string]>>;

export type RefusalCode = keyof typeof REFUSALS;

function column(index: 0 | 1): unknown {
  return Object.fromEntries(Object.entries(REFUSALS).map(([code, row]) => [code, row[index]]));
}

export const REFUSAL_STATUSES = column(0) as { readonly [Code in RefusalCode]: (typeof REFUSALS)[Code][0] };
export const REFUSAL_MEANINGS = column(1) as Readonly<Record<RefusalCode, string>>;

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An expected error: the core threw it before it changed anything. `hint` says what to do next. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: readonly FieldProblem[];
  readonly hint: string | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    more: { details?: readonly FieldProblem[]; hint?: string | undefined } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = more.details ?? [];
    this.hint = more.hint;
  }
}

/** Returns the found value; refuses with NOT_FOUND for undefined. */
export function requireFound<Found>(found: Found | undefined, what: string, hint?: string): Found {
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no ${what}.`, { hint });
  return found;
}
