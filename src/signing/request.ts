import { hash, randomUUID } from 'node:crypto';
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

/** Text encoding of bytes. */
export type Encoding = 'hex' | 'base64';

/** Choices that §5.2 leaves open: two encodings, and whether `path` includes the query. */
export interface RequestScheme {
  readonly signatureEncoding: Encoding;
  readonly digestEncoding: Encoding;
  readonly pathForm: 'path' | 'target';
}

/** Lowercase hex for both encodings; the path excludes the query. */
export const DEFAULT_REQUEST_SCHEME: RequestScheme = {
  signatureEncoding: 'hex',
  digestEncoding: 'hex',
  pathForm: 'path',
};

/** Request on the wire. `target` is the exact request-target; `body` is the raw body, empty if absent. */
export interface RequestMessage {
  readonly method: string;
  readonly target: string;
  readonly body: Bytes;
}

/** Parts of the canonical string, in order (§5.2). */
export interface CanonicalParts {
  readonly timestamp: string;
  readonly nonce: string;
  readonly method: string;
  readonly path: string;
  readonly digest: string;
}

/** Input of `signRequest`. The key is the UTF-8 encoding of the secret. `nonce` is random by default. */
export interface RequestToSign extends RequestMessage {
  readonly secret: string;
  readonly timestampS: number;
  readonly nonce?: string;
  readonly scheme?: Partial<RequestScheme>;
}

/** Headers of a signed request, with the signed string and its parts. */
export interface SignedRequest {
  readonly headers: { 'x-timestamp': string; 'x-nonce': string; 'x-signature': string };
  readonly canonical: string;
  readonly parts: CanonicalParts;
}

/** Signature headers of a request, by short name. Missing headers are undefined. */
export type RequestHeaders = {
  readonly timestamp?: string | undefined;
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
};

/** Input of `verifyRequest`. `nowS` and `toleranceS` (default 300) are in seconds. */
export interface RequestToVerify extends RequestMessage {
  readonly headers: RequestHeaders | HeaderSource;
  readonly secret: string;
  readonly nowS: number;
  readonly toleranceS?: number;
  readonly scheme?: Partial<RequestScheme>;
}

/** Reason for rejecting a request. Checks run in this order: header format, timestamp, signature. */
export type RequestRefusal = { readonly ok: false; readonly message: string } & (
  | { readonly cause: 'missing_header'; readonly missing: readonly string[] }
  | { readonly cause: 'timestamp_out_of_range'; readonly ageS: number; readonly toleranceS: number }
  | {
      readonly cause:
        | 'invalid_timestamp'
        | 'invalid_nonce'
        | 'invalid_signature_format'
        | 'signature_mismatch';
    }
);

/** Possible causes of a rejected request. */
export type RequestRefusalCause = RequestRefusal['cause'];

/** Result of `verifyRequest`. */
export type RequestVerdict = { readonly ok: true } | RequestRefusal;

/** @internal */
export const REQUEST_HEADER_NAMES = [
  ['timestamp', 'x-timestamp'],
  ['nonce', 'x-nonce'],
  ['signature', 'x-signature'],
] as const;
/** @internal */
export const NONCE_FORM = /^[A-Za-z0-9_-]{16,128}$/;
const METHOD_FORM = /^[A-Z]+$/;
const TARGET_FORM = /^\/[\x21-\x7e]*$/;
const SIGNATURE_FORMS = {
  hex: { pattern: /^[0-9a-f]{64}$/, words: '64 lowercase hex digits' },
  // The last character has two spare bits, which must be 0.
  base64: { pattern: /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, words: 'base64 of 32 bytes (44 characters)' },
} as const satisfies Record<Encoding, { pattern: RegExp; words: string }>;

const SCHEME_CHOICES: Readonly<Record<keyof RequestScheme, readonly string[]>> = {
  signatureEncoding: ['hex', 'base64'],
  digestEncoding: ['hex', 'base64'],
  pathForm: ['path', 'target'],
};

/** Fills in defaults. Throws TypeError for unknown options, which would silently change the signature. */
function checkedScheme(scheme: Partial<RequestScheme> = {}): RequestScheme {
  const choices = new Map(Object.entries(SCHEME_CHOICES));
  const given = Object.entries(scheme).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    const known = choices.get(name);
    if (known === undefined) {
      throw new TypeError(`Expected only the scheme options ${[...choices.keys()].join(', ')}; got ${name}.`);
    }
    if (!known.includes(value)) {
      throw new TypeError(`Expected ${name} to be ${known.join(' or ')}; got ${value}.`);
    }
  }
  return { ...DEFAULT_REQUEST_SCHEME, ...Object.fromEntries(given) };
}

type SignedMessage = RequestMessage & { readonly timestamp: string; readonly nonce: string };

