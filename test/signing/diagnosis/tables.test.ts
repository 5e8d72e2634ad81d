import { expect, test } from 'vitest';
import type { Bytes } from '../../../src/signing/bytes.js';
import { BODY_MISTAKES } from '../../../src/signing/diagnosis/bodies.js';
import type { Dimension, Mistake, Plan, Subject, Variant } from '../../../src/signing/diagnosis/mistake.js';
import { formedBody } from '../../../src/signing/diagnosis/mistake.js';
import { requestCase } from '../../../src/signing/diagnosis/request.js';
import type { Case } from '../../../src/signing/diagnosis/search.js';
import {
  ALGORITHM_MISTAKES,
  ENDING_MISTAKES,
  SEPARATOR_MISTAKES,
  TIMESTAMP_MISTAKES,
  UNSET_KEY_MISTAKES,
} from '../../../src/signing/diagnosis/shared-mistakes.js';
import { webhookCase } from '../../../src/signing/diagnosis/webhook.js';
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

/** Variants that are shown from either end of a long list. */
const SHOWN_OF_MANY = 2;

const JSON_BODY =
  '{"code": "a/ç<&>", "amount":"10.50","account_id":null, "payer_document":"1",\r\n"metadata":{"b":[1],"a":2}}';
const EVENT =
  '{"id":"evt_1","timestamp":"2026-01-31T12:00:00.500Z","data":{"id":"data_1","object":{"id":"charge_1","code":"order-1"}}}';

function ofRequest(target: string, body: string | Buffer, method = 'POST'): Case {
  const otherSecrets = [
    { name: 'shop', secret: OTHER_APPLICATION_SECRET },
    ...credentialsBeside(REQUEST_SECRET),
  ];
  return requestCase(send(requestDraft({ method, target, body })), {
    secret: REQUEST_SECRET,
    otherSecrets,
    nowS: SENT_AT_S,
  });
}

function ofWebhook(body: string | Buffer): Case {
  const secrets = [
    { secret: WEBHOOK_SECRET },
    { name: 'old', secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' as const },
    { name: 'shop', secret: OTHER_WEBHOOK_SECRET, note: 'other' as const },
    ...credentialsBeside(WEBHOOK_SECRET),
  ];
  return webhookCase(send(webhookDraft(body)), { secrets, nowS: SENT_AT_S });
}

const WHOLE: Readonly<Record<string, () => Case>> = {
  'a request': () => ofRequest('/api/public/v1/pix/a%2Fb%C3%A7/?b=2&a=1%20x', JSON_BODY),
  'a webhook': () => ofWebhook(EVENT),
};

/** Mistakes that the table of requests shows. */
const SHARED = new Set(
  [...BODY_MISTAKES, ...TIMESTAMP_MISTAKES, ...SEPARATOR_MISTAKES, ...ENDING_MISTAKES, ...ALGORITHM_MISTAKES]
    .concat(UNSET_KEY_MISTAKES)
    .map(({ id }) => id),
);

/** A table with its words, and what each mistake makes of the message. */
function tableOf({ name, expected, mistakes }: Dimension, subject: Subject): string {
  const rows = mistakes.map((mistake) => {
    const { id, did, fix } = mistake;
    return [`  ${id}: ${did} ${fix}`, ...linesOf(mistake, subject)].join('\n');
  });
  return [`${name}: ${expected}`, ...rows, ''].join('\n');
}

/** The variants of a mistake in a line, and its rare ones in another. */
function linesOf({ variants, rare }: Mistake, subject: Subject): string[] {
  const lineOf = (made: readonly Variant[]) =>
    shortened(made.map((variant) => variantText(variant, subject.right))).join('  |  ');
  const lines = [lineOf(variants(subject)), rare === undefined ? '' : `rare ${lineOf(rare(subject))}`];
  return lines.filter((line) => line !== '').map((line) => `    ${line}`);
}

function shortened(texts: string[]): string[] {
  const left = texts.length - 2 * SHOWN_OF_MANY;
  if (left <= 1) return texts;
  return [...texts.slice(0, SHOWN_OF_MANY), `… ${left} more`, ...texts.slice(-SHOWN_OF_MANY)];
}

function variantText({ change, detail }: Variant, right: Plan): string {
  const changes = Object.entries(change).map(
    ([field, value]) => `${field}=${valueText(field, value, right)}`,
  );
  return [...(detail === undefined ? [] : [`(${detail})`]), ...changes].join(' ');
}

function valueText(field: string, value: unknown, { key }: Plan): string {
  if (field === 'algorithm') return hexOf((value as Plan['algorithm'])(key, ['content']));
  if (field === 'bodyForm')
    return bytesText(formedBody({ body: Buffer.from('content'), bodyForm: value as Plan['bodyForm'] }));
  return Array.isArray(value) ? value.join('.') : bytesText(value as Bytes);
}

function bytesText(bytes: Bytes): string {
  return typeof bytes === 'string'
    ? JSON.stringify(bytes)
    : `latin1 ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`;
}

function hexOf(bytes: Buffer): string {
  return bytes.toString('hex').slice(0, 16);
}

test.each(Object.entries(WHOLE))('what is tried on %s, with its words', async (name, caseOf) => {
  const { subject, dimensions } = caseOf().task;
  const isShown = ({ id }: Mistake) => name === 'a request' || !SHARED.has(id);
  const text = dimensions
    .map(({ name, expected, mistakes }) => ({ name, expected, mistakes: mistakes.filter(isShown) }))
    .filter(({ mistakes }) => mistakes.length > 0)
    .map((dimension) => tableOf(dimension, subject))
    .join('\n');
  await expect(text).toMatchFileSnapshot(`tables/${name.replaceAll(' ', '-')}.txt`);
});
