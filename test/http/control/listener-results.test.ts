import { describe, expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import type { AnswerBody } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';

/** A sandbox whose one listener has been given an attempt. */
async function withAttempt(fault?: object) {
  const api = await testApi();
  if (fault !== undefined) await api.control('POST', 'faults', fault);
  const reader = new MessageReader(await api.open('POST', '/_sandbox/listeners', { caller: null }));
  onTestFinished(() => reader.cancel());
  const { id } = (await reader.nextOf('ready')).listener as AnswerBody;
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  const attempt = await reader.nextOf('attempt');
  const report = (result: object, listenerId = id) =>
    api.control('POST', `listeners/${listenerId}/results`, { attempt_id: attempt.attempt_id, ...result });
  const delivery = async () => (await api.control('GET', `deliveries/${String(attempt.delivery_id)}`)).body;
  return { api, id, report, delivery };
}

describe('POST listeners/{id}/results', () => {
  test('accepts a success, with the response of the receiver', async () => {
    const { report, delivery } = await withAttempt();
    const answer = await report({
      response_status: 204,
      error: null,
      detail: null,
      body_error: null,
      latency_ms: 12.345,
      response_headers: [['x-a', 'b']],
      response_body: Buffer.from('olá').toString('base64'),
      truncated: false,
    });
    expect(answer.status).toBe(200);
    expect(answer.body.delivery).toMatchObject({ status: 'DELIVERED', last_response_status: 204 });
    expect((await delivery()).attempt_log).toMatchObject([
      {
        number: 1,
        response_status: 204,
        error: null,
        latency_ms: 12.3,
        response: { headers: [['x-a', 'b']], body: 'olá', truncated: false },
      },
    ]);
  });

  test('stores a response that is not text', async () => {
    const { report, delivery } = await withAttempt();
    await report({ response_status: 200, response_body: '/2E=' });
    const { attempt_log: attempts } = await delivery();
    expect(attempts).toMatchObject([{ response: { body_base64: '/2E=', truncated: false } }]);
    expect(attempts).not.toHaveProperty('0.response.body');
  });

  test('stores as much of a body as of any receiver’s', async () => {
    const { report, delivery } = await withAttempt();
    const body = Buffer.alloc(LIMITS.responseBytes + 1, 'x').toString('base64');
    await report({ response_status: 200, response_body: body });
    const [attempt] = (await delivery()).attempt_log as { response: { body: string; truncated: boolean } }[];
    expect(attempt?.response).toMatchObject({ truncated: true });
    expect(attempt?.response.body).toHaveLength(LIMITS.responseBytes);
  });

  const wrong: Readonly<Record<string, [result: object, field: string]>> = {
    'neither status nor error': [{}, 'error'],
    'a failure without its error': [{ response_status: 500 }, 'error'],
    'a success with an error': [{ response_status: 200, error: 'TIMEOUT' }, 'error'],
  };
  test.for(Object.entries(wrong))('rejects %s', async ([, [result, field]]) => {
    const { api, report, delivery } = await withAttempt();
    const before = api.state();
    const { status, body } = await report(result);
    expect(status).toBe(400);
    expect(body.error.details.map((detail) => detail.field)).toContain(field);
    expect(api.state()).toEqual(before);
    expect(await delivery()).toMatchObject({ status: 'PENDING', in_flight: true });
  });

  test('responds while a fault delays the attempt', async () => {
    const { api, report } = await withAttempt({ on: 'delivery', action: 'duplicate' });
    const { status, body } = await report({ response_status: 200 });
    expect([status, body.delivery]).toMatchObject([200, { in_flight: true, status: 'PENDING' }]);
    expect(api.sandbox.epoch.openAttempts).toBe(1);
  });

  test('returns 409 for a decided or unknown attempt', async () => {
    const { report } = await withAttempt();
    expect((await report({ attempt_id: 'other.1', response_status: 200 })).status).toBe(409);
    expect((await report({ response_status: 200 })).status).toBe(200);
    const late = await report({ response_status: 500, error: 'HTTP_STATUS' });
    expect([late.status, late.body.error.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  test('POST listeners/{id}/results is accepted only from the listener with the attempt', async () => {
    const { api, report, delivery } = await withAttempt();
    const other = new MessageReader(
      await api.open('POST', '/_sandbox/listeners', { caller: null, body: { name: 'other' } }),
    );
    onTestFinished(() => other.cancel());
    const { id } = (await other.nextOf('ready')).listener as AnswerBody;
    expect((await report({ response_status: 200 }, id)).status).toBe(409);
    expect((await report({ response_status: 200 }, 'none')).status).toBe(404);
    expect(await delivery()).toMatchObject({ in_flight: true });
  });
});
