import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  diagnoseRequest,
  diagnoseWebhook,
  type SigningFinding,
  verifyRequest,
  verifyWebhook,
} from '../../../src/signing/index.js';
import { VECTORS_FOLDER } from '../../helpers/signing/vectors.js';
import { REQUEST_MISTAKES } from '../diagnosis/request-bugs.js';
import {
  credentialsBeside,
  OTHER_APPLICATION_SECRET,
  OTHER_WEBHOOK_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  REQUEST_SECRET,
  requestDraft,
  send,
  type SenderMistake,
  type Sent,
  SENT_AT_S,
  WEBHOOK_SECRET,
  webhookDraft,
} from '../diagnosis/sender.js';
import { WEBHOOK_MISTAKES } from '../diagnosis/webhook-bugs.js';

const CHARGE =
  '{"code":"pedido/42","account_id":"0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10","amount":"10.50","payer_name":"João"}';
const EVENT = JSON.stringify({
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

const TIME = { now_s: SENT_AT_S, tolerance_s: 300 };
const SCHEME = { signature_encoding: 'hex', digest_encoding: 'hex', path_form: 'path' };

/** The body as text where it is plain UTF-8 text, in base64 where it is not. */
function bodyField(bytes: Buffer) {
  const text = bytes.toString();
  const isPlain = Buffer.from(text).equals(bytes) && /^[\P{C}\n\r\t]*$/u.test(text);
  return isPlain ? { body: text } : { body_base64: bytes.toString('base64') };
}

function requestVector(name: string, { method, target, headers, body }: Sent) {
  const verdict = verifyRequest({ method, target, headers, body, secret: REQUEST_SECRET, nowS: SENT_AT_S });
  if (verdict.ok) return undefined;
  const known = { ...TIME, secret: REQUEST_SECRET, scheme: SCHEME, method, target, headers };
  return { name, ...known, ...bodyField(body), verdict: 'refuse', cause: verdict.cause };
}

function webhookVector(name: string, { headers, body }: Sent) {
  const verdict = verifyWebhook({ headers, body, secrets: WEBHOOK_SECRET, nowS: SENT_AT_S });
  if (verdict.ok) return undefined;
  const { host: _host, 'content-type': _type, ...sent } = headers;
  const known = { ...TIME, secrets: [WEBHOOK_SECRET], headers: sent };
  return { name, ...known, ...bodyField(body), verdict: 'refuse', cause: verdict.cause, class: 'agreed' };
}

const SECRETS = [
  { secret: WEBHOOK_SECRET },
  { secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' as const },
  { secret: OTHER_WEBHOOK_SECRET, note: 'other' as const },
  ...credentialsBeside(WEBHOOK_SECRET),
];
const OTHER_SECRETS = [
  { name: 'another', secret: OTHER_APPLICATION_SECRET },
  ...credentialsBeside(REQUEST_SECRET),
];

type Trial = readonly [
  file: string,
  mistakes: readonly SenderMistake[],
  send: (mistake: SenderMistake) => Sent,
  vector: (name: string, sent: Sent) => object | undefined,
  diagnose: (sent: Sent) => SigningFinding[],
];

const TRIALS: readonly Trial[] = [
  [
    'requests-mistakes.json',
    REQUEST_MISTAKES,
    ({ make }) => {
      const draft = requestDraft({ method: 'POST', target: '/api/public/v1/pix?b=2&a=1', body: CHARGE });
      make(draft);
      return send(draft);
    },
    requestVector,
    (sent) => diagnoseRequest(sent, { secret: REQUEST_SECRET, otherSecrets: OTHER_SECRETS, nowS: SENT_AT_S }),
  ],
  [
    'webhooks-mistakes.json',
    WEBHOOK_MISTAKES,
    ({ make }) => {
      const draft = webhookDraft(EVENT);
      make(draft);
      return send(draft);
    },
    webhookVector,
    (sent) => diagnoseWebhook(sent, { secrets: SECRETS, nowS: SENT_AT_S }),
  ],
];

test.each(TRIALS)(
  'contains a message in %s for each signing error, which the diagnosis names',
  async (file, mistakes, sendWith, vectorOf, diagnose) => {
    const made = new Map<string, object>();
    for (const mistake of mistakes) {
      const { id } = mistake;
      const sent = sendWith(mistake);
      // A few mistakes change nothing in this message, and each is shown once.
      const vector = made.has(id) ? undefined : vectorOf(`mistake: ${id}`, sent);
      if (vector === undefined) continue;
      made.set(id, { ...vector, mistake: id });
      const found = diagnose(sent);
      expect([...found.map((finding) => finding.id), ...found.flatMap(({ alike }) => alike)]).toContain(id);
    }
    expect(made.size).toBeGreaterThan(100);
    const text = JSON.stringify({ format: 1, vectors: [...made.values()] }, null, 2);
    await expect(`${text}\n`).toMatchFileSnapshot(join(VECTORS_FOLDER, file));
  },
);
