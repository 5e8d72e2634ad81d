import { hmacOf, send, webhookDraft, WEBHOOK_SECRET } from '../diagnosis/sender.js';
import { WEBHOOK_MISTAKES } from '../diagnosis/webhook-mistakes.js';
import { bodyField, type VectorClass, type WebhookVector } from './vector.js';

export const NOW_S = 1_760_000_123;
export const EVENT = JSON.stringify({
  id: 'evt_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  type: 'pix.settled',
  schema_version: 1,
  timestamp: '2025-10-09T08:55:23.000Z',
  environment: 'TEST',
  data: {
    object: {
      id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
      code: 'pedido/42',
      amount: '10.50',
      payer_name: 'João',
    },
  },
});

const secretOf = (key: Buffer | string): string => `whsec_${Buffer.from(key).toString('base64')}`;
export const counted = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_none, at) => (at * 7 + 3) % 256));
export const FIRST = secretOf(counted(24));
const SECOND = secretOf(counted(32));
const THIRD = secretOf(counted(48));

/** One signature as the header carries it, over exactly these texts and bytes. */
export function v1(secret: string, id: string, timestamp: string, body: Buffer | string): string {
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  return `v1,${hmacOf('sha256', Buffer.from(secret.slice(6), 'base64'), content).toString('base64')}`;
}

export interface Draft {
  readonly name: string;
  readonly secrets?: readonly string[];
  readonly id?: string;
  readonly timestamp?: string;
  readonly body?: Buffer | string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly now?: number;
  readonly tolerance?: number;
  readonly cause?: string;
  readonly matched?: readonly [secret: number, signature: number];
  readonly class?: VectorClass;
  readonly errs?: readonly string[];
}

export function vector(draft: Draft): WebhookVector {
  const {
    secrets = [FIRST],
    id = 'evt_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    timestamp = String(NOW_S),
    body = EVENT,
  } = draft;
  const signature = draft.signature ?? v1(secrets[0] ?? '', id, timestamp, body);
  const accepted = draft.cause === undefined;
  const [secret_index, signature_index] = draft.matched ?? [0, 0];
  return {
    name: draft.name,
    now_s: draft.now ?? NOW_S,
    tolerance_s: draft.tolerance ?? 300,
    secrets,
    headers: draft.headers ?? {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    },
    ...bodyField(Buffer.from(body)),
    verdict: accepted ? 'accept' : 'refuse',
    cause: draft.cause ?? null,
    ...(accepted ? { secret_index, signature_index } : {}),
    class: draft.class ?? 'agreed',
    ...(draft.errs === undefined ? {} : { errs: draft.errs }),
  };
}

/** Right messages on which the official libraries agree. */
export function acceptedWebhooks(): WebhookVector[] {
  const bodies: Record<string, string> = {
    'an event': EVENT,
    'an empty object': '{}',
    'an empty array': '[]',
    'a number': '0',
    'a text': '"ç"',
    null: 'null',
    'blanks around the JSON': ' \t\r\n{ "a" : 1 }\n ',
    'indented JSON': JSON.stringify(JSON.parse(EVENT), null, 2),
    'escapes beyond ASCII': '{"nome":"Jo\\u00e3o"}',
    'characters beyond ASCII': '{"nome":"João","símbolo":"€"}',
    'characters beyond the first plane': '{"a":"😀𝒳"}',
    'escaped slashes': '{"u":"https:\\/\\/a"}',
    'a number with zeros behind': '{"amount":10.500}',
    'a large number': '{"n":123456789012345678901234567890}',
    'two fields of one name': '{"a":1,"a":2}',
    'a replacement character of its own': '{"a":"\uFFFD"}',
    'dots in the body': '{"a":"1.2.3"}',
    'a body of many bytes': JSON.stringify({ a: 'x'.repeat(5000) }),
  };
  const published = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  return [
    vector({
      name: 'the published example',
      secrets: [published],
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      now: 1_614_265_330,
      body: '{"test": 2432232314}',
    }),
    ...Object.entries(bodies).map(([name, body]) => vector({ name: `body: ${name}`, body })),
    ...[1, 2, 3, 16, 20, 24, 32, 48, 63, 64, 65, 100, 200].map((length) =>
      vector({ name: `key of ${length} bytes`, secrets: [secretOf(counted(length))] }),
    ),
    ...Object.entries({
      zeros: Buffer.alloc(24),
      'all ones': Buffer.alloc(24, 0xff),
      'text bytes': Buffer.from('"quoted"\n'),
      'text of a key': Buffer.from(FIRST),
    }).map(([name, key]) => vector({ name: `key of ${name}`, secrets: [secretOf(key)] })),
    ...['1', 'a.b.c', 'evt_-_', 'x'.repeat(200), 'MSG', '~!@#$%^&*()+='].map((id) =>
      vector({ name: `id ${id.slice(0, 16)}`, id }),
    ),
    ...[0, 1, 150, 299, 300].flatMap((ageS) => [
      vector({ name: `${ageS} s old`, now: NOW_S + ageS }),
      vector({ name: `${ageS} s in the future`, now: NOW_S - ageS }),
    ]),
    vector({ name: 'timestamp of 9 digits', timestamp: '999999999', now: 999_999_999 }),
    ...severalSecretsAndSignatures(),
  ];
}

