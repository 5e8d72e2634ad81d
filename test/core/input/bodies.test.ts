import { describe, expect, it } from 'vitest';
import { assume } from '../../../src/contract/assumptions.js';
import { Fields } from '../../../src/core/input/fields.js';
import {
  parseBody,
  readCharge,
  readChargeFields,
  readEndpoint,
  readWithdrawalFields,
} from '../../../src/core/input/bodies.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { EVENT_TYPES } from '../../../src/contract/events.js';

const ACCOUNT = '00000000-0000-4000-8000-000000000001';
const CHARGE = { code: 'order-1', account_id: ACCOUNT, amount: '10.00' };
const ENDPOINT = { url: 'https://shop.example/hooks', events: ['pix.settled'] };

/** The fields that an answer names as wrong. */
function wrongFields(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof Refusal) return error.details.map(({ field }) => field);
    throw error;
  }
  return [];
}

describe('the body of a charge', () => {
  it('takes the three required fields', () => {
    expect(parseBody(readCharge, CHARGE, assume())).toEqual({
      input: {
        code: 'order-1',
        accountId: ACCOUNT,
        amountCents: 1_000,
        payerName: null,
        payerDocument: null,
        metadata: {},
      },
      unknownFields: [],
    });
  });

  it('takes the optional ones', () => {
    const more = { payer_name: 'Ana', payer_document: '529.982.247-25', metadata: { order: '1' } };
    expect(parseBody(readCharge, { ...CHARGE, ...more }, assume()).input).toMatchObject({
      payerName: 'Ana',
      payerDocument: '52998224725',
      metadata: { order: '1' },
    });
  });

  it.each([
    ['code', undefined],
    ['code', 'a b'],
    ['account_id', undefined],
    ['account_id', 'x'],
    ['amount', undefined],
    ['amount', 10],
    ['amount', '0'],
    ['payer_name', 'x'.repeat(141)],
    ['payer_name', 7],
    ['payer_document', '123'],
    ['metadata', { k: 1 }],
  ])('refuses a wrong %s: %j', (field, value) => {
    expect(wrongFields(() => parseBody(readCharge, { ...CHARGE, [field]: value }, assume()))).toEqual([
      field,
    ]);
  });

  it('reports unknown fields, or refuses them by assumption', () => {
    const body = { ...CHARGE, ammount: '1', status: 'SETTLED' };
    expect(parseBody(readCharge, body, assume()).unknownFields).toEqual(['ammount', 'status']);
    const refuse = assume({ 'charge.unknown_fields': 'refuse' });
    expect(wrongFields(() => parseBody(readCharge, body, refuse))).toEqual(['ammount', 'status']);
  });
});

describe('the fields of a trigger', () => {
  it('are all optional, and absent ones stay absent', () => {
    expect(readChargeFields(new Fields({}))).toEqual({});
    expect(readWithdrawalFields(new Fields({}))).toEqual({});
    expect(readChargeFields(new Fields({ amount: '1.00' }))).toEqual({ amountCents: 100 });
  });

  it('leave their problems with the reader', () => {
    const fields = new Fields({ amount: 1, code: '' });
    expect(readChargeFields(fields)).toEqual({});
    expect(wrongFields(() => fields.done())).toEqual(['code', 'amount']);
  });

  it.each([
    ['52998224725', 'CPF'],
    ['ana@shop.example', 'EMAIL'],
    ['+5511987654321', 'PHONE'],
    ['00000000-0000-4000-8000-000000000001', 'EVP'],
  ])('derive from the key %s that it is a %s', (key, type) => {
    expect(readWithdrawalFields(new Fields({ pix_key: key }))).toEqual({ pixKey: key, pixKeyType: type });
  });

  it.each(['529.982.247-25', '11987654321', 'x', 5])('refuse the key %j', (key) => {
    const fields = new Fields({ pix_key: key });
    readWithdrawalFields(fields);
    expect(wrongFields(() => fields.done())).toEqual(['pix_key']);
  });
});

describe('the body of an endpoint', () => {
  it('takes a URL, events and a description', () => {
    const body = { ...ENDPOINT, events: [...EVENT_TYPES].reverse(), description: 'Shop' };
    expect(parseBody(readEndpoint, body, assume()).input).toEqual({
      url: ENDPOINT.url,
      events: EVENT_TYPES,
      description: 'Shop',
    });
    expect(parseBody(readEndpoint, ENDPOINT, assume()).input.description).toBeNull();
  });

  it.each([
    ['url', undefined],
    ['url', 5],
    ['url', `https://shop.example/${'x'.repeat(2_048)}`],
    ['events', undefined],
    ['events', []],
    ['events', 'pix.settled'],
    ['events', ['pix.paid']],
    ['description', 'x'.repeat(501)],
  ])('refuses a wrong %s: %j', (field, value) => {
    expect(wrongFields(() => parseBody(readEndpoint, { ...ENDPOINT, [field]: value }, assume()))).toEqual([
      field,
    ]);
  });
});
