import { describe, expect } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { otherApp, REFUSED_URL, test } from '../../helpers/http/api-client.js';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const NOT_FAILED = { status: 409, code: 'DELIVERY_NOT_FAILED' };
const BAD = { status: 400, code: 'INVALID_REQUEST' };

/** An endpoint that nobody answers for, with one delivery of pix.settled and one of pix.failed. */
async function withDeliveries(api: TestApi) {
  const created = await api.call('POST', '/webhook-endpoints', {
    body: { url: REFUSED_URL, events: ['pix.settled', 'pix.failed'] },
  });
  const path = `/webhook-endpoints/${created.body.id}/deliveries`;
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  await api.control('POST', 'trigger', { type: 'pix.failed' });
  await api.sandbox.idle();
  return { path, endpointId: created.body.id };
}

/** Runs the retry schedule down: every delivery is then dead letter. */
function exhaust(api: TestApi) {
  return api.control('POST', 'clock/advance', { by: '45h' });
}

describe('listing deliveries (§4.8)', () => {
  test('returns the resource of §2.4, newest first', async ({ api }) => {
    const { path } = await withDeliveries(api);
    const { status, body } = await api.call('GET', path);
    expect(status).toBe(200);
    expect(body.data.map((delivery) => delivery.event_type)).toEqual(['pix.failed', 'pix.settled']);
    expect(body.data[0]).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      last_error: 'CONNECTION_REFUSED',
      next_attempt_at: '2026-01-01T12:01:00.000Z',
    });
  });

  test('accepts filters, and rejects unknown values', async ({ api }) => {
    const { path } = await withDeliveries(api);
    const settled = await api.call('GET', `${path}?event_type=pix.settled&status=PENDING`);
    expect(settled.body.data).toHaveLength(1);
    expect((await api.call('GET', `${path}?status=DELIVERED`)).body.data).toEqual([]);
    for (const query of ['status=failed', 'event_type=pix.paid']) {
      const error = await api.refused('GET', `${path}?${query}`);
      expect(error).toMatchObject(BAD);
      expect(error.details[0]?.field).toBe(query.split('=')[0]);
    }
  });
});

describe('retrying a delivery (§4.9)', () => {
  test('retrying a delivery is rejected while the delivery is not FAILED', async ({ api }) => {
    const { path } = await withDeliveries(api);
    const [pending] = (await api.call('GET', path)).body.data;
    const error = await api.refused('POST', `${path}/${pending?.id}/retry`);
    expect(error).toMatchObject(NOT_FAILED);
    expect(error.hint).toContain('clock next');
  });

  test('requires a signature over its own path', async ({ api }) => {
    const { path } = await withDeliveries(api);
    await exhaust(api);
    const [first, second] = (await api.call('GET', path)).body.data;
    const missing = { status: 401, code: 'SIGNATURE_MISSING' };
    expect(await api.refused('POST', `${path}/${first?.id}/retry`, { sign: false })).toMatchObject(missing);
    const target = `/api/public/v1${path}/${second?.id}/retry`;
    const invalid = { status: 401, code: 'SIGNATURE_INVALID' };
    expect(await api.refused('POST', `${path}/${first?.id}/retry`, { sign: { target } })).toMatchObject(
      invalid,
    );
  });

  test('finds only deliveries of the caller’s own endpoint', async ({ api }) => {
    const { path, endpointId } = await withDeliveries(api);
    await exhaust(api);
    const [dead] = (await api.call('GET', path)).body.data;
    const other = await api.call('POST', '/webhook-endpoints', {
      body: { url: `${REFUSED_URL}/2`, events: ['pix.settled'] },
    });
    const caller = await otherApp(api);
    expect(
      await api.refused('POST', `/webhook-endpoints/${other.body.id}/deliveries/${dead?.id}/retry`),
    ).toMatchObject(NOT_FOUND);
    expect(await api.refused('POST', `${path}/${dead?.id}/retry`, { caller })).toMatchObject(NOT_FOUND);
    expect(await api.refused('POST', `${path}/${endpointId}/retry`)).toMatchObject(NOT_FOUND);
  });

  test('ignores a body with a warning', async ({ api }) => {
    const { path } = await withDeliveries(api);
    await exhaust(api);
    const [dead] = (await api.call('GET', path)).body.data;
    const retried = await api.call('POST', `${path}/${dead?.id}/retry`, { body: 'not even JSON' });
    expect(retried.status).toBe(202);
    const [call] = (await api.control('GET', 'calls')).body.data;
    expect(call?.warnings).toEqual([expect.stringContaining('no body')]);
  });
});