function severalSecretsAndSignatures(): WebhookVector[] {
  const [first, second, third] = [FIRST, SECOND, THIRD].map((secret) =>
    v1(secret, 'evt_1', String(NOW_S), EVENT),
  );
  const several = (
    name: string,
    secrets: string[],
    header: (string | undefined)[],
    matched: readonly [number, number],
  ): WebhookVector => vector({ name, id: 'evt_1', secrets, signature: header.join(' '), matched });
  const v2 = 'v2,bm90IGEgdjEgc2lnbmF0dXJl';
  return [
    several('rotation: both signatures, the new secret', [FIRST], [first, second], [0, 0]),
    several('rotation: both signatures, the old secret', [SECOND], [first, second], [0, 1]),
    several('rotation: both signatures, both secrets', [FIRST, SECOND], [first, second], [0, 0]),
    several('rotation: the old signature alone, both secrets', [FIRST, SECOND], [second], [1, 0]),
    several('three signatures, the last secret', [THIRD], [first, second, third], [0, 2]),
    several('three secrets, one signature', [FIRST, SECOND, THIRD], [third], [2, 0]),
    several('a version that is not known before', [FIRST], [v2, first], [0, 1]),
    several('a version that is not known behind', [FIRST], [first, v2], [0, 0]),
    several('versions that are nearly v1', [FIRST], ['v1a,abc', 'V1,abc', 'v11,abc', 'v,abc', first], [0, 4]),
    several('the same signature twice', [FIRST], [first, first], [0, 0]),
  ];
}

