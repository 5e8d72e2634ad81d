import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createId } from '../../../src/core/ids.js';
import * as resources from '../../../src/core/resources/resources.js';
import {
  createBrCode,
  computeCrc16,
  selectQrDrawer,
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentEvent,
  presentTransaction,
  presentWithdrawal,
  createQrCode,
} from '../../../src/core/resources/serialize.js';
import * as values from '../../../src/core/resources/values.js';
import { read } from '../../../src/schema/schema.js';
import { TestWorld } from '../../helpers/core/world.js';

const isRead = (schema: Parameters<typeof read>[0], text: string) => read(schema, text).issues.length === 0;

test.each([
  ['2026-01-31T12:00:00.000Z', true],
  ['x2026-01-31T12:00:00.000Z', false],
  ['2026-01-31T12:00:00.000Zx', false],
  ['2026-1-31T12:00:00.000Z', false],
  ['2026-01-31T12:00:00.00Z', false],
  ['2026-01-31T12:00:00x000Z', false],
])('%s: a timestamp of a response is %s', (text, is) => {
  expect(isRead(values.INSTANT, text)).toBe(is);
});

test.each([
  ['0.00', true],
  ['0.01', true],
  ['10.50', true],
  ['1234567890.12', true],
  ['01.00', false],
  ['1', false],
  ['1.0', false],
  ['1.000', false],
  ['x1.00', false],
  ['1.00x', false],
])('%s: an amount of a response is %s', (text, is) => {
  expect(isRead(values.AMOUNT, text)).toBe(is);
});

test.each([
  ['whsec_AAAA', true],
  ['whsec_A+/9z==', true],
  ['whsec_', false],
  ['whsec_AA-A', false],
  ['xwhsec_AAAA', false],
  ['whsec_AAAA=x', false],
])('%s: a signing secret is %s', (text, is) => {
  expect(isRead(resources.ENDPOINT_SECRET, text)).toBe(is);
});

test.each([
  ['000201266304ABCD', true],
  ['00020163040000', true],
  ['0002016304ABCDE', false],
  ['0002016304abcd', false],
  ['x0002016304ABCD', false],
])('%s: a BR Code is %s', (text, is) => {
  expect(isRead(resources.CHARGE.fields.qr_code, text)).toBe(is);
});

/** The CRC bit by bit, as its definition reads: an independent oracle. */
function slowCrc(text: string): string {
  let register = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const carry = (register >> 15) ^ ((byte >> bit) & 1);
      register = ((register << 1) & 0xffff) ^ (carry === 1 ? 0x1021 : 0);
    }
  }
  return register.toString(16).toUpperCase().padStart(4, '0');
}

describe('crc16', () => {
  test('returns the published check value', () => {
    expect(computeCrc16('123456789')).toBe('29B1');
    expect(computeCrc16('')).toBe('FFFF');
  });

  test('agrees with the bit-by-bit definition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
        expect(computeCrc16(text)).toBe(slowCrc(text));
      }),
    );
  });
});

test('a BR Code has every field in its place, with the length of its URL, and no amount', () => {
  for (const url of ['pix.sandbox.localhost/qr/0b3f', 'pix.sandbox.localhost/'.padEnd(77, 'x')]) {
    const text =
      `00020101021226${22 + url.length}0014br.gov.bcb.pix25${url.length}${url}` +
      '5204000053039865802BR5911PIX SANDBOX6009SAO PAULO62070503***6304';
    expect(createBrCode(url)).toBe(text + slowCrc(text));
  }
});

const drawQr = (text: string) => `drawn:${text.length}`;

function settledCharge() {
  const testWorld = new TestWorld();
  const endpoint = testWorld.endpoint({ description: 'Shop' });
  const charge = testWorld.charge({ code: 'order-1', amountCents: 10_000, metadata: { order: '1' } });
  testWorld.do({ type: 'charge.settle', chargeId: charge.id });
  const [delivery] = testWorld.world.deliveries.rows;
  if (delivery === undefined) throw new Error('Expected a delivery');
  return { test: testWorld, endpoint, charge, delivery };
}

describe('the resources of §2', () => {
  test('the resources of §2 define exactly these fields of a charge', () => {
    const { charge, test } = settledCharge();
    expect(presentCharge(charge, drawQr)).toEqual({
      id: charge.id,
      code: 'order-1',
      status: 'SETTLED',
      environment: 'TEST',
      account_id: test.app.accountId,
      amount: '100.00',
      asset_code: 'BRL',
      qr_code: createQrCode(charge),
      qr_code_base64: drawQr(createQrCode(charge)),
      expires_at: '2026-01-02T12:00:00.000Z',
      fees: { provider_fee: '0.80', partner_fee: '0.00', net_amount: '99.20' },
      payer_name: 'Maria da Silva',
      payer_document: '52998224725',
      metadata: { order: '1' },
      created_at: '2026-01-01T12:00:00.000Z',
    });
    expect(presentCharge(charge, null).qr_code_base64).toBeNull();
    expect(createQrCode(charge)).toContain(`pix.sandbox.localhost/qr/v2/${charge.id}`);
  });

  test('the resources of §2 define exactly these fields of a withdrawal', () => {
    const testWorld = new TestWorld();
    const withdrawal = testWorld.withdrawal({ code: 'payout-1', amountCents: 10_000 });
    expect(presentWithdrawal(withdrawal)).toEqual({
      id: withdrawal.id,
      code: 'payout-1',
      account_id: testWorld.app.accountId,
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

  test('the resources of §2 define these fields of an endpoint, and never its secret', () => {
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

  test('the resources of §2 define these fields of a delivery, null without a value', () => {
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

  test('the resources of §2 define these fields of a transaction', () => {
    const { test } = settledCharge();
    const line = test.world.accounts.get(test.app.accountId)?.transactions[1];
    if (line === undefined) throw new Error('Expected a line');
    expect(presentTransaction(test.world, line)).toEqual({
      id: createId(test.world, 'transaction', 1),
      code: 'order-1',
      amount: '100.00',
      status: 'POSTED',
      direction: 'CREDIT',
      created_at: '2026-01-01T12:00:00.000Z',
    });
  });
});

describe('the envelope of §6', () => {
  test('contains the full resource right after the transition', () => {
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

  test('contains a withdrawal in the same way', () => {
    const testWorld = new TestWorld();
    const { events, withdrawal } = testWorld.do({ type: 'trigger', event: 'withdrawal.failed' });
    const [event] = events;
    if (event === undefined || withdrawal === undefined) throw new Error('Expected an event');
    expect(presentEvent(event, null)).toMatchObject({ data: { object: presentWithdrawal(withdrawal) } });
  });

  test('omits the image by assumption', () => {
    expect(selectQrDrawer(new TestWorld().world, drawQr)).toBe(drawQr);
    expect(selectQrDrawer(new TestWorld({ assume: { 'event.qr_image': 'omit' } }).world, drawQr)).toBeNull();
  });
});
