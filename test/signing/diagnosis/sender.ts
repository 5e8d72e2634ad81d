// A program that signs messages, part by part, so that a test can make any one step of it wrong. It shares no code
// with the library: the findings must not depend on code of the diagnosis.
import { createHash, createHmac } from 'node:crypto';

export type Part = 'timestamp' | 'token' | 'method' | 'path' | 'body';

/** A message on its way to be signed and sent. `token` is the nonce of a request and the id of a webhook. */
export interface Draft {
  readonly kind: 'request' | 'webhook';
  readonly secret: string;
  readonly seconds: number;
  readonly host: string;
  /** What travels. */
  sent: { method: string; target: string; body: Buffer; timestamp: string; token: string };
  /** What is signed. */
  signed: Record<'timestamp' | 'token' | 'method' | 'path', string> & { body: Buffer };
  form: (body: Buffer) => string | Buffer;
  order: Part[];
  glue: string;
  ending: string;
  content: string | undefined;
  key: string | Buffer;
  mac: (key: string | Buffer, content: Buffer) => Buffer;
  write: (mac: Buffer) => string;
  /** Header names by part, and headers beside those. */
  names: { timestamp: string; token: string; signature: string };
  extra: Record<string, string>;
}

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
  readonly host: string;
  readonly headers: Record<string, string>;
}

export const digestOf = (algorithm: string, ...chunks: (string | Buffer)[]): Buffer => {
  const hash = createHash(algorithm);
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
};

export const hmacOf = (algorithm: string, key: string | Buffer, content: string | Buffer): Buffer =>
  createHmac(algorithm, key).update(content).digest();

export const REQUEST_SECRET = 'sk_test_Zm9vYmFyMTIzNDU2Nzg5MDEyMzQ1Njc4';
export const OTHER_APPLICATION_SECRET = 'sk_test_b3RoZXIgYXBwbGljYXRpb24gc2VjcmV0';
export const WEBHOOK_SECRET = 'whsec_3q2+7wABAgMEBQYHCAkKCwwNDg8Q/xIT+hUWFxgZGhs=';
export const PREVIOUS_WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const OTHER_WEBHOOK_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
export const KYC_TOKEN = 'kyc_test_token_0000000000000001';
export const SENT_AT_S = 1_760_000_123;

export function requestDraft(message: { method: string; target: string; body: string | Buffer }): Draft {
  const body = Buffer.from(message.body);
  const timestamp = String(SENT_AT_S);
  const token = '7f9c24e5-0b1d-4c3a-9e8f-ABCDEF012345';
  const [path = ''] = message.target.split('?');
  return {
    kind: 'request',
    secret: REQUEST_SECRET,
    seconds: SENT_AT_S,
    host: 'localhost:7490',
    sent: { method: message.method, target: message.target, body, timestamp, token },
    signed: { timestamp, token, method: message.method, path, body },
    form: (bytes) => digestOf('sha256', bytes).toString('hex'),
    order: ['timestamp', 'token', 'method', 'path', 'body'],
    glue: '.',
    ending: '',
    content: undefined,
    key: REQUEST_SECRET,
    mac: (key, content) => hmacOf('sha256', key, content),
    write: (mac) => mac.toString('hex'),
    names: { timestamp: 'x-timestamp', token: 'x-nonce', signature: 'x-signature' },
    extra: { authorization: 'Bearer tk_test_0123456789abcdef', 'content-type': 'application/json' },
  };
}

export function webhookDraft(body: string | Buffer): Draft {
  const bytes = Buffer.from(body);
  const timestamp = String(SENT_AT_S);
  const token = 'evt_0A1b2c3d4e5f60718293a4b5c6d7e8f9';
  return {
    ...requestDraft({ method: 'POST', target: '/hooks', body }),
    kind: 'webhook',
    secret: WEBHOOK_SECRET,
    sent: { method: 'POST', target: '/hooks', body: bytes, timestamp, token },
    signed: { timestamp, token, method: '', path: '', body: bytes },
    form: (raw) => raw,
    order: ['token', 'timestamp', 'body'],
    key: Buffer.from(WEBHOOK_SECRET.slice(6), 'base64'),
    write: (mac) => `v1,${mac.toString('base64')}`,
    names: { timestamp: 'webhook-timestamp', token: 'webhook-id', signature: 'webhook-signature' },
    extra: { 'content-type': 'application/json' },
  };
}

/** Signs the draft as it now is, and puts it into an envelope. */
export function send(draft: Draft): Sent {
  const { signed, sent, names } = draft;
  const glue = Buffer.from(draft.glue);
  const parts = draft.order.map((part) =>
    Buffer.from(part === 'body' ? draft.form(signed.body) : signed[part]),
  );
  const joined = Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [glue, part])));
  const content =
    draft.content === undefined
      ? Buffer.concat([joined, Buffer.from(draft.ending)])
      : Buffer.from(draft.content);
  const headers: Record<string, string> = {
    ...draft.extra,
    host: draft.host,
    [names.timestamp]: sent.timestamp,
    [names.token]: sent.token,
    [names.signature]: draft.write(draft.mac(draft.key, content)),
  };
  return { method: sent.method, target: sent.target, body: sent.body, host: draft.host, headers };
}

/** One thing that a sending program can do wrong: the finding that must name it, and the step that it changes. */
export interface SenderMistake {
  readonly id: string;
  /** Two mistakes about one thing cannot be made at once. */
  readonly about: string;
  readonly make: (draft: Draft) => void;
}

/** Published credentials with another purpose than a secret for signing. */
export function credentialsBeside(secret: string) {
  return [
    { name: 'SANDBOX_SIGNING_SECRET', secret: REQUEST_SECRET, note: 'credential' as const },
    { name: 'SANDBOX_WEBHOOK_SECRET', secret: WEBHOOK_SECRET, note: 'credential' as const },
    { name: 'SANDBOX_KYC_TOKEN', secret: KYC_TOKEN, note: 'credential' as const },
    { name: 'SANDBOX_KYC_PUBLISHABLE_KEY', secret: 'pk_test_0000000000000001', note: 'credential' as const },
  ].filter((credential) => credential.secret !== secret);
}
