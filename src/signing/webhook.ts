import { shareAcrossRealms } from '../cross-realm.js';
import {
  type Bytes,
  checkTolerance,
  DEFAULT_TOLERANCE_S,
  describeTimestamp,
  areEqualBytes,
  formatTimestamp,
  type HeaderSource,
  computeHmacSha256,
  listMissingHeaders,
  parseTimestamp,
  readHeaders,
  checkWholeSeconds,
  toWireBytes,
} from './message.js';

const PREFIX = 'whsec_';

/**
 * Thrown if a webhook secret is not `whsec_` followed by base64 (§5.5). The message never contains the
 * secret.
 */
export class SecretFormatError extends Error {
  /** Set explicitly, because minifiers rename classes and Node prints this name. */
  static override readonly name = 'SecretFormatError';
  static {
    shareAcrossRealms(this, this.name);
  }
  override readonly name = SecretFormatError.name;
}

/** Decodes the HMAC key in a `whsec_` secret (§5.5). Throws SecretFormatError. */
export function webhookKey(secret: string): Uint8Array {
  const encoded = secret.slice(PREFIX.length);
  if (secret.startsWith(PREFIX) && encoded !== '') {
    const key = Buffer.from(encoded, 'base64');
    // Node's decoder skips invalid characters, so only canonical base64 survives a round trip.
    if (key.toString('base64') === encoded) return key;
  }
  throw new SecretFormatError(
    `Expected a webhook secret of the form whsec_<base64>, got ${describeSecretProblem(secret)}.`,
  );
}

