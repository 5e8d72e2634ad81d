/** Every error code of the service and of the sandbox's own doors, with its HTTP status (§7). */
export const REFUSALS = {
  INVALID_REQUEST: { status: 400, meaning: 'The request is malformed or a field has a wrong value.' },
  UNAUTHENTICATED: { status: 401, meaning: 'The bearer token is missing or unknown.' },
  SIGNATURE_MISSING: { status: 401, meaning: 'A signature header is missing.' },
  SIGNATURE_INVALID: {
    status: 401,
    meaning: 'A signature header has the wrong form, or the signature does not hold.',
  },
  TIMESTAMP_OUT_OF_RANGE: { status: 401, meaning: 'X-Timestamp is too far from the current time.' },
  NONCE_REUSED: { status: 401, meaning: 'The nonce was used before.' },
  INSUFFICIENT_SCOPE: { status: 403, meaning: 'The token lacks a scope that the operation needs.' },
  FORBIDDEN: { status: 403, meaning: 'The request came from a host or an origin that is not allowed.' },
  NOT_FOUND: {
    status: 404,
    meaning: 'There is no such route or resource, or it belongs to another application.',
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route exists for other methods.' },
  CODE_REUSED: { status: 409, meaning: 'The code was used for an earlier resource with other fields.' },
  ENDPOINT_ALREADY_EXISTS: { status: 409, meaning: 'An active endpoint with the same URL exists.' },
  ENDPOINT_LIMIT_REACHED: { status: 409, meaning: 'The application has ten webhook endpoints.' },
  DELIVERY_NOT_FAILED: { status: 409, meaning: 'Only a delivery in FAILED can be retried.' },
  ENDPOINT_UNAVAILABLE: {
    status: 409,
    meaning: 'The endpoint of the delivery is disabled, deleted or away, so a retry cannot reach it.',
  },
  INVALID_TRANSITION: { status: 409, meaning: 'The state of the resource does not allow it.' },
  INSUFFICIENT_BALANCE: { status: 409, meaning: 'The balance does not cover the withdrawal.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    meaning: 'The key was used for an earlier request with another body.',
  },
  NOT_TERMINAL: { status: 409, meaning: 'The verification has no final decision yet.' },
  SCENARIO_BUSY: { status: 409, meaning: 'A scenario is running, or this one was broken off.' },
  NOT_STOPPABLE: { status: 409, meaning: 'The sandbox belongs to a command or a program that ends it.' },
  CLOCK_BUSY: { status: 409, meaning: 'Another advance of the clock is under way.' },
  SESSION_EXPIRED: { status: 410, meaning: 'The verification session lapsed without a decision.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is over the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not plain application/json.' },
  ENDPOINT_URL_NOT_ALLOWED: { status: 422, meaning: 'The endpoint URL is not HTTPS to a public address.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many calls.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request has too many headers, or they are too long.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'Identity verification is off or has no credential, or the sandbox has too many open files.',
  },
} as const;

export type RefusalCode = keyof typeof REFUSALS;
export type RefusalStatus = (typeof REFUSALS)[RefusalCode]['status'];

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

  /** The HTTP status that belongs to the code. */
  get status(): RefusalStatus {
    return REFUSALS[this.code].status;
  }
}

/** What was found; refuses with NOT_FOUND where nothing was. */
export function existing<Found>(found: Found | undefined, what: string, hint?: string): Found {
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no ${what}.`, { hint });
  return found;
}