/** Wrong messages on which the official libraries agree. */
export function refusedWebhooks(): WebhookVector[] {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const right = vector({ name: '' }).headers;
  const signature = right['webhook-signature'] ?? '';
  const mismatch = (name: string, draft: Partial<Draft>): WebhookVector =>
    vector({ name, signature, cause: 'signature_mismatch', ...draft });
  return [
    ...names.flatMap((name) => [
      vector({
        name: `without ${name}`,
        headers: Object.fromEntries(Object.entries(right).filter(([key]) => key !== name)),
        cause: 'missing_header',
      }),
      vector({ name: `empty ${name}`, headers: { ...right, [name]: '' }, cause: 'missing_header' }),
    ]),
    vector({ name: 'no headers', headers: {}, cause: 'missing_header' }),
    ...[
      'abc',
      'NaN',
      '-',
      'x1760000123',
      '1760000123000',
      '2025-10-09T08:55:23Z',
      '-1760000123',
      '0x68e77a3b',
      '1.760000123e9',
      '1e9',
    ].map((timestamp) => vector({ name: `timestamp ${timestamp}`, timestamp, cause: 'invalid_timestamp' })),
    ...[301, 302, 3600, 86_400].flatMap((ageS) => [
      vector({ name: `${ageS} s too old`, now: NOW_S + ageS, cause: 'timestamp_too_old' }),
      vector({ name: `${ageS} s too new`, now: NOW_S - ageS, cause: 'timestamp_too_new' }),
    ]),
    ...Object.entries({
      'v2 alone': signature.replace('v1', 'v2'),
      'V1 in capitals': signature.replace('v1', 'V1'),
      'no version': signature.slice(3),
      'v1= as elsewhere': signature.replace('v1,', 'v1='),
      'v1: with a colon': signature.replace('v1,', 'v1:'),
      'v1 alone': 'v1',
      'something else': 'none',
    }).map(([name, signature]) =>
      vector({ name: `signature: ${name}`, signature, cause: 'no_supported_signature' }),
    ),
    ...Object.entries({
      'nothing behind v1,': 'v1,',
      'cut short': signature.slice(0, 20),
      'without padding': signature.replace('=', ''),
      hex: `v1,${Buffer.from(signature.slice(3), 'base64').toString('hex')}`,
      'base64 of the hex': `v1,${Buffer.from(Buffer.from(signature.slice(3), 'base64').toString('hex')).toString('base64')}`,
      'with a prefix': `v1,sha256=${signature.slice(3)}`,
    }).map(([name, signature]) =>
      vector({ name: `signature: ${name}`, signature, cause: 'malformed_signature' }),
    ),
    mismatch('body changed by one character', { body: EVENT.replace('10.50', '10.51') }),
    mismatch('body with a line break behind', { body: `${EVENT}\n` }),
    mismatch('body with other spaces', { body: EVENT.replaceAll(',"', ', "') }),
    mismatch('body without its last byte', { body: EVENT.slice(0, -1) }),
    mismatch('another id', { id: 'evt_2' }),
    mismatch('another second', { timestamp: String(NOW_S + 1) }),
    mismatch('another secret', { secrets: [SECOND] }),
    mismatch('several other secrets', { secrets: [SECOND, THIRD] }),
    mismatch('id and timestamp exchange a character', {
      id: 'evt_0a1b2c3d4e5f60718293a4b5c6d7e8f9.1',
      timestamp: '760000123',
      now: 760_000_123,
    }),
    mismatch('signature of zeros', { signature: `v1,${Buffer.alloc(32).toString('base64')}` }),
    mismatch('the right signature under another version', {
      signature: `${signature.replace('v1', 'v2')} ${v1(SECOND, 'a', 'b', 'c')}`,
    }),
    ...['whsec_', 'whsec_!!!!', 'whsec_abc', ''].map((secret) =>
      vector({ name: `secret ${secret || 'empty'}`, secrets: [secret], signature, cause: 'invalid_secret' }),
    ),
  ];
}

/** One message for each mistake that the diagnosis knows, all over the same event. */
export function mistakenWebhooks(): WebhookVector[] {
  const made = new Set<string>();
  return WEBHOOK_MISTAKES.flatMap((mistake) => {
    const draft = webhookDraft(EVENT);
    mistake.make(draft);
    const { headers, body } = send(draft);
    const [id = '', timestamp = '', signature = ''] = [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ].map((name) => headers[name]);
    const right = signature === v1(WEBHOOK_SECRET, id, timestamp, body);
    const cause = causeOf(id, timestamp, signature);
    // A few mistakes change nothing in this message, and each is shown once.
    if ((right && cause === 'signature_mismatch') || made.has(mistake.id)) return [];
    made.add(mistake.id);
    const sent = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'content-type'),
    );
    return [
      {
        ...vector({ name: `mistake: ${mistake.id}`, secrets: [WEBHOOK_SECRET], headers: sent, body, cause }),
        mistake: mistake.id,
      },
    ];
  });
}

function causeOf(id: string, timestamp: string, signature: string): string {
  if (!id || !timestamp || !signature) return 'missing_header';
  if (!/^[0-9]{1,12}$/.test(timestamp)) return 'invalid_timestamp';
  const ageS = NOW_S - Number(timestamp);
  if (Math.abs(ageS) > 300) return ageS > 0 ? 'timestamp_too_old' : 'timestamp_too_new';
  const signatures = signature.split(' ').filter((entry) => entry.startsWith('v1,'));
  if (signatures.length === 0) return 'no_supported_signature';
  return signatures.some((entry) => /^v1,[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(entry))
    ? 'signature_mismatch'
    : 'malformed_signature';
}