function describeSecretProblem(secret: string): string {
  if (secret === '') return 'nothing. Use the secret returned when the endpoint was created or rotated';
  if (secret !== secret.trim()) return 'one with surrounding whitespace. Trim it';
  if (/^["'`]/.test(secret)) return 'one in quotes. Remove the quotes';
  if (!secret.startsWith(PREFIX))
    return 'one without the prefix whsec_. Copy the complete secret, including the prefix';
  const encoded = secret.slice(PREFIX.length);
  if (encoded === '') return 'only the prefix. Copy the complete secret';
  const [, digits, padding = ''] = /^([A-Za-z0-9+/]+)(=*)$/.exec(encoded) ?? [];
  if (digits !== undefined) return base64Fault(digits.length, padding.length);
  if (/^[A-Za-z0-9_-]+=*$/.test(encoded)) return 'base64url (- and _) after the prefix. Use + and / instead';
  return 'something other than base64 after the prefix. Copy the secret again';
}

function base64Fault(digits: number, padding: number): string {
  const surplus = padding - ((4 - (digits % 4)) % 4);
  if (digits % 4 === 1 || surplus < 0) {
    return 'truncated base64 or base64 without its = padding. Copy the complete secret';
  }
  if (surplus > 0)
    return `base64 with ${surplus} extra = at the end. Remove ${surplus === 1 ? 'it' : 'them'}`;
  return 'base64 with an incomplete last byte. Copy the secret again';
}

/** Secret unknown to all endpoints, used by the `wrong-signature` fault. @internal */
export const UNKNOWN_SECRET = 'whsec_dGhlIHNlY3JldCBvZiBubyBlbmRwb2ludCBhdCBhbGw=';

/** Headers of a signed webhook, by short name. */
export type WebhookHeaders = {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
};

/** Input of `signWebhook`. List `secrets` newest first; each adds one signature. */
export interface WebhookToSign {
  readonly id: string;
  readonly timestampS: number;
  readonly body: Bytes;
  readonly secrets: string | readonly string[];
}

/** Headers of a signed webhook (§6). */
export type SignedWebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/** Input of `verifyWebhook`. `body` is the raw body; `nowS` and `toleranceS` (default 300) are in seconds. */
export interface WebhookToVerify {
  readonly body: Bytes;
  readonly headers: WebhookHeaders | HeaderSource;
  readonly secrets: string | readonly string[];
  readonly nowS: number;
  readonly toleranceS?: number;
}

/** Reason for rejecting a webhook. Causes are listed in the order of the checks. */
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

/** Possible causes of a rejected webhook. */
export type WebhookRefusalCause = WebhookRefusal['cause'];

/**
 * Result of `verifyWebhook`. `secretIndex` is the position in `secrets`, and `signatureIndex` the position in
 * the signature header, both from 0. `ageS` is now minus the timestamp, so it is negative for timestamps in
 * the future.
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
export const WEBHOOK_HEADER_NAMES = [
  ['id', 'webhook-id'],
  ['timestamp', 'webhook-timestamp'],
  ['signature', 'webhook-signature'],
] as const;
const ID_FORM = /^[\x21-\x7e]+$/;
// The two spare bits of the 43rd character must be 0, so that equal bytes have only one encoding.
const V1_SIGNATURE_FORM = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Signs a webhook with one `v1,` signature per secret (§5.5). Throws SecretFormatError or RangeError. */
export function signWebhook(message: WebhookToSign): SignedWebhookHeaders {
  const { id, body } = message;
  if (typeof id !== 'string' || !ID_FORM.test(id))
    throw new RangeError('Expected a webhook id of visible ASCII characters without spaces.');
  const timestamp = formatTimestamp(message.timestampS);
  const prefix = `${id}.${timestamp}.`;
  const signatures = secretList(message.secrets).map(
    (secret) => `v1,${computeHmacSha256(webhookKey(secret), prefix, body).toString('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * Verifies the raw body, headers and timestamp of a webhook against any of the secrets (§5.5). An invalid
 * webhook returns a rejection with its cause; this function throws only for a malformed secret
 * (SecretFormatError) or a time that isn't a number.
 */
export function verifyWebhook(message: WebhookToVerify): WebhookVerdict {
  const keys = secretList(message.secrets).map(webhookKey);
  const nowS = checkWholeSeconds(message.nowS);
  const toleranceS = checkTolerance(message.toleranceS ?? DEFAULT_TOLERANCE_S);
  const headers = readHeaders(message.headers, WEBHOOK_HEADER_NAMES);
  const { id, timestamp, signature } = headers;
  if (!id || !timestamp || !signature) {
    const missing = listMissingHeaders(headers, WEBHOOK_HEADER_NAMES);
    const message =
      'Expected the headers webhook-id, webhook-timestamp and webhook-signature; missing or ' +
      `empty: ${missing.join(', ')}.`;
    return { ok: false, cause: 'missing_header', missing, message };
  }

  const timestampS = parseTimestamp(timestamp);
  if (timestampS === undefined)
    return createRefusal(
      'invalid_timestamp',
      `Expected webhook-timestamp in Unix seconds (1 to 12 digits), got ${describeTimestamp(timestamp)}.`,
    );
  const ageS = nowS - timestampS;
  if (Math.abs(ageS) > toleranceS) {
    const [cause, side] =
      ageS > 0 ? (['timestamp_too_old', 'past'] as const) : (['timestamp_too_new', 'future'] as const);
    const message =
      `Expected webhook-timestamp within ${toleranceS} s of now, got a time ${Math.abs(ageS)} s ` +
      `in the ${side}.`;
    return { ok: false, cause, ageS, toleranceS, message };
  }

  const entries = splitSignatures(signature);
  if (!entries.some(isV1))
    return createRefusal(
      'no_supported_signature',
      'Expected a v1 signature (v1,<base64>) in webhook-signature, got ' +
        `${entries.length} with other versions or formats.`,
    );
  const wellFormed = entries.filter(isWellFormed).length;
  if (wellFormed === 0)
    return createRefusal(
      'malformed_signature',
      'Expected v1,<base64 of 32 bytes> in webhook-signature, got a v1 signature in a different format.',
    );

  const prefix = toWireBytes(`${id}.${timestamp}.`);
  for (const [secretIndex, key] of keys.entries()) {
    const expected = computeHmacSha256(key, prefix, message.body);
    const signatureIndex = entries.findIndex(
      (entry) => isWellFormed(entry) && areEqualBytes(Buffer.from(entry.slice(3), 'base64'), expected),
    );
    if (signatureIndex >= 0) return { ok: true, secretIndex, signatureIndex, ageS };
  }
  return createRefusal(
    'signature_mismatch',
    `${wellFormed === 1 ? 'The v1 signature does not match' : `None of ${wellFormed} v1 signatures matches`} ` +
      `the body, id and timestamp with ${keys.length === 1 ? 'the secret' : `any of ${keys.length} secrets`}.`,
  );
}

/** Splits a `webhook-signature` header into entries such as `v1,<base64>`. @internal */
export function splitSignatures(header: string): string[] {
  return header.split(' ').filter((entry) => entry !== '');
}

function secretList(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list) || list.some((secret) => typeof secret !== 'string'))
    throw new TypeError(
      'Expected secrets as a string or a list of strings (whsec_<base64>), got a different type.',
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

function createRefusal(
  cause: Exclude<WebhookRefusalCause, 'missing_header' | 'timestamp_too_old' | 'timestamp_too_new'>,
  message: string,
): WebhookRefusal {
  return { ok: false, cause, message };
}
