import type { DiagnosisContext, Finding, KnownSecret } from './finding.js';
import { wireBytes } from '../bytes.js';
import type { HeaderSource } from '../headers.js';
import type { Encoding, RequestHeaders, RequestMessage, RequestScheme } from '../request.js';
import { DEFAULT_REQUEST_SCHEME, HEADER_NAMES, NONCE_FORM, pathOf } from '../request.js';
import { findHeader, readTimestampHeader, repairHeaders } from './headers.js';
import type { BodyForm, Plan, Subject } from './mistake.js';
import { basesOf, contentOf, formedBody, observed } from './mistake.js';
import { requestDimensions } from './request-mistakes.js';
import type { Case } from './search.js';
import { diagnose } from './search.js';
import { HMAC_SHA256 } from './shared-mistakes.js';
import { jsonBody } from './texts.js';
import { objectSignature, readingsOf } from './writing.js';

/** An invalid request, as it arrived. `rawHeaders` (all headers) reveal misnamed ones; `host` is the Host header. */
export interface FailedRequest extends RequestMessage {
  readonly headers: RequestHeaders | HeaderSource;
  readonly rawHeaders?: HeaderSource | readonly string[];
  readonly host?: string;
}

/** The context of a request. */
export interface RequestDiagnosis extends DiagnosisContext {
  readonly secret: string;
  /** Secrets of other applications, or credentials with another purpose. */
  readonly otherSecrets?: readonly {
    readonly name: string;
    readonly secret: string;
    readonly note?: 'other' | 'credential';
  }[];
  readonly scheme?: Partial<RequestScheme>;
}

/**
 * Searches for the mistakes in a request whose signature does not match (§5.2). Empty when it matches.
 * No finding contains a secret, a key or the expected signature.
 */
export function diagnoseRequest(request: FailedRequest, known: RequestDiagnosis): Finding[] {
  const found = requestCase(request, known);
  if (!found.signature) return [...found.seen];
  const encoding = { ...DEFAULT_REQUEST_SCHEME, ...known.scheme }.signatureEncoding;
  const object = objectSignature(found.signature, SIGNATURE_EXPECTED[encoding]);
  if (object !== undefined) return [...found.seen, object];
  const expected = {
    whole: EXPECTED,
    writing: SIGNATURE_EXPECTED[encoding],
    remaining: () => remainingCauses(found.task.subject.right),
  };
  return diagnose(found, readingsOf(found.signature, encoding), expected, known);
}

/** Reads a request and prepares the search for its mistakes. @internal */
export function requestCase(request: FailedRequest, known: RequestDiagnosis): Case {
  const scheme = { ...DEFAULT_REQUEST_SCHEME, ...known.scheme };
  const { values, findings } = repairHeaders(request.headers, request.rawHeaders, HEADER_NAMES);
  const { timestamp = '', nonce = '', signature } = values;
  const time = readTimestampHeader('x-timestamp', timestamp, known);
  const asSent = rightPlan(request, { timestamp, nonce, secret: known.secret }, scheme);
  return {
    seen: [...findings, ...time.findings, ...nonceFindings(nonce)],
    signature,
    task: {
      subject: subjectOf(request, known, asSent, time.seconds),
      bases: basesOf(asSent, time.seconds),
      dimensions: requestDimensions(scheme),
    },
  };
}

const EXPECTED =
  'HMAC-SHA256 under the application’s signing secret over ' +
  'timestamp.nonce.METHOD.path.sha256(body), of the request as it arrived.';

/** A longer string is not shown in a finding. */
const MAX_SHOWN_LENGTH = 512;

/** The causes that cannot be tried: another secret, and parts of the signed string that were made a second time. */
function remainingCauses(right: Plan) {
  const causes = 'the secret differs, or your code signed a nonce, time or body that it did not send';
  const shown = Buffer.concat(
    contentOf(right, formedBody(right)).map((chunk) => Buffer.from(chunk)),
  ).toString('latin1');
  const string = shown.length <= MAX_SHOWN_LENGTH ? shown : `…${shown.slice(-64)}`;
  const fix =
    `Print the string that your code signs; it must be "${string}", and a part that differs ` +
    'was generated or serialized twice. If it is the same, compare the secret: its length, ' +
    'its first and its last characters.';
  return { causes, fix };
}

const SIGNATURE_EXPECTED: Readonly<Record<Encoding, string>> = {
  hex: 'x-signature as 64 lower-case hex digits and nothing else.',
  base64: 'x-signature as base64 of 32 bytes and nothing else.',
};

const DIGESTS: Readonly<Record<Encoding, BodyForm>> = {
  hex: (_body, sha256) => sha256().toString('hex'),
  base64: (_body, sha256) => sha256().toString('base64'),
};

function rightPlan(
  { method, target, body }: RequestMessage,
  { timestamp, nonce, secret }: { timestamp: string; nonce: string; secret: string },
  scheme: RequestScheme,
): Plan {
  return {
    key: secret,
    algorithm: HMAC_SHA256,
    order: ['timestamp', 'id', 'method', 'path', 'body'],
    separator: '.',
    ending: '',
    timestamp: wireBytes(timestamp),
    id: wireBytes(nonce),
    method: wireBytes(method),
    path: wireBytes(scheme.pathForm === 'target' ? target : pathOf(target)),
    body: typeof body === 'string' ? Buffer.from(body) : body,
    bodyForm: DIGESTS[scheme.digestEncoding],
  };
}

function subjectOf(
  request: FailedRequest,
  { secret, otherSecrets = [] }: RequestDiagnosis,
  right: Plan,
  seconds: number | undefined,
): Subject {
  const secrets: KnownSecret[] = [
    { secret, note: 'current' },
    ...otherSecrets.map((other): KnownSecret => ({ note: 'other', ...other })),
  ];
  const authorization = findHeader(request.rawHeaders ?? request.headers, 'authorization');
  return {
    right,
    seconds,
    target: request.target,
    host: request.host ?? findHeader(request.rawHeaders ?? request.headers, 'host'),
    token: authorization && /^Bearer +(\S+)$/i.exec(authorization)?.[1],
    secrets,
    json: jsonBody(right.body),
  };
}

function nonceFindings(nonce: string): Finding[] {
  if (nonce === '' || NONCE_FORM.test(nonce)) return [];
  const expected = 'x-nonce of 16 to 128 characters of A-Z a-z 0-9 _ -.';
  const fix = 'Generate a valid nonce, such as a UUID, for each request.';
  if (/[^A-Za-z0-9_-]/.test(nonce)) {
    return [observed('nonce-characters', 'x-nonce contains invalid characters.', expected, fix)];
  }
  const [id, word] = nonce.length < 16 ? ['nonce-too-short', 'short'] : ['nonce-too-long', 'long'];
  return [observed(id, `x-nonce is too ${word}: ${nonce.length} characters.`, expected, fix)];
}
