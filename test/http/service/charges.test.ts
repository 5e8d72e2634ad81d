import { describe, expect } from 'vitest';
import { chargeBody, otherApp, testApi, test } from '../../helpers/http/api-client.js';

const BAD = { status: 400, code: 'INVALID_REQUEST' };

describe('creating a charge (§4.1)', () => {
  test('returns 201 with the whole resource of §2.1', async ({ api }) => {
    const body = chargeBody({
      payer_name: 'Ana',
      payer_document: '529.982.247-25',
      metadata: { order: '7' },
    });
    const answer = await api.call('POST', '/pix', { body });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(answer.body).toMatchObject({
      code: 'order-1',
      status: 'PENDING',
      amount: '10.00',
      fees: { provider_fee: '0.50', partner_fee: '0.00', net_amount: '9.50' },
      payer_document: '52998224725',
      metadata: { order: '7' },
    });
  });

  test('returns the QR code as bare base64 of a PNG by default', async () => {
    const api = await testApi({ assume: { 'charge.qr_image': 'full' } });
    const { body } = await api.call('POST', '/pix', { body: chargeBody() });
    expect(Buffer.from(String(body.qr_code_base64), 'base64').subarray(1, 4).toString()).toBe('PNG');
  });

  test('ignores an unknown field with a warning in the request log, even for a used code', async ({
    api,
  }) => {
    await api.call('POST', '/pix', { body: chargeBody({ payer_documnet: 'x' }) });
    await api.call('POST', '/pix', { body: chargeBody({ amount: '11', color: 'red' }) });
    const [second, first] = (await api.control('GET', 'calls')).body.data;
    expect(first).toMatchObject({
      status: 201,
      warnings: ['The field payer_documnet is unknown and was ignored.'],
    });
    expect(second).toMatchObject({ status: 409, error: 'CODE_REUSED', warnings: [expect.any(String)] });
  });

  test('rejects an unknown field by assumption', async () => {
    const api = await testApi({ assume: { 'charge.unknown_fields': 'refuse' } });
    const error = await api.refused('POST', '/pix', { body: chargeBody({ color: 'red' }) });
    expect(error).toMatchObject(BAD);
    expect(error.details).toEqual([{ field: 'color', message: 'Unknown field.' }]);
  });
});

describe('an account of another application', () => {
  const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };

  test('an account of another application is not found, whether it exists or not', async ({ api }) => {
    const { accountId } = await otherApp(api);
    for (const account of [accountId, '00000000-0000-4000-8000-00000000dead']) {
      expect(await api.refused('POST', '/pix', { body: chargeBody({ account_id: account }) })).toMatchObject(
        NOT_FOUND,
      );
    }
  });
});

describe('the code as the idempotency key', () => {
  test('returns the current charge, even after it has expired', async ({ api }) => {
    const { body } = await api.call('POST', '/pix', { body: chargeBody() });
    await api.control('POST', 'clock/advance', { by: '24h' });
    const again = await api.call('POST', '/pix', { body: chargeBody() });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...body, status: 'EXPIRED' });
  });

  test('creates one charge for identical concurrent requests', async ({ api }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.call('POST', '/pix', { body: chargeBody() })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      ...Array<number>(19).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });
});
