import { digestOf, hmacOf, REQUEST_SECRET, requestDraft, send } from '../diagnosis/sender.js';
import { REQUEST_MISTAKES } from '../diagnosis/request-mistakes.js';
import { bodyField, type RequestVector } from './vector.js';

const NOW_S = 1_760_000_123;
const NONCE = '7f9c24e5-0b1d-4c3a-9e8f-ABCDEF012345';
const CHARGE =
  '{"code":"pedido/42","account_id":"0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10","amount":"10.50","payer_name":"João"}';
const RETRY =
  '/api/public/v1/webhook-endpoints/0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10/deliveries/5d7a3c1e-1b2f-4e6a-9c8d-7e6f5a4b3c2d/retry';

type Encoding = 'hex' | 'base64';

interface Draft {
  readonly name: string;
  readonly method?: string;
  readonly target?: string;
  readonly body?: Buffer | string;
  readonly secret?: string;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly now?: number;
  readonly tolerance?: number;
  readonly signatureEncoding?: Encoding;
  readonly digestEncoding?: Encoding;
  readonly pathForm?: 'path' | 'target';
  readonly cause?: string;
}

function vector(draft: Draft): RequestVector {
  const { method = 'POST', target = '/api/public/v1/pix', body = CHARGE, secret = REQUEST_SECRET } = draft;
  const {
    timestamp = String(NOW_S),
    nonce = NONCE,
    signatureEncoding = 'hex',
    digestEncoding = 'hex',
    pathForm = 'path',
  } = draft;
  const path = pathForm === 'path' ? target.replace(/\?.*$/s, '') : target;
  const canonical = [
    timestamp,
    nonce,
    method,
    path,
    digestOf('sha256', Buffer.from(body)).toString(digestEncoding),
  ].join('.');
  const signature = draft.signature ?? hmacOf('sha256', secret, canonical).toString(signatureEncoding);
  return {
    name: draft.name,
    now_s: draft.now ?? NOW_S,
    tolerance_s: draft.tolerance ?? 300,
    secret,
    scheme: { signature_encoding: signatureEncoding, digest_encoding: digestEncoding, path_form: pathForm },
    method,
    target,
    headers: draft.headers ?? { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature },
    ...bodyField(Buffer.from(body)),
    ...(draft.cause === undefined ? { canonical } : {}),
    verdict: draft.cause === undefined ? 'accept' : 'refuse',
    cause: draft.cause ?? null,
  };
}

/** Right requests. */
export function acceptedRequests(): RequestVector[] {
  const bodies: Record<string, Buffer | string> = {
    'a charge': CHARGE,
    none: '',
    'indented JSON': JSON.stringify(JSON.parse(CHARGE), null, 2),
    'a line break behind': `${CHARGE}\n`,
    'bytes that are no text': Buffer.from([0xff, 0x00, 0xfe]),
    'no JSON': 'a=1&b=2',
  };
  const targets = {
    'a query that is not signed': '/api/public/v1/pix?a=1&b=2',
    'an empty query': '/api/public/v1/pix?',
    'a slash at the end': '/api/public/v1/pix/',
    'two slashes': '/api//public/v1/pix',
    'dots that are not resolved': '/api/./public/../public/v1/pix',
    'escapes that are not decoded': '/api/public/v1/caf%C3%A9%2Fx',
    'escapes in small letters': '/api/public/v1/caf%c3%a9',
    'a second question mark': '/api/public/v1/pix?a=?b',
    'the retry of a delivery': RETRY,
    'the root': '/',
  };
  const secrets = {
    'one character': 'x',
    'blanks around it': ' a b ',
    'letters beyond ASCII': 'segredo-ção-€',
    'text that is base64': 'c2VjcmV0',
    'more than a block': 's'.repeat(100),
  };
  const schemes = (['hex', 'base64'] as const).flatMap((signatureEncoding) =>
    (['hex', 'base64'] as const).flatMap((digestEncoding) =>
      (['path', 'target'] as const).map((pathForm) => ({ signatureEncoding, digestEncoding, pathForm })),
    ),
  );
  return [
    ...Object.entries(bodies).map(([name, body]) => vector({ name: `body: ${name}`, body })),
    ...Object.entries(targets).map(([name, target]) => vector({ name: `target: ${name}`, target })),
    ...Object.entries(secrets).map(([name, secret]) => vector({ name: `secret: ${name}`, secret })),
    ...['PUT', 'PATCH', 'DELETE'].map((method) => vector({ name: `method ${method}`, method })),
    ...['n'.repeat(16), 'N-_0'.repeat(32)].map((nonce) =>
      vector({ name: `nonce of ${nonce.length} characters`, nonce }),
    ),
    ...[299, 300].flatMap((ageS) => [
      vector({ name: `${ageS} s old`, now: NOW_S + ageS }),
      vector({ name: `${ageS} s in the future`, now: NOW_S - ageS }),
    ]),
    vector({ name: 'a tolerance of its own', now: NOW_S + 5, tolerance: 5 }),
    vector({ name: 'timestamp with zeros before', timestamp: `00${NOW_S}` }),
    vector({ name: 'timestamp 0', timestamp: '0', now: 0 }),
    vector({ name: 'timestamp of 12 digits', timestamp: '999999999999', now: 999_999_999_999 }),
    ...schemes.map((scheme) =>
      vector({
        name: `scheme: ${Object.values(scheme).join(', ')}`,
        target: '/api/public/v1/pix?a=1',
        ...scheme,
      }),
    ),
  ];
}

