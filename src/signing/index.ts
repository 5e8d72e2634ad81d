export type { Bytes } from './bytes.js';
export { diagnoseRequest } from './doctor/diagnose-request.js';
export type { FailedRequest, RequestDiagnosis } from './doctor/diagnose-request.js';
export { diagnoseWebhook } from './doctor/diagnose-webhook.js';
export type { FailedWebhook, WebhookDiagnosis } from './doctor/diagnose-webhook.js';
export type { Certainty, Finding } from './doctor/finding.js';
export { DEFAULT_BUDGETS } from './doctor/meter.js';
export type { Budget, Effort } from './doctor/meter.js';
export type { KnownSecret } from './doctor/mistake.js';
export type { HeaderLookup, HeaderRecord, HeaderSource } from './headers.js';
export {
  canonicalParts,
  canonicalRequest,
  DEFAULT_REQUEST_SCHEME,
  signRequest,
  verifyRequest,
} from './request.js';
export type {
  CanonicalParts,
  Encoding,
  RequestHeaders,
  RequestMessage,
  RequestRefusal,
  RequestRefusalCause,
  RequestScheme,
  RequestToSign,
  RequestToVerify,
  RequestVerdict,
  SignedRequest,
} from './request.js';
export { DEFAULT_TOLERANCE_S } from './timestamp.js';
export { SecretFormatError, signWebhook, verifyWebhook, webhookKey } from './webhook.js';
export type {
  SignedWebhookHeaders,
  WebhookHeaders,
  WebhookRefusal,
  WebhookRefusalCause,
  WebhookToSign,
  WebhookToVerify,
  WebhookVerdict,
} from './webhook.js';
