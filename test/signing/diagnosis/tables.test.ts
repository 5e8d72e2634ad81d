import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BODY_ERRORS } from '../../../src/signing/diagnosis/body-errors.js';
import {
  buildContent,
  type SigningPlan,
  type ReceivedSignature,
  type SigningVariant,
} from '../../../src/signing/diagnosis/diagnose.js';
import {
  ALGORITHM_ERRORS,
  TRAILING_TEXT_ERRORS,
  SEPARATOR_ERRORS,
  TIMESTAMP_ERRORS,
  UNSET_KEY_ERRORS,
} from '../../../src/signing/diagnosis/errors.js';
import { readRequest } from '../../../src/signing/diagnosis/request.js';
import { readWebhook } from '../../../src/signing/diagnosis/webhook.js';
import {
  credentialsBeside,
  OTHER_APPLICATION_SECRET,
  OTHER_WEBHOOK_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  REQUEST_SECRET,
  requestDraft,
  send,
  SENT_AT_S,
  WEBHOOK_SECRET,
  webhookDraft,
} from './sender.js';

const REQUEST = {
  method: 'POST',
  target: '/api/public/v1/pix/a%2Fb%C3%A7/?b=2&a=1%20x',
  body: '{"code": "a/ç<&>", "amount":"10.50","account_id":null, "payer_document":"1",\r\n"metadata":{"b":[1],"a":2}}',
};
const EVENT =
  '{"id":"evt_1","timestamp":"2026-01-31T12:00:00.500Z","data":{"id":"data_1","object":{"id":"charge_1","code":"order-1"}}}';

const MESSAGES: Readonly<Record<string, ReceivedSignature>> = {
  'a-request': readRequest(send(requestDraft(REQUEST)), {
    secret: REQUEST_SECRET,
    otherSecrets: [{ name: 'shop', secret: OTHER_APPLICATION_SECRET }, ...credentialsBeside(REQUEST_SECRET)],
    nowS: SENT_AT_S,
  }),
  'a-webhook': readWebhook(send(webhookDraft(EVENT)), {
    secrets: [
      { secret: WEBHOOK_SECRET },
      { name: 'old', secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' },
      { name: 'shop', secret: OTHER_WEBHOOK_SECRET, note: 'other' },
      ...credentialsBeside(WEBHOOK_SECRET),
    ],
    nowS: SENT_AT_S,
  }),
};

/** Errors that the table of requests shows. */
const SHARED = new Set(
  [
    BODY_ERRORS,
    TIMESTAMP_ERRORS,
    SEPARATOR_ERRORS,
    TRAILING_TEXT_ERRORS,
    ALGORITHM_ERRORS,
    UNSET_KEY_ERRORS,
  ].flat(),
);

/** The signature that a variant makes, which shows its key, its content and its algorithm. */
function signatureOf({ change }: SigningVariant, right: SigningPlan): Buffer {
  const plan = { ...right, ...change };
  return plan.algorithm(plan.key, buildContent(plan));
}

test.each(Object.entries(MESSAGES))('tries these errors on %s', async (name, { groups, message }) => {
  const lines = groups.flatMap(({ expected, errors }) => [
    expected,
    ...errors
      .filter((error) => name === 'a-request' || !SHARED.has(error))
      .map(({ id, did, fix, variants }) => {
        const made = variants(message);
        const all = hash('sha256', Buffer.concat(made.map((one) => signatureOf(one, message.right))), 'hex');
        const details = made.slice(0, 3).flatMap(({ detail = [] }) => detail);
        const ending = details.length === 0 ? '' : `: ${details.join('; ')}`;
        return `  ${id}: ${did} ${fix} (${made.length}, ${all.slice(0, 12)}${ending})`;
      }),
  ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`tables/${name}.txt`);
});