/** Wrong requests. */
export function refusedRequests(): RequestVector[] {
  const right = vector({ name: '' }).headers;
  const signature = right['x-signature'] ?? '';
  const mismatch = (name: string, draft: Partial<Draft>): RequestVector =>
    vector({ name, signature, cause: 'signature_mismatch', ...draft });
  return [
    ...['x-timestamp', 'x-nonce', 'x-signature'].flatMap((name) => [
      vector({
        name: `without ${name}`,
        headers: Object.fromEntries(Object.entries(right).filter(([key]) => key !== name)),
        cause: 'missing_header',
      }),
      vector({ name: `empty ${name}`, headers: { ...right, [name]: '' }, cause: 'missing_header' }),
    ]),
    ...[
      '1760000123000',
      '1760000123.0',
      '+1760000123',
      ' 1760000123',
      '1760000123abc',
      '2025-10-09T08:55:23Z',
      'now',
    ].map((timestamp) =>
      vector({ name: `timestamp ${JSON.stringify(timestamp)}`, timestamp, cause: 'invalid_timestamp' }),
    ),
    ...['short', 'n'.repeat(15), 'n'.repeat(129), 'a nonce with blanks', 'ponto.ponto.ponto.ponto'].map(
      (nonce) =>
        vector({ name: `nonce ${nonce.slice(0, 24)} (${nonce.length})`, nonce, cause: 'invalid_nonce' }),
    ),
    ...Object.entries({
      'upper-case hex': signature.toUpperCase(),
      base64: Buffer.from(signature, 'hex').toString('base64'),
      'a prefix': `sha256=${signature}`,
      'cut short': signature.slice(0, 32),
      'too long': `${signature}00`,
      'other letters': 'z'.repeat(64),
    }).map(([name, wrong]) =>
      vector({ name: `signature: ${name}`, signature: wrong, cause: 'invalid_signature_format' }),
    ),
    ...[301, 3600, 86_400].flatMap((ageS) => [
      vector({ name: `${ageS} s too old`, now: NOW_S + ageS, cause: 'timestamp_out_of_range' }),
      vector({ name: `${ageS} s too new`, now: NOW_S - ageS, cause: 'timestamp_out_of_range' }),
    ]),
    mismatch('body changed by one character', { body: CHARGE.replace('10.50', '10.51') }),
    mismatch('another path', { target: '/api/public/v1/pix/' }),
    mismatch('another method', { method: 'PUT' }),
    mismatch('another nonce', { nonce: 'n'.repeat(20) }),
    mismatch('another second', { timestamp: String(NOW_S + 1) }),
    mismatch('another secret', { secret: 'sk_test_other' }),
    mismatch('signature of zeros', { signature: '0'.repeat(64) }),
    mismatch('a query that the scheme signs', { target: '/api/public/v1/pix?a=1', pathForm: 'target' }),
  ];
}

/** One request for each mistake that the diagnosis knows. */
export function mistakenRequests(): RequestVector[] {
  const made = new Set<string>();
  return REQUEST_MISTAKES.flatMap((mistake) => {
    const draft = requestDraft({ method: 'POST', target: '/api/public/v1/pix?b=2&a=1', body: CHARGE });
    mistake.make(draft);
    const { headers, method, target, body } = send(draft);
    const [timestamp = '', nonce = '', signature = ''] = ['x-timestamp', 'x-nonce', 'x-signature'].map(
      (name) => headers[name],
    );
    const right = vector({ name: '', method, target, body, timestamp, nonce }).headers['x-signature'];
    const cause = causeOf(timestamp, nonce, signature);
    // A few mistakes change nothing in this request, and each is shown once.
    if ((signature === right && cause === 'signature_mismatch') || made.has(mistake.id)) return [];
    made.add(mistake.id);
    return [
      {
        ...vector({ name: `mistake: ${mistake.id}`, method, target, body, headers, cause }),
        mistake: mistake.id,
      },
    ];
  });
}

function causeOf(timestamp: string, nonce: string, signature: string): string {
  if (!timestamp || !nonce || !signature) return 'missing_header';
  if (!/^[0-9]{1,12}$/.test(timestamp)) return 'invalid_timestamp';
  if (!/^[A-Za-z0-9_-]{16,128}$/.test(nonce)) return 'invalid_nonce';
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'invalid_signature_format';
  return Math.abs(NOW_S - Number(timestamp)) > 300 ? 'timestamp_out_of_range' : 'signature_mismatch';
}
