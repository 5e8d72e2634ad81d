import { describe, expect, test } from 'vitest';
import { diagnoseRequest, diagnoseWebhook, type Finding } from '../../../../src/signing/index.js';
import { credentialsBeside, digestOf, hmacOf, REQUEST_SECRET, SENT_AT_S, WEBHOOK_SECRET } from '../sender.js';
import { REQUEST_PROGRAMS, type RequestInput } from './request-programs.js';
import { WEBHOOK_PROGRAMS, type WebhookInput } from './webhook-programs.js';

const OBJECT = {
  id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
  amount: '10.50',
  payer_name: "João D'Ávila & Cia <Ltda>",
  paid: true,
  tags: ['a', 'b'],
  metadata: { loja: 'São Paulo', 'vendedor+': 'Zé' },
  note: null,
};
/** The first of many inputs whose bytes begin with a zero digit, so that programs can lose it. */
function withZero<Input>(inputAt: (number: number) => Input, bytes: (input: Input) => Buffer): Input {
  for (let number = 0; ; number += 1) {
    const input = inputAt(number);
    if (bytes(input).toString('hex').startsWith('0')) return input;
  }
}

function named(findings: readonly Finding[]): string[] {
  return findings.map(({ id }) => id);
}

describe('a webhook signed by', () => {
  const body = Buffer.from(
    JSON.stringify({ type: 'pix.settled', data: { object: OBJECT }, code: 'pedido/42' }),
  );
  const rewritten = Buffer.from(body.toString().replace('"10.50"', '10.50'));
  const input = withZero<WebhookInput>(
    (number) => ({ id: `evt_${number}`, timestamp: String(SENT_AT_S), body }),
    ({ id, timestamp }) =>
      hmacOf(
        'sha256',
        Buffer.from(WEBHOOK_SECRET.slice(6), 'base64'),
        `${id}.${timestamp}.${body.toString()}`,
      ),
  );

  test.each(WEBHOOK_PROGRAMS)('$does: $id', ({ id, sign }) => {
    const sent = id === 'body-reserialised' ? { ...input, body: rewritten } : input;
    const headers = { id: sent.id, timestamp: sent.timestamp, signature: sign(sent) };
    const secrets = [{ secret: WEBHOOK_SECRET }, ...credentialsBeside(WEBHOOK_SECRET)];
    const findings = diagnoseWebhook({ body: sent.body, headers }, { secrets, nowS: SENT_AT_S });
    expect(named(findings)).toContain(id);
  });
});

describe('a request signed by', () => {
  const { body } = withZero(
    (number) => ({ body: Buffer.from(JSON.stringify({ ...OBJECT, code: `pedido/${number}` })) }),
    ({ body }) => digestOf('sha256', body),
  );
  const input = withZero<RequestInput>(
    (number) => ({
      timestamp: String(SENT_AT_S),
      nonce: `7f9c24e5-0b1d-4c3a-9e8f-${String(number).padStart(12, '0')}`,
      method: 'POST',
      path: '/api/public/v1/pix',
      token: 'tk_test_0123456789abcdef',
      body,
    }),
    ({ timestamp, nonce, method, path }) =>
      hmacOf(
        'sha256',
        REQUEST_SECRET,
        [timestamp, nonce, method, path, digestOf('sha256', body).toString('hex')].join('.'),
      ),
  );

  test.each(REQUEST_PROGRAMS)('$does: $id', ({ id, sign }) => {
    const headers = {
      authorization: `Bearer ${input.token}`,
      'x-timestamp': input.timestamp,
      'x-nonce': input.nonce,
      'x-signature': sign(input),
    };
    const findings = diagnoseRequest(
      { method: input.method, target: input.path, body, headers },
      { secret: REQUEST_SECRET, otherSecrets: credentialsBeside(REQUEST_SECRET), nowS: SENT_AT_S },
    );
    expect(named(findings)).toContain(id);
  });
});
