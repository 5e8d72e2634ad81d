import { describe, expect, test } from 'vitest';
import {
  eventDrawQr,
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentEvent,
  presentTransaction,
  presentWithdrawal,
  qrCode,
} from '../../../src/core/resources/serialize.js';
import { idFor } from '../../../src/core/ids.js';
import { TestWorld } from '../../helpers/core/world.js';

const drawQr = (text: string) => `drawn:${text.length}`;

function settledCharge() {
  const test = new TestWorld();
  const endpoint = test.endpoint({ description: 'Shop' });
  const charge = test.charge({ code: 'order-1', amountCents: 10_000, metadata: { order: '1' } });
  test.do({ type: 'charge.settle', chargeId: charge.id });
  const [delivery] = test.world.deliveries.rows;
  if (delivery === undefined) throw new Error('Expected a delivery');
  return { test, endpoint, charge, delivery };
}

describe('the resources of §2', () => {
  test('a charge has these fields and no others', () => {
    const { charge, test } = settledCharge();
    expect(presentCharge(charge, drawQr)).toEqual({
      id: charge.id,
      code: 'order-1',
      status: 'SETTLED',
      environment: 'TEST',
      account_id: test.app.accountId,
      amount: '100.00',
      asset_code: 'BRL',
      qr_code: qrCode(charge),
      qr_code_base64: drawQr(qrCode(charge)),
      expires_at: '2026-01-02T12:00:00.000Z',
      fees: { provider_fee: '0.80', partner_fee: '0.00', net_amount: '99.20' },
      payer_name: 'Maria da Silva',
      payer_document: '52998224725',
      metadata: { order: '1' },
      created_at: '2026-01-01T12:00:00.000Z',
    });
    expect(presentCharge(charge, null).qr_code_base64).toBeNull();
    expect(qrCode(charge)).toContain(`pix.sandbox.localhost/qr/v2/${charge.id}`);
  });

  test('a withdrawal has these fields and no others', () => {
    const test = new TestWorld();
    const withdrawal = test.withdrawal({ code: 'payout-1', amountCents: 10_000 });
    expect(presentWithdrawal(withdrawal)).toEqual({
      id: withdrawal.id,
      code: 'payout-1',
      account_id: test.app.accountId,
      amount: '100.00',
      net_amount: '99.00',
      fee: '1.00',
      status: 'PENDING',
      environment: 'TEST',
      destination: {
        rail: 'PIX',
        pix_key: '52998224725',
        pix_key_type: 'CPF',
        beneficiary_document: '52998224725',
        beneficiary_name: 'Maria da Silva',
      },
      metadata: {},
      created_at: '2026-01-01T12:00:00.000Z',
    });
  });

  test('an endpoint has these fields, and never its secret', () => {
    const { endpoint } = settledCharge();
    expect(presentEndpoint(endpoint)).toEqual({
      id: endpoint.id,
      url: endpoint.url,
      description: 'Shop',
      events: endpoint.events,
      status: 'ACTIVE',
      created_at: '2026-01-01T12:00:00.000Z',
      updated_at: '2026-01-01T12:00:00.000Z',
    });
  });

  test('a delivery has these fields, null where there is nothing yet', () => {
    const { delivery, charge, test } = settledCharge();
    const fields = {
      id: delivery.id,
      event_id: delivery.event.id,
      event_type: 'pix.settled',
      resource: { type: 'pix', id: charge.id },
      status: 'PENDING',
      attempts: 0,
      last_attempt_at: null,
      last_response_status: null,
      last_error: null,
      next_attempt_at: null,
      delivered_at: null,
      created_at: '2026-01-01T12:00:00.000Z',
    };
    expect(presentDelivery(delivery)).toEqual(fields);
    test.answer(delivery, 503);
    expect(presentDelivery(delivery)).toEqual({
      ...fields,
      attempts: 1,
      last_attempt_at: '2026-01-01T12:00:00.000Z',
      last_response_status: 503,
      last_error: 'HTTP_STATUS',
      next_attempt_at: '2026-01-01T12:01:00.000Z',
    });
  });

  test('a transaction has these fields', () => {
    const { test } = settledCharge();
    const line = test.world.accounts.get(test.app.accountId)?.transactions[1];
    if (line === undefined) throw new Error('Expected a line');
    expect(presentTransaction(test.world, line)).toEqual({
      id: idFor(test.world, 'transaction', 1),
      code: 'order-1',
      amount: '100.00',
      status: 'POSTED',
      direction: 'CREDIT',
      created_at: '2026-01-01T12:00:00.000Z',
    });
  });
});

describe('the envelope of §6', () => {
  test('carries the whole resource right after the transition', () => {
    const { delivery, charge } = settledCharge();
    expect(presentEvent(delivery.event, drawQr)).toEqual({
      id: delivery.event.id,
      type: 'pix.settled',
      schema_version: 1,
      timestamp: '2026-01-01T12:00:00.000Z',
      environment: 'TEST',
      data: { object: presentCharge(charge, drawQr) },
    });
  });

  test('carries a withdrawal in the same way', () => {
    const test = new TestWorld();
    const { events, withdrawal } = test.do({ type: 'trigger', event: 'withdrawal.failed' });
    const [event] = events;
    if (event === undefined || withdrawal === undefined) throw new Error('Expected an event');
    expect(presentEvent(event, null)).toMatchObject({ data: { object: presentWithdrawal(withdrawal) } });
  });

  test('leaves the image out by assumption', () => {
    expect(eventDrawQr(new TestWorld().world, drawQr)).toBe(drawQr);
    expect(eventDrawQr(new TestWorld({ assume: { 'event.qr_image': 'omit' } }).world, drawQr)).toBeNull();
  });
});
