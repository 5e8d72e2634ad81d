import { type Bytes, equalBytes, hmacSha256, wireBytes } from './bytes.js';
import { type HeaderSource, missingNames, readHeaders } from './headers.js';
import {
  checkedTolerance,
  DEFAULT_TOLERANCE_S,
  describeTimestamp,
  formatTimestamp,
  parseTimestamp,
  wholeSeconds,
} from './timestamp.js';
import { SecretFormatError, webhookKey } from './webhook-secret.js';

export { SecretFormatError, webhookKey } from './webhook-secret.js';

/** The three headers of a signed webhook under their short names. */
export type WebhookHeaders = {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
};

/** What `signWebhook` signs. `secrets` come newest first; each adds one signature. */
export interface WebhookToSign {
  readonly id: string;
  readonly timestampS: number;
  readonly body: Bytes;
  readonly secrets: string | readonly string[];
}

/** The headers of a signed webhook (§6). */
export type SignedWebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/** What `verifyWebhook` checks. `body` is the raw body as received; `nowS` and `toleranceS` (300) are in seconds. */
export interface WebhookToVerify {
  readonly body: Bytes;
  readonly headers: WebhookHeaders | HeaderSource;
  readonly secrets: string | readonly string[];
  readonly nowS: number;
  readonly toleranceS?: number;
}

/** Why a webhook is refused, in the order of the checks. */
export type WebhookRefusal = { readonly ok: false; readonly message: string } & (
  | { readonly cause: 'missing_header'; readonly missing: readonly string[] }
  | {
      readonly cause: 'timestamp_too_old' | 'timestamp_too_new';
      readonly ageS: number;
      readonly toleranceS: number;
    }
  | {
      readonly cause:
        | 'invalid_timestamp'
        | 'no_supported_signature'
        | 'malformed_signature'
        | 'signature_mismatch';
    }
);

/** The names of all causes for refusing a webhook. */
export type WebhookRefusalCause = WebhookRefusal['cause'];

/**
 * The verdict on a webhook. `secretIndex` counts the given secrets and `signatureIndex` the entries of the signature
 * header, both from 0; `ageS` is now minus the timestamp, negative for a message from the future.
 */
export type WebhookVerdict =
  | {
      readonly ok: true;
      readonly secretIndex: number;
      readonly signatureIndex: number;
      readonly ageS: number;
    }
  | WebhookRefusal;

/** @internal */
export const HEADER_NAMES = [
  ['id', 'webhook-id'],
  ['timestamp', 'webhook-timestamp'],
  ['signature', 'webhook-signature'],
] as const;
const ID_FORM = /^[\x21-\x7e]+$/;
// The 43rd character has two spare bits; they must be 0, so that no second encoding of the same bytes passes.
const V1_SIGNATURE_FORM = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** The headers of a webhook, one `v1,` signature per secret (§5.5). Throws SecretFormatError or RangeError. */
export function signWebhook(message: WebhookToSign): SignedWebhookHeaders {
  const { id, body } = message;
  if (typeof id !== 'string' || !ID_FORM.test(id))
    throw new RangeError('Expected a webhook id of visible ASCII characters without blanks.');
  const timestamp = formatTimestamp(message.timestampS);
  const prefix = `${id}.${timestamp}.`;
  const signatures = secretList(message.secrets).map(
    (secret) => `v1,${hmacSha256(webhookKey(secret), prefix, body).toString('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * Whether a webhook is valid for any one of the secrets: its raw body, its headers and its time (§5.5). A refusal is a
 * value with its cause; only a malformed secret (SecretFormatError) or a time that is not a number throws.
 */
export function verifyWebhook(message: WebhookToVerify): WebhookVerdict {
  const keys = secretList(message.secrets).map(webhookKey);
  const nowS = wholeSeconds(message.nowS);
  const toleranceS = checkedTolerance(message.toleranceS ?? DEFAULT_TOLERANCE_S);
  const headers = readHeaders(message.headers, HEADER_NAMES);
  const { id, timestamp, signature } = headers;
  if (!id || !timestamp || !signature) return missingHeaders(headers);

  const timestampS = parseTimestamp(timestamp);
  if (timestampS === undefined) return invalidTimestamp(timestamp);
  const ageS = nowS - timestampS;
  if (Math.abs(ageS) > toleranceS) return outsideTolerance(ageS, toleranceS);

  const entries = signatureEntries(signature);
  if (!entries.some(isV1)) return noSupportedSignature(entries.length);
  if (!entries.some(isWellFormed)) return MALFORMED_SIGNATURE;

  const prefix = wireBytes(`${id}.${timestamp}.`);
  for (const [secretIndex, key] of keys.entries()) {
    const expected = hmacSha256(key, prefix, message.body);
    const signatureIndex = entries.findIndex(
      (entry) => isWellFormed(entry) && equalBytes(decodeEntry(entry), expected),
    );
    if (signatureIndex >= 0) return { ok: true, secretIndex, signatureIndex, ageS };
  }
  return mismatch(keys.length, entries.filter(isWellFormed).length);
}

/** The entries of a `webhook-signature` header, each a version, a comma and a signature. @internal */
export function signatureEntries(header: string): string[] {
  return header.split(' ').filter((entry) => entry !== '');
}

function secretList(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list) || list.some((secret) => typeof secret !== 'string'))
    throw new TypeError(
      'Expected secrets as a text or a list of texts (whsec_<base64>), got something else.',
    );
  if (list.length === 0)
    throw new SecretFormatError('Expected at least one webhook secret (whsec_<base64>), got none.');
  return list;
}

function isV1(entry: string): boolean {
  return entry.startsWith('v1,');
}

function isWellFormed(entry: string): boolean {
  return isV1(entry) && V1_SIGNATURE_FORM.test(entry.slice(3));
}

function decodeEntry(entry: string): Buffer {
  return Buffer.from(entry.slice(3), 'base64');
}

function missingHeaders(found: Partial<WebhookHeaders>): WebhookRefusal {
  const missing = missingNames(found, HEADER_NAMES);
  const message = `Expected the headers webhook-id, webhook-timestamp and webhook-signature; missing or empty: ${missing.join(', ')}.`;
  return { ok: false, cause: 'missing_header', missing, message };
}

function invalidTimestamp(timestamp: string): WebhookRefusal {
  const message = `Expected webhook-timestamp in Unix seconds (1 to 12 digits), got ${describeTimestamp(timestamp)}.`;
  return { ok: false, cause: 'invalid_timestamp', message };
}

function outsideTolerance(ageS: number, toleranceS: number): WebhookRefusal {
  const old = ageS > 0;
  const message = `Expected webhook-timestamp within ${toleranceS} s of now, got one ${Math.abs(ageS)} s in the ${old ? 'past' : 'future'}.`;
  return { ok: false, cause: old ? 'timestamp_too_old' : 'timestamp_too_new', ageS, toleranceS, message };
}

function noSupportedSignature(count: number): WebhookRefusal {
  const message = `Expected a v1 signature (v1,<base64>) in webhook-signature, got ${count} of other versions or forms.`;
  return { ok: false, cause: 'no_supported_signature', message };
}

const MALFORMED_SIGNATURE: WebhookRefusal = {
  ok: false,
  cause: 'malformed_signature',
  message: 'Expected v1,<base64 of 32 bytes> in webhook-signature, got a v1 signature of another form.',
};

function mismatch(secretCount: number, signatureCount: number): WebhookRefusal {
  const message = `None of ${signatureCount} v1 signature(s) matches the body, id and timestamp under any of ${secretCount} secret(s).`;
  return { ok: false, cause: 'signature_mismatch', message };
}
