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
