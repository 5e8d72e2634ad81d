/** The meaning of every error code, for the documents; apart from the statuses, which the console needs, too. */
export const REFUSAL_MEANINGS: Readonly<Record<RefusalCode, string>> = {
  INVALID_REQUEST: 'The request is malformed or a field has a wrong value.',
  UNAUTHENTICATED: 'The bearer token is missing or unknown.',
  SIGNATURE_MISSING: 'A signature header is missing.',
  SIGNATURE_INVALID: 'A signature header has the wrong form, or the signature does not hold.',
  TIMESTAMP_OUT_OF_RANGE: 'X-Timestamp is too far from the current time.',
  NONCE_REUSED: 'The nonce was used before.',
  INSUFFICIENT_SCOPE: 'The token lacks a scope that the operation needs.',
  FORBIDDEN: 'The request came from a host or an origin that is not allowed.',
  NOT_FOUND: 'There is no such route or resource, or it belongs to another application.',
  METHOD_NOT_ALLOWED: 'The route exists for other methods.',
  CODE_REUSED: 'The code was used for an earlier resource with other fields.',
  ENDPOINT_ALREADY_EXISTS: 'An active endpoint with the same URL exists.',
  ENDPOINT_LIMIT_REACHED: 'The application has ten webhook endpoints.',
  DELIVERY_NOT_FAILED: 'Only a delivery in FAILED can be retried.',
  ENDPOINT_UNAVAILABLE:
    'The endpoint of the delivery is disabled, deleted or away, so a retry cannot reach it.',
  INVALID_TRANSITION: 'The state of the resource does not allow it.',
  INSUFFICIENT_BALANCE: 'The balance does not cover the withdrawal.',
  IDEMPOTENCY_KEY_REUSED: 'The key was used for an earlier request with another body.',
  NOT_TERMINAL: 'The verification has no final decision yet.',
  SCENARIO_BUSY: 'A scenario is running, or this one was broken off.',
  NOT_STOPPABLE: 'The sandbox belongs to a command or a program that ends it.',
  CLOCK_BUSY: 'Another advance of the clock is under way.',
  SESSION_EXPIRED: 'The verification session lapsed without a decision.',
  PAYLOAD_TOO_LARGE: 'The body is over the limit.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not plain application/json.',
  ENDPOINT_URL_NOT_ALLOWED: 'The endpoint URL is not HTTPS to a public address.',
  RATE_LIMITED: 'Too many calls.',
  HEADERS_TOO_LARGE: 'The request has too many headers, or they are too long.',
  SERVICE_UNAVAILABLE:
    'Identity verification is off or has no credential, or the sandbox has too many open files.',
};

/** Every error code of the service and of the sandbox's own doors, with its HTTP status (§7). */
export const REFUSAL_STATUSES = {
  INVALID_REQUEST: 400,
  UNAUTHENTICATED: 401,
  SIGNATURE_MISSING: 401,
  SIGNATURE_INVALID: 401,
  TIMESTAMP_OUT_OF_RANGE: 401,
  NONCE_REUSED: 401,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CODE_REUSED: 409,
  ENDPOINT_ALREADY_EXISTS: 409,
  ENDPOINT_LIMIT_REACHED: 409,
  DELIVERY_NOT_FAILED: 409,
  ENDPOINT_UNAVAILABLE: 409,
  INVALID_TRANSITION: 409,
  INSUFFICIENT_BALANCE: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  NOT_TERMINAL: 409,
  SCENARIO_BUSY: 409,
  NOT_STOPPABLE: 409,
  CLOCK_BUSY: 409,
  SESSION_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  ENDPOINT_URL_NOT_ALLOWED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUSES;
export type RefusalStatus = (typeof REFUSAL_STATUSES)[RefusalCode];

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

/** What was found; refuses with NOT_FOUND where nothing was. */
export function existing<Found>(found: Found | undefined, what: string, hint?: string): Found {
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no ${what}.`, { hint });
  return found;
}
