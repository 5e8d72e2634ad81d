import { listPaymentEvents } from './transitions.js';

/** Commands that register their use of a sandbox explicitly. */
export const RUNNER_COMMANDS = ['check', 'explore', 'run'] as const;

export type RunnerCommand = (typeof RUNNER_COMMANDS)[number];

/** Environment variables that point an application under test to the sandbox (§5). */
export const ENVIRONMENT_VARIABLES = [
  'SANDBOX_URL',
  'SANDBOX_BASE_URL',
  'SANDBOX_KYC_API_URL',
  'SANDBOX_KYC_HOSTED_URL',
  'SANDBOX_ACCOUNT_ID',
  'SANDBOX_TOKEN',
  'SANDBOX_SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'SANDBOX_KYC_TOKEN',
  'SANDBOX_KYC_PUBLISHABLE_KEY',
] as const;

/** Webhook event types by payment kind (§6). */
export const PAYMENT_EVENTS = {
  charge: listPaymentEvents('charge'),
  withdrawal: listPaymentEvents('withdrawal'),
} as const;
export const EVENT_TYPES = [...PAYMENT_EVENTS.charge, ...PAYMENT_EVENTS.withdrawal] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Application scopes (§5). */
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

/** Summarizes Bacen's meanings of the SPI codes for rejected payments (pacs.002). */
const REJECTION_REASONS = {
  AB03: 'settlement timed out in the SPI',
  AB09: 'error at the receiving participant',
  AB11: 'paying participant timed out',
  AC03: 'branch or account does not exist',
  AC06: 'account is blocked',
  AC07: 'account is closed',
  AC14: 'account type is incorrect',
  AG03: 'account type does not support this transaction',
  AM02: 'amount exceeds the account limit',
  AM04: 'insufficient balance at the paying participant',
  AM09: 'returned amount exceeds the payment',
  BE01: 'document does not belong to the account holder',
  BE17: 'the QR code was rejected by the receiver',
  CH11: 'document of the receiver is incorrect',
  DS04: 'order was rejected by the receiving participant',
  DUPL: 'payment is a duplicate',
  ED05: 'settlement failed',
  FRAD: 'suspected fraud',
  RR04: 'payer is under UN sanctions',
  UPAY: 'payment is undue: no active recurrence',
} as const;

/** Summarizes Bacen's meanings of the SPI codes for returned payments (pacs.004). */
const RETURN_REASONS = {
  BE08: 'returned after a bank error',
  FR01: 'returned for suspected fraud',
  MD06: 'returned at the request of the receiver',
  SL02: 'returned after a Pix Saque or Pix Troco error',
} as const;

export const FAILURE_REASONS = { ...REJECTION_REASONS, ...RETURN_REASONS } as const;
export type FailureReason = keyof typeof FAILURE_REASONS;
export const FAILURE_REASON_CODES = Object.keys(FAILURE_REASONS) as FailureReason[];

/** Lists the reasons of a transition with their meanings: return codes apply only to returned payments. */
export function listReasons(move: string): Readonly<Partial<Record<FailureReason, string>>> {
  return move === 'return' ? { ...RETURN_REASONS, ...REJECTION_REASONS } : REJECTION_REASONS;
}

/** Used when a failed withdrawal specifies no reason. */
export const DEFAULT_FAILURE_REASON: FailureReason = 'AC03';

/**
 * Possible values of a delivery's `last_error` (§2.4). A non-2xx response is `HTTP_STATUS`;
 * `last_response_status` contains the status code.
 */
export const ATTEMPT_ERRORS = {
  HTTP_STATUS: 'The receiver responded with a non-2xx status.',
  REDIRECT: 'The receiver responded with a redirect; redirects are not followed.',
  TIMEOUT: 'No final response headers arrived within the time limit.',
  CONNECTION_REFUSED: 'Nothing is listening at the address.',
  CONNECTION_RESET: 'The receiver closed the connection before responding.',
  CONNECTION_FAILED: 'The connection could not be established.',
  DNS_FAILED: 'The hostname does not resolve.',
  TLS_FAILED: 'The TLS handshake failed or the certificate is not valid for the host.',
  INVALID_RESPONSE: 'The response is not valid HTTP, or its headers exceed the limit.',
  DESTINATION_NOT_ALLOWED: 'The address is not public, so nothing was sent.',
  LISTENER_NOT_CONNECTED: 'The listener disconnected during the attempt.',
  LISTENER_LEFT: 'The listener was deleted, or reconnected with --fresh.',
  ENDPOINT_DISABLED: 'The endpoint was disabled or deleted.',
  SANDBOX_STOPPED: 'The sandbox stopped before the outcome was recorded.',
  SANDBOX_FAILED: 'The sandbox failed while preparing or making the attempt.',
} as const;

export type AttemptError = keyof typeof ATTEMPT_ERRORS;

/** Stands for the newest row where an id is accepted, unless a code or a name equals this word. */
export const LATEST = 'latest';
