import type { RefusalCode } from './refusals.js';

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
