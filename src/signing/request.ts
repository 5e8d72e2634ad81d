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

/** The encoding of bytes as text. */
export type Encoding = 'hex' | 'base64';

/** Open points of §5.2: the encoding of signature and body digest, and whether `path` includes the query. */
export interface RequestScheme {
  readonly signatureEncoding: Encoding;
  readonly digestEncoding: Encoding;
  readonly pathForm: 'path' | 'target';
}

/** Lower-case hex for both, and the request-target before its `?`. */
export const DEFAULT_REQUEST_SCHEME: RequestScheme = {
  signatureEncoding: 'hex',
  digestEncoding: 'hex',
  pathForm: 'path',
};

/**
 * A request on the wire: `target` is the request-target byte for byte, `body` the raw body (empty when there
 * is none).
 */
export interface RequestMessage {
  readonly method: string;
  readonly target: string;
  readonly body: Bytes;
}

/** The five parts of the canonical string in their order (§5.2). */
export interface CanonicalParts {
  readonly timestamp: string;
  readonly nonce: string;
  readonly method: string;
  readonly path: string;
  readonly digest: string;
}

/**
 * Input of `signRequest`. The secret is opaque: its UTF-8 bytes are the key. Without a nonce, one is
 * generated.
 */
export interface RequestToSign extends RequestMessage {
  readonly secret: string;
  readonly timestampS: number;
  readonly nonce?: string;
  readonly scheme?: Partial<RequestScheme>;
}

/** The headers of a signed request, and the signed string, whole and in parts. */
export interface SignedRequest {
  readonly headers: { 'x-timestamp': string; 'x-nonce': string; 'x-signature': string };
  readonly canonical: string;
  readonly parts: CanonicalParts;
}

/** The three signature headers of a request under their short names; absent ones are undefined. */
export type RequestHeaders = {
  readonly timestamp?: string | undefined;
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
};

/** Input of `verifyRequest`; `nowS` and `toleranceS` (300) are in seconds. */
export interface RequestToVerify extends RequestMessage {
  readonly headers: RequestHeaders | HeaderSource;
  readonly secret: string;
  readonly nowS: number;
  readonly toleranceS?: number;
  readonly scheme?: Partial<RequestScheme>;
}

/** Reason for a refused request, in the order of the checks: header form, timestamp, signature. */
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

/** The names of all causes for refusing a request. */
export type RequestRefusalCause = RequestRefusal['cause'];

/** The verdict on a request. */
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
  hex: { pattern: /^[0-9a-f]{64}$/, words: '64 lower-case hex digits' },
  // The last character has two spare bits, which must be 0.
  base64: { pattern: /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, words: 'base64 of 32 bytes (44 characters)' },
} as const satisfies Record<Encoding, { pattern: RegExp; words: string }>;

const SCHEME_CHOICES: Readonly<Record<keyof RequestScheme, readonly string[]>> = {
  signatureEncoding: ['hex', 'base64'],
  digestEncoding: ['hex', 'base64'],
  pathForm: ['path', 'target'],
};

/** The complete scheme. Throws TypeError for an unknown name or value, which would silently change what is signed. */
function checkedScheme(scheme: Partial<RequestScheme> = {}): RequestScheme {
  const choices = new Map(Object.entries(SCHEME_CHOICES));
  const given = Object.entries(scheme).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    const known = choices.get(name);
    if (known === undefined) {
      throw new TypeError(`Expected a scheme of ${[...choices.keys()].join(', ')}; got ${name}.`);
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

/**
 * The signature headers of a request (§5.2). Throws RangeError for a method, target, timestamp or nonce that
 * HTTP or the contract refuses.
 */
export function signRequest(request: RequestToSign): SignedRequest {
  const { method, target, secret, nonce = randomUUID() } = request;
  if (!METHOD_FORM.test(method)) throw new RangeError('Expected a method in capitals, as in POST.');
  if (!TARGET_FORM.test(target)) {
    throw new RangeError(
      'Expected a request-target that begins with / and is percent-encoded, without scheme and host.',
    );
  }
  if (typeof nonce !== 'string' || !NONCE_FORM.test(nonce))
    throw new RangeError('Expected a nonce of 16 to 128 characters of A-Z a-z 0-9 _ -.');
  if (secret === '') throw new RangeError('Expected a signing secret, got an empty one.');
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
 * Verifies a request: header form, then timestamp, then signature (§5.2). The caller checks that the nonce is
 * new. Returns a refusal with its cause; throws only if a time is not a number.
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
      'Expected x-nonce of 16 to 128 characters of A-Z a-z 0-9 _ -, got another length or other characters.',
    );
  const scheme = checkedScheme(request.scheme);
  const encoding = scheme.signatureEncoding;
  const { pattern, words } = SIGNATURE_FORMS[encoding];
  if (!pattern.test(signature))
    return refused('invalid_signature_format', `Expected x-signature as ${words}, got another form.`);

  const ageS = nowS - timestampS;
  if (Math.abs(ageS) > toleranceS) {
    const side = ageS > 0 ? 'past' : 'future';
    const message = `Expected x-timestamp within ${toleranceS} s of now, got one ${Math.abs(ageS)} s in the ${side}.`;
    return { ok: false, cause: 'timestamp_out_of_range', ageS, toleranceS, message };
  }

  const { method, target, body } = request;
  const canonical = canonicalRequest({ timestamp, nonce, method, target, body }, scheme);
  const expected = computeHmacSha256(request.secret, toWireBytes(canonical));
  if (areEqualBytes(Buffer.from(signature, encoding), expected)) return { ok: true };
  return refused(
    'signature_mismatch',
    'The signature does not match timestamp.nonce.METHOD.path.sha256(body) under the application’s signing secret.',
  );
}

/** The request-target before its `?`, byte for byte. @internal */
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
