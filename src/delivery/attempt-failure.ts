import type { AttemptError } from '../contract/enums.js';
import { isError } from '../text/errors.js';
import type { AttemptResult } from './http-attempt.js';

/** Reason for a missing response: an error code (§2.4) and the original message. */
interface AttemptFailure {
  error: AttemptError;
  detail: string;
}

export function createFailedAttempt(error: AttemptError, detail: string, latencyMs = 0): AttemptResult {
  return { status: null, error, detail, bodyError: null, latencyMs, response: null };
}

/** Creates an attempt result from a final status (§6 rule 3). */
export function createCompletedAttempt(status: number, detail: string | null): AttemptResult {
  const isAccepted = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  return {
    status,
    error: isAccepted ? null : isRedirect ? 'REDIRECT' : 'HTTP_STATUS',
    detail,
    bodyError: null,
    latencyMs: 0,
    response: null,
  };
}

const BY_CODE: Readonly<Record<string, AttemptError>> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_RESET',
  ECONNABORTED: 'CONNECTION_RESET',
  EPIPE: 'CONNECTION_RESET',
  ETIMEDOUT: 'TIMEOUT',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'TIMEOUT',
  ENOTFOUND: 'DNS_FAILED',
  EPROTO: 'TLS_FAILED',
};

const BY_PREFIX: readonly [prefix: string, error: AttemptError][] = [
  ['HPE_', 'INVALID_RESPONSE'],
  ['ERR_SSL_', 'TLS_FAILED'],
  ['ERR_TLS_', 'TLS_FAILED'],
  ['EAI_', 'DNS_FAILED'],
];

/** Maps a `node:http(s)` error that occurred before the final headers to an error code (§2.4). */
export function describeFailure(error: Error, certificateRefused: boolean): AttemptFailure {
  if (isAggregate(error)) return describeAll(error);
  const detail = error.message.trim();
  if (certificateRefused) return { error: 'TLS_FAILED', detail };
  const code = errorCode(error);
  const prefixed = BY_PREFIX.find(([prefix]) => code.startsWith(prefix));
  return { error: BY_CODE[code] ?? prefixed?.[1] ?? 'CONNECTION_FAILED', detail };
}

function isAggregate(error: Error): error is AggregateError {
  return 'errors' in error && Array.isArray(error.errors);
}

/**
 * Combines the errors from all addresses of a host name, because an aggregate error usually has no message.
 * Prefers timeouts, then refused connections, as the most informative errors.
 */
function describeAll({ errors, message }: AggregateError): AttemptFailure {
  const failures = errors.filter(isError).map((one) => describeFailure(one, false));
  const codes = failures.map(({ error }) => error);
  const leading = (['TIMEOUT', 'CONNECTION_REFUSED'] as const).find((code) => codes.includes(code));
  return {
    error: leading ?? codes[0] ?? 'CONNECTION_FAILED',
    detail: failures.map(({ detail }) => detail).join('; ') || message,
  };
}

/** Returns true if the peer closed the connection, possibly before the request was written. */
export function isClosedConnection(error: Error): boolean {
  const code = errorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
