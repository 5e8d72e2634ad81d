/** All error codes of the service and the sandbox-specific routes, with HTTP status and meaning (§7). */
const REFUSALS = {
  INVALID_REQUEST: [400, 'The request is malformed, or a field has an invalid value.'],
  UNAUTHENTICATED: [401, 'The bearer token is missing or unknown.'],
  SIGNATURE_MISSING: [401, 'A signature header is missing.'],
  SIGNATURE_INVALID: [401, 'A signature header is malformed, or the signature does not match.'],
  TIMESTAMP_OUT_OF_RANGE: [401, 'X-Timestamp is too far from the current time.'],
  NONCE_REUSED: [401, 'The nonce was already used.'],
  INSUFFICIENT_SCOPE: [403, 'The token lacks a scope required by the operation.'],
  FORBIDDEN: [403, 'The request came from a disallowed host or origin.'],
  NOT_FOUND: [404, 'The route or resource does not exist, or belongs to another application.'],
  METHOD_NOT_ALLOWED: [405, 'The route does not support this method.'],
  CODE_REUSED: [409, 'The code was used for an earlier resource with different fields.'],
  ENDPOINT_ALREADY_EXISTS: [409, 'An active endpoint with the same URL already exists.'],
  ENDPOINT_LIMIT_REACHED: [409, 'The application already has ten webhook endpoints.'],
  DELIVERY_NOT_FAILED: [409, 'Only FAILED deliveries can be retried.'],
  ENDPOINT_UNAVAILABLE: [
    409,
    'The delivery’s endpoint is disabled, deleted or disconnected, so a retry cannot reach it.',
  ],
  INVALID_TRANSITION: [409, 'The resource’s status does not allow the transition.'],
  INSUFFICIENT_BALANCE: [409, 'The balance does not cover the withdrawal.'],
  IDEMPOTENCY_KEY_REUSED: [409, 'The key was used for an earlier request with a different body.'],
  NOT_TERMINAL: [409, 'The verification has no final decision yet.'],
  SCENARIO_BUSY: [409, 'A scenario is running, or this scenario was aborted.'],
  NOT_STOPPABLE: [409, 'Only the command or program that manages the sandbox can stop it.'],
  CLOCK_BUSY: [409, 'Another clock advance is in progress.'],
  SESSION_EXPIRED: [410, 'The verification session expired without a decision.'],
  PAYLOAD_TOO_LARGE: [413, 'The body exceeds the size limit.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body is not plain application/json.'],
  ENDPOINT_URL_NOT_ALLOWED: [422, 'The endpoint URL does not use HTTPS, or its address is not public.'],
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

/** Expected error, thrown before any state changes. `hint` suggests the next step. */
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

/** Returns the value, or throws NOT_FOUND if it is undefined. */
export function requireFound<Found>(found: Found | undefined, what: string, hint?: string): Found {
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no ${what}.`, { hint });
  return found;
}
