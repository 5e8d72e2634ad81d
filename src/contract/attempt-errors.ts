/**
 * Why an attempt failed: the closed set that `last_error` of a delivery takes (§2.4).
 * An answer that is not 2xx is `HTTP_STATUS`; `last_response_status` has its number.
 */
export const ATTEMPT_ERRORS = {
  HTTP_STATUS: 'The receiver answered with a status outside 200 to 299.',
  REDIRECT: 'The receiver answered with a redirect, and redirects are not followed.',
  TIMEOUT: 'No final response headers arrived within the time limit.',
  CONNECTION_REFUSED: 'Nothing listens at the address.',
  CONNECTION_RESET: 'The receiver closed the connection before it answered.',
  CONNECTION_FAILED: 'The connection could not be made.',
  DNS_FAILED: 'The host name does not resolve.',
  TLS_FAILED: 'The TLS handshake failed or the certificate is not valid for the host.',
  INVALID_RESPONSE: 'The answer is not HTTP, or its headers are over the limit.',
  DESTINATION_NOT_ALLOWED: 'The address is not public, so nothing was sent.',
  LISTENER_NOT_CONNECTED: 'The listener disconnected during the attempt.',
  LISTENER_LEFT: 'The listener was deleted, or came back with --fresh.',
  ENDPOINT_DISABLED: 'The endpoint was disabled or deleted.',
  SANDBOX_STOPPED: 'The sandbox stopped before the outcome was recorded.',
  SANDBOX_FAILED: 'The sandbox failed while it prepared or made the attempt.',
} as const;

export type AttemptError = keyof typeof ATTEMPT_ERRORS;
