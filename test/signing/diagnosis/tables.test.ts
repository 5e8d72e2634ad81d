import { expect, test } from 'vitest';
import type { Bytes } from '../../../src/signing/bytes.js';
import type { Dimension, Mistake, Plan, Subject, Variant } from '../../../src/signing/diagnosis/mistake.js';
import { formedBody } from '../../../src/signing/diagnosis/mistake.js';
import { requestCase } from '../../../src/signing/diagnosis/request.js';
import type { Case } from '../../../src/signing/diagnosis/search.js';
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
/** What depends on whether a message has a query and a JSON body. */
const DEPENDENT = new Set(['path', 'body', 'digest']);

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

const OTHERS: Readonly<Record<string, () => Case>> = {
  'a request without a body': () => ofRequest('/api/public/v1/pix', '', 'GET'),
  'a request with a text': () => ofRequest('/a b', Buffer.from('\uFEFFça\r\nb\n')),
  'a webhook with a text': () => ofWebhook(' a '),
};

/** A table with its words, and what each mistake makes of the message. */
function tableOf({ name, expected, mistakes }: Dimension, subject: Subject): string {
  const rows = mistakes.map((mistake) => {
    const { id, did, fix } = mistake;
    return [`  ${id}`, `    ${did}`, `    ${fix}`, ...linesOf(mistake, subject)].join('\n');
  });
  return [`${name}: ${expected}`, ...rows, ''].join('\n');
}

/** What the mistakes of a table make of the message, without those that cannot be made with it. */
function variantsOf({ mistakes }: Dimension, subject: Subject): string {
  return mistakes
    .map((mistake) => [mistake.id, ...linesOf(mistake, subject)])
    .filter(({ length }) => length > 1)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('');
}

function linesOf({ variants, rare }: Mistake, subject: Subject): string[] {
  return [
    ...shortened(variants(subject).map((variant) => `      ${variantText(variant, subject.right)}`)),
    ...shortened(
      (rare?.(subject) ?? []).map((variant) => `      rare ${variantText(variant, subject.right)}`),
    ),
  ];
}

function shortened(lines: string[]): string[] {
  if (lines.length < 50) return lines;
  const left = lines.length - 2 * SHOWN_OF_MANY;
  return [...lines.slice(0, SHOWN_OF_MANY), `      … ${left} more`, ...lines.slice(-SHOWN_OF_MANY)];
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
  const text = dimensions.map((dimension) => tableOf(dimension, subject)).join('\n');
  await expect(text).toMatchFileSnapshot(`tables/${name.replaceAll(' ', '-')}.txt`);
});

test.each(Object.entries(OTHERS))('what is tried on %s', async (name, caseOf) => {
  const { subject, dimensions } = caseOf().task;
  const text = dimensions
    .filter((dimension) => DEPENDENT.has(dimension.name))
    .map((dimension) => variantsOf(dimension, subject))
    .join('');
  await expect(text).toMatchFileSnapshot(`tables/${name.replaceAll(' ', '-')}.txt`);
});