/** Builds the five parts of the canonical string from a request and its headers (§5.2). */
export function canonicalParts(request: SignedMessage, scheme?: Partial<RequestScheme>): CanonicalParts {
  const { digestEncoding, pathForm } = checkedScheme(scheme);
  const { timestamp, nonce, method, target, body } = request;
  const path = pathForm === 'target' ? target : getRequestPath(target);
  return { timestamp, nonce, method, path, digest: hash('sha256', body, digestEncoding) };
}

/** Builds the signed string: timestamp, nonce, METHOD, path and body digest, joined by dots (§5.2). */
export function canonicalRequest(request: SignedMessage, scheme?: Partial<RequestScheme>): string {
  return joinParts(canonicalParts(request, scheme));
}

/** Signs a request (§5.2). Throws RangeError for an invalid method, target, timestamp or nonce. */
export function signRequest(request: RequestToSign): SignedRequest {
  const { method, target, secret, nonce = randomUUID() } = request;
  if (!METHOD_FORM.test(method)) throw new RangeError('Expected an uppercase method, e.g. POST.');
  if (!TARGET_FORM.test(target)) {
    throw new RangeError(
      'Expected a percent-encoded request-target that begins with /, without scheme and host.',
    );
  }
  if (typeof nonce !== 'string' || !NONCE_FORM.test(nonce))
    throw new RangeError('Expected a nonce with 16 to 128 characters from A-Z a-z 0-9 _ -.');
  if (secret === '') throw new RangeError('Expected a signing secret, got an empty string.');
  const timestamp = formatTimestamp(request.timestampS);
  const scheme = checkedScheme(request.scheme);
  const parts = canonicalParts({ method, target, body: request.body, timestamp, nonce }, scheme);
  const canonical = joinParts(parts);
  const signature = computeHmacSha256(secret, canonical).toString(scheme.signatureEncoding);
  return {
    headers: { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature },
    canonical,
    parts,
  };
}

/**
 * Verifies the header format, then the timestamp, then the signature (§5.2). The caller must check that the
 * nonce is new. An invalid request returns a rejection with its cause; this function throws only if a time is
 * not a number.
 */
export function verifyRequest(request: RequestToVerify): RequestVerdict {
  const nowS = checkWholeSeconds(request.nowS);
  const toleranceS = checkTolerance(request.toleranceS ?? DEFAULT_TOLERANCE_S);
  const headers = readHeaders(request.headers, REQUEST_HEADER_NAMES);
  const { timestamp, nonce, signature } = headers;
  if (!timestamp || !nonce || !signature) {
    const missing = listMissingHeaders(headers, REQUEST_HEADER_NAMES);
    const message =
      'Expected the headers x-timestamp, x-nonce and x-signature; missing or empty: ' +
      `${missing.join(', ')}.`;
    return { ok: false, cause: 'missing_header', missing, message };
  }

  const timestampS = parseTimestamp(timestamp);
  if (timestampS === undefined)
    return refused(
      'invalid_timestamp',
      `Expected x-timestamp in Unix seconds (1 to 12 digits), got ${describeTimestamp(timestamp)}.`,
    );
  if (!NONCE_FORM.test(nonce))
    return refused(
      'invalid_nonce',
      'Expected x-nonce with 16 to 128 characters from A-Z a-z 0-9 _ -, got another length or other characters.',
    );
  const scheme = checkedScheme(request.scheme);
  const encoding = scheme.signatureEncoding;
  const { pattern, words } = SIGNATURE_FORMS[encoding];
  if (!pattern.test(signature))
    return refused('invalid_signature_format', `Expected x-signature as ${words}, got a different format.`);

  const ageS = nowS - timestampS;
  if (Math.abs(ageS) > toleranceS) {
    const side = ageS > 0 ? 'past' : 'future';
    const message =
      `Expected x-timestamp within ${toleranceS} s of now, ` +
      `got a time ${Math.abs(ageS)} s in the ${side}.`;
    return { ok: false, cause: 'timestamp_out_of_range', ageS, toleranceS, message };
  }

  const { method, target, body } = request;
  const canonical = canonicalRequest({ timestamp, nonce, method, target, body }, scheme);
  const expected = computeHmacSha256(request.secret, toWireBytes(canonical));
  if (areEqualBytes(Buffer.from(signature, encoding), expected)) return { ok: true };
  return refused(
    'signature_mismatch',
    'The signature does not match timestamp.nonce.METHOD.path.sha256(body) with the application’s signing secret.',
  );
}

/** Returns the request-target before the `?`, byte for byte. @internal */
export function getRequestPath(target: string): string {
  const queryStart = target.indexOf('?');
  return queryStart < 0 ? target : target.slice(0, queryStart);
}

function joinParts(parts: CanonicalParts): string {
  return `${parts.timestamp}.${parts.nonce}.${parts.method}.${parts.path}.${parts.digest}`;
}

function refused(
  cause: Exclude<RequestRefusalCause, 'missing_header' | 'timestamp_out_of_range'>,
  message: string,
): RequestRefusal {
  return { ok: false, cause, message };
}
