import { type HeaderSource, toWireBytes } from '../message.js';
import type { RequestHeaders, RequestMessage, RequestScheme } from '../request.js';
import { DEFAULT_REQUEST_SCHEME, REQUEST_HEADER_NAMES, NONCE_FORM, getRequestPath } from '../request.js';
import type {
  DiagnosisContext,
  SigningFinding,
  KnownSecret,
  SigningPlan,
  ReceivedSignature,
} from './diagnose.js';
import { buildContent, diagnose, HMAC_SHA256, createObservedFinding } from './diagnose.js';
import { createDigestForm } from './errors.js';
import { findHeader, readTimestampHeader, repairHeaders } from './headers.js';
import { createRequestErrors } from './request-errors.js';
import { parseJsonBody } from './rewriting.js';
import { listReadings } from './signature-text.js';

/** An invalid request, as received. `rawHeaders` lists all headers; `host` is the Host header. */
export interface FailedRequest extends RequestMessage {
  readonly headers: RequestHeaders | HeaderSource;
  readonly rawHeaders?: HeaderSource | readonly string[];
  readonly host?: string;
}

/** Context for diagnosing a request. */
export interface RequestDiagnosis extends DiagnosisContext {
  readonly secret: string;
  /** Secrets of other applications, or credentials for other purposes. */
  readonly otherSecrets?: readonly {
    readonly name: string;
    readonly secret: string;
    readonly note?: 'other' | 'credential';
  }[];
  readonly scheme?: Partial<RequestScheme>;
}

/**
 * Diagnoses a request whose signature does not match (§5.2). Returns an empty list if the signature matches.
 * No finding contains a secret, a key or the expected signature.
 */
export function diagnoseRequest(request: FailedRequest, known: RequestDiagnosis): SigningFinding[] {
  return diagnose(readRequest(request, known), known);
}

/** Reads a request and lists its visible errors and possible signature decodings. @internal */
export function readRequest(request: FailedRequest, known: RequestDiagnosis): ReceivedSignature {
  const { method, target, body, rawHeaders = request.headers } = request;
  const scheme = { ...DEFAULT_REQUEST_SCHEME, ...known.scheme };
  const { signatureEncoding, digestEncoding, pathForm } = scheme;
  const { values, findings } = repairHeaders(request.headers, request.rawHeaders, REQUEST_HEADER_NAMES);
  const { timestamp = '', nonce = '', signature } = values;
  const time = readTimestampHeader('x-timestamp', timestamp, known);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const right: SigningPlan = {
    key: known.secret,
    algorithm: HMAC_SHA256,
    order: ['timestamp', 'id', 'method', 'path', 'body'],
    separator: '.',
    ending: '',
    timestamp: toWireBytes(timestamp),
    id: toWireBytes(nonce),
    method: toWireBytes(method),
    path: toWireBytes(pathForm === 'target' ? target : getRequestPath(target)),
    body: bytes,
    bodyForm: createDigestForm((digest) => digest.toString(digestEncoding)),
  };
  const others = known.otherSecrets?.map(({ name, secret, note = 'other' }): KnownSecret => ({
    name,
    secret,
    note,
  }));
  const form = signatureEncoding === 'hex' ? '64 lowercase hex digits' : 'base64 of 32 bytes';
  return {
    message: {
      right,
      seconds: time.seconds,
      target,
      host: request.host ?? findHeader(rawHeaders, 'host'),
      token: /^Bearer +(\S+)$/i.exec(findHeader(rawHeaders, 'authorization') ?? '')?.[1],
      secrets: [{ secret: known.secret }, ...(others ?? [])],
      keyOf: (secret) => secret,
      json: parseJsonBody(bytes),
    },
    seen: [...findings, ...time.findings, ...nonceFindings(nonce)],
    signature,
    readings: listReadings(signature ?? '', signatureEncoding),
    groups: createRequestErrors(scheme),
    expected: {
      whole:
        'HMAC-SHA256 with the application’s signing secret over ' +
        'timestamp.nonce.METHOD.path.sha256(body) of the received request.',
      signature: `x-signature as ${form} and nothing else.`,
    },
    remaining: () => remainingCauses(right),
  };
}

/** Maximum length of a string in a finding. */
const MAX_SHOWN_LENGTH = 512;

function remainingCauses(right: SigningPlan) {
  const content = Buffer.concat(buildContent(right).map((chunk) => Buffer.from(chunk))).toString('latin1');
  const shown = content.length <= MAX_SHOWN_LENGTH ? content : `…${content.slice(-64)}`;
  return {
    causes: 'the secret differs, or your code signed a different nonce, time or body than it sent',
    fix:
      `Print the string your code signs; it must be "${shown}". A part that differs ` +
      'was generated or serialized twice. If the strings match, compare the secrets: the length, ' +
      'the first and the last characters.',
  };
}

function nonceFindings(nonce: string): SigningFinding[] {
  if (nonce === '' || NONCE_FORM.test(nonce)) return [];
  const [id, did] = /[^A-Za-z0-9_-]/.test(nonce)
    ? ['nonce-characters', 'x-nonce contains invalid characters.']
    : nonce.length < 16
      ? ['nonce-too-short', `x-nonce is too short: ${nonce.length} characters.`]
      : ['nonce-too-long', `x-nonce is too long: ${nonce.length} characters.`];
  const fix = 'Generate a valid nonce, such as a UUID, for each request.';
  return [createObservedFinding(id, did, 'x-nonce with 16 to 128 characters from A-Z a-z 0-9 _ -.', fix)];
}
