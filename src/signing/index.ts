export type { Certainty, Effort, SigningFinding, KnownSecret } from './diagnosis/diagnose.js';
export { diagnoseRequest } from './diagnosis/request.js';
export type { FailedRequest, RequestDiagnosis } from './diagnosis/request.js';
export { diagnoseWebhook } from './diagnosis/webhook.js';
export type { FailedWebhook, WebhookDiagnosis } from './diagnosis/webhook.js';
export { DEFAULT_TOLERANCE_S } from './message.js';
export type { Bytes, HeaderLookup, HeaderRecord, HeaderSource } from './message.js';
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
