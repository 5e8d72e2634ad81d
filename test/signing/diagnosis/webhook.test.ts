import { json, oneof, string, uint8Array, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ENTRY_ERROR_IDS,
  FORMAT_ERROR_IDS,
  listWebhookReadings,
} from '../../../src/signing/diagnosis/signature-text.js';
import { WEBHOOK_ERRORS } from '../../../src/signing/diagnosis/webhook-errors.js';
import { readWebhook } from '../../../src/signing/diagnosis/webhook.js';
import type { KnownSecret } from '../../../src/signing/index.js';
import { diagnoseWebhook, signWebhook, verifyWebhook } from '../../../src/signing/index.js';
import { describeDiagnosis } from './describe-diagnosis.js';
import {
  credentialsBeside,
  OTHER_WEBHOOK_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  send,
  SENT_AT_S,
  WEBHOOK_SECRET,
  webhookDraft,
} from './sender.js';
import { WEBHOOK_MISTAKES } from './webhook-bugs.js';

const EVENT = {
  id: 'evt_ffeeddccbbaa99887766554433221100',
  type: 'pix.settled',
  schema_version: 1,
  timestamp: '2025-10-09T08:55:21.250Z',
  environment: 'TEST',
  data: {
    object: {
      id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
      code: 'pedido/42',
      amount: '10.50',
      payer_name: 'João & Cia <Ltda>',
      metadata: { loja: 'São Paulo' },
      note: null,
    },
  },
};

const BODIES = {
  'an event in compact JSON': JSON.stringify(EVENT),
  'an event in spaced JSON': JSON.stringify(EVENT).replaceAll(',"', ', "').replaceAll('":', '": '),
  'an event in indented JSON with a line break behind': `${JSON.stringify(EVENT, null, 2)}\n`,
  'bytes that are no text': Buffer.from([0xff, 0x00, 0x7b, 0x0a, 0x20]),
};

const SECRETS: readonly KnownSecret[] = [
  { secret: WEBHOOK_SECRET, note: 'current' },
  { name: 'until noon', secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' },
  { name: 'second endpoint', secret: OTHER_WEBHOOK_SECRET, note: 'other' },
  ...credentialsBeside(WEBHOOK_SECRET),
];
const KNOWN = { secrets: SECRETS, nowS: SENT_AT_S + 2 };

const key = uint8Array({ minLength: 16, maxLength: 48 });

describeDiagnosis<string | Buffer>({
  kind: 'webhook',
  messages: BODIES,
  mistakes: WEBHOOK_MISTAKES,
  leastMistakes: 40,
  ids: [
    ...WEBHOOK_ERRORS.flatMap(({ errors }) => errors.map(({ id }) => id)),
    ...FORMAT_ERROR_IDS,
    ...ENTRY_ERROR_IDS,
  ],
  // A webhook always has a body, and base64 is its right encoding.
  elsewhere: ['body-empty-form', 'signature-base64'],
  pairSeed: 22,
  draftOf: webhookDraft,
  holds: (sent) => verifyWebhook({ ...sent, secrets: WEBHOOK_SECRET, nowS: KNOWN.nowS }).ok,
  diagnose: (sent, effort) => diagnoseWebhook(sent, { ...KNOWN, effort }),
  read: (sent) => readWebhook(sent, KNOWN),
  readingsOf: listWebhookReadings,
  unknown: {
    seed: 3,
    message: oneof(json(), string()).map((text) => Buffer.from(text)),
    key: key.map((bytes) => Buffer.from(bytes)),
    keys: uniqueArray(key, { minLength: 20, maxLength: 20, selector: String }).map((keys) =>
      keys.map((bytes) => Buffer.from(bytes)),
    ),
  },
});

test('does not report a secret without + and / as base64url', () => {
  const secret = `whsec_${Buffer.from('a key of 16 byte').toString('base64')}`;
  const text = secret.slice('whsec_'.length).replace('==', '');
  const sent = send({ ...webhookDraft('{}'), key: text });
  const findings = diagnoseWebhook(sent, { ...KNOWN, secrets: [{ secret }] });
  expect(findings).toMatchObject([{ id: 'secret-without-padding', alike: [] }]);
});

describe('a webhook with several signatures', () => {
  const body = JSON.stringify(EVENT);
  const headers = signWebhook({
    id: 'evt_1',
    timestampS: SENT_AT_S,
    body,
    secrets: [OTHER_WEBHOOK_SECRET, WEBHOOK_SECRET],
  });

  test('points out that only a later signature is valid', () => {
    const findings = diagnoseWebhook({ body, headers }, KNOWN);
    expect(findings).toMatchObject([{ id: 'only-first-signature-compared', certainty: 'possible' }]);
  });

  test('gives no advice when the first signature is valid', () => {
    const secrets: KnownSecret[] = [
      { secret: OTHER_WEBHOOK_SECRET },
      { secret: WEBHOOK_SECRET, note: 'previous' },
    ];
    expect(diagnoseWebhook({ body, headers }, { ...KNOWN, secrets })).toEqual([]);
  });
});

describe('invalid arguments of a webhook diagnosis', () => {
  const sent = send(webhookDraft('{}'));

  test('rejects a malformed current secret', () => {
    expect(() => diagnoseWebhook(sent, { ...KNOWN, secrets: [{ secret: 'sk_test_1' }] })).toThrow(
      /whsec_<base64>/,
    );
  });

  test('rejects a missing current secret', () => {
    expect(() => diagnoseWebhook(sent, { ...KNOWN, secrets: SECRETS.slice(1) })).toThrow(
      /at least one current/,
    );
  });
});

test.each([1, 2, 4, '\t'])('names a body serialized again with the indentation %j', (indent) => {
  const body = JSON.stringify(EVENT);
  const message = { id: EVENT.id, timestampS: SENT_AT_S, secrets: [WEBHOOK_SECRET] };
  const headers = signWebhook({ ...message, body: JSON.stringify(JSON.parse(body), null, indent) });
  expect(diagnoseWebhook({ headers, body }, KNOWN)).toMatchObject([{ id: 'body-indented' }]);
});
