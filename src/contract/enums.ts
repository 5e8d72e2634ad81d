import { listPaymentEvents } from './transitions.js';

/** The commands that use a sandbox without an API request or a delivery. */
export const RUNNER_COMMANDS = ['check', 'explore', 'run'] as const;

export type RunnerCommand = (typeof RUNNER_COMMANDS)[number];

/** Events announced by the service (§6), by payment. */
export const PAYMENT_EVENTS = {
  charge: listPaymentEvents('charge'),
  withdrawal: listPaymentEvents('withdrawal'),
} as const;
export const EVENT_TYPES = [...PAYMENT_EVENTS.charge, ...PAYMENT_EVENTS.withdrawal] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Permissions of an application (§5). */
export const SCOPES = [
  'pix:write',
  'pix:read',
  'withdrawals:read',
  'webhooks:write',
  'webhooks:read',
] as const;
export type Scope = (typeof SCOPES)[number];

export const CUSTOMER_TYPES = ['individual', 'business'] as const;
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

/** SPI codes of a rejected or returned payment, with Bacen's meaning in short. */
export const FAILURE_REASONS = {
  AB03: 'settlement timed out in the SPI',
  AB09: 'error at the receiving participant',
  AC03: 'branch or account does not exist',
  AC06: 'account is blocked',
  AC07: 'account is closed',
  AG03: 'account type does not take this transaction',
  AM02: 'amount is over the limit of the account',
  AM04: 'balance of the paying participant is insufficient',
  BE01: 'document does not belong to the account holder',
  BE17: 'the QR code was refused by the receiver',
  DS04: 'order was refused by the receiving participant',
  DUPL: 'payment is a duplicate',
  ED05: 'settlement failed',
  FRAD: 'suspected fraud',
} as const;

export type FailureReason = keyof typeof FAILURE_REASONS;
export const FAILURE_REASON_CODES = Object.keys(FAILURE_REASONS) as FailureReason[];
/** The reason of a failure for which none is given. */
export const DEFAULT_FAILURE_REASON: FailureReason = 'AC03';

/**
 * Reasons for a failed attempt: the closed set of a delivery's `last_error` (§2.4). A response other than 2xx
 * is `HTTP_STATUS`; `last_response_status` has its number.
 */
export const ATTEMPT_ERRORS = {
  HTTP_STATUS: 'The receiver responded with a status outside 200 to 299.',
  REDIRECT: 'The receiver responded with a redirect; redirects are not followed.',
  TIMEOUT: 'No final response headers arrived within the time limit.',
  CONNECTION_REFUSED: 'Nothing listens at the address.',
  CONNECTION_RESET: 'The receiver closed the connection before responding.',
  CONNECTION_FAILED: 'The connection could not be made.',
  DNS_FAILED: 'The host name does not resolve.',
  TLS_FAILED: 'The TLS handshake failed or the certificate is not valid for the host.',
  INVALID_RESPONSE: 'The response is not HTTP, or its headers are over the limit.',
  DESTINATION_NOT_ALLOWED: 'The address is not public, so nothing was sent.',
  LISTENER_NOT_CONNECTED: 'The listener disconnected during the attempt.',
  LISTENER_LEFT: 'The listener was deleted, or came back with --fresh.',
  ENDPOINT_DISABLED: 'The endpoint was disabled or deleted.',
  SANDBOX_STOPPED: 'The sandbox stopped before the outcome was recorded.',
  SANDBOX_FAILED: 'The sandbox failed while it prepared or made the attempt.',
} as const;

export type AttemptError = keyof typeof ATTEMPT_ERRORS;
