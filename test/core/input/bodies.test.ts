import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { Refusal } from '../../../src/contract/refusals.js';
import {
  createBodySchema,
  CHARGE_BODY,
  DECISION_BODY,
  ENDPOINT_BODY,
  createNestedObject,
  readBodyOutcome,
  readBodyOrRefuse,
  createPaymentSchemas,
} from '../../../src/core/input/bodies.js';
import { AMOUNT_INPUT, CODE_INPUT, acceptText, UUID_INPUT } from '../../../src/core/input/kinds.js';
import { renameField, nullish } from '../../../src/schema/object.js';
import type { Schema } from '../../../src/schema/schema.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const NOTE = createBodySchema({ note: nullish(acceptText(5)) });

function refusal(schema: Schema<unknown>, json: unknown): Refusal {
  return thrownBy(() => readBodyOrRefuse(schema, json), Refusal);
}

describe('a body', () => {
  test.each([null, undefined, 'text', 5, true, [], [{}]])('rejects %j', (json) => {
    expect(refusal(NOTE, json)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^The body must be a JSON object; got /),
      details: [],
    });
  });

  test('a body is rejected once, with every issue named', () => {
    const schema = createBodySchema({
      code: CODE_INPUT,
      amount: AMOUNT_INPUT,
      accountId: renameField('account_id', UUID_INPUT),
    });
    expect(refusal(schema, { code: 'a b', amount: 10, more: 1 })).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Invalid fields: code, amount, account_id, more.',
      details: [
        { field: 'code' },
        { field: 'amount' },
        { field: 'account_id', message: 'Is required.' },
        { field: 'more', message: 'Unknown field.' },
      ],
    });
  });

  test('a body may contain unknown fields, which are listed', () => {
    const json = JSON.parse('{"a":1,"__proto__":3}');
    expect(readBodyOutcome(NOTE, json, { unknown: 'ignore' }).ignored).toEqual([['a'], ['__proto__']]);
  });

  test('reads null as absent', () => {
    expect(readBodyOrRefuse(NOTE, { note: null })).toEqual({});
    expect(refusal(createBodySchema({ note: acceptText(5) }), { note: null }).details).toEqual([
      { field: 'note', message: 'Is required.' },
    ]);
  });

  test('a body may contain an object, whose issues have its name', () => {
    const CHARGE = createNestedObject(createPaymentSchemas('charge', 'a charge'));
    const schema = createBodySchema({ with: CHARGE, other: CHARGE, none: CHARGE });
    expect(refusal(schema, { with: { amount: 10, color: 'red' }, other: [] }).details).toEqual([
      { field: 'with.amount', message: expect.stringContaining('got the number 10') },
      { field: 'with.color', message: 'Is not a field of a charge.' },
      { field: 'other', message: 'Must be an object with the fields of a charge.' },
    ]);
    expect(readBodyOrRefuse(createBodySchema({ with: CHARGE }), {})).toEqual({ with: {} });
  });
});

const ACCOUNT = '00000000-0000-4000-8000-000000000001';
const ORDER = { code: 'order-1', account_id: ACCOUNT, amount: '10.00' };
const HOOK = { url: 'https://shop.example/hooks', events: ['pix.settled'] };

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
  test('accepts the three required fields', () => {
    expect(readBodyOrRefuse(CHARGE_BODY, ORDER)).toEqual({
      code: 'order-1',
      accountId: ACCOUNT,
      amountCents: 1_000,
      payerName: null,
      payerDocument: null,
      metadata: {},
    });
  });

  test('accepts the optional fields', () => {
    const more = { payer_name: 'Ana', payer_document: '529.982.247-25', metadata: { order: '1' } };
    expect(readBodyOrRefuse(CHARGE_BODY, { ...ORDER, ...more })).toMatchObject({
      payerName: 'Ana',
      payerDocument: '52998224725',
      metadata: { order: '1' },
    });
  });

  test.each([
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
  ])('rejects an invalid %s: %j', (field, value) => {
    expect(wrongFields(() => readBodyOrRefuse(CHARGE_BODY, { ...ORDER, [field]: value }))).toEqual([field]);
  });
});

describe('the fields of a trigger', () => {
  test('the fields of a trigger are all optional, and absent ones stay absent', () => {
    expect(readBodyOrRefuse(createPaymentSchemas('charge'), {})).toEqual({});
    expect(readBodyOrRefuse(createPaymentSchemas('withdrawal'), {})).toEqual({});
    expect(readBodyOrRefuse(createPaymentSchemas('charge'), { amount: '1.00' })).toEqual({
      amountCents: 100,
    });
  });
});

describe('the body of an endpoint', () => {
  test('accepts a URL, events and a description', () => {
    const body = { ...HOOK, events: [...EVENT_TYPES].reverse(), description: 'Shop' };
    expect(readBodyOrRefuse(ENDPOINT_BODY, body)).toEqual({
      url: HOOK.url,
      events: EVENT_TYPES,
      description: 'Shop',
    });
    expect(readBodyOrRefuse(ENDPOINT_BODY, HOOK).description).toBeNull();
  });

  test.each([
    ['url', undefined],
    ['url', 5],
    ['url', `https://shop.example/${'x'.repeat(2_048)}`],
    ['events', undefined],
    ['events', []],
    ['events', 'pix.settled'],
    ['events', ['pix.paid']],
    ['description', 'x'.repeat(501)],
  ])('rejects an invalid %s: %j', (field, value) => {
    expect(wrongFields(() => readBodyOrRefuse(ENDPOINT_BODY, { ...HOOK, [field]: value }))).toEqual([field]);
  });
});

describe('a decision', () => {
  test('a decision is a status or an error', () => {
    expect(readBodyOrRefuse(DECISION_BODY, { status: 'approved', error: null, delay: '2s' })).toEqual({
      status: 'approved',
      delayMs: 2_000,
    });
    expect(readBodyOrRefuse(DECISION_BODY, { status: null, error: 'CAMERA_DENIED' })).toEqual({
      error: 'CAMERA_DENIED',
    });
  });

  test.each([{}, { status: 'approved', error: 'CAMERA_DENIED' }])('rejects %j', (json) => {
    expect(thrownBy(() => readBodyOrRefuse(DECISION_BODY, json), Refusal).details).toEqual([
      { field: 'status', message: expect.stringMatching(/^Specify either a status \(.*\) or an error\.$/) },
    ]);
  });

  test('rejects other fields next to an error', () => {
    const json = { error: 'CAMERA_DENIED', document: '529.982.247-25', delay: '2s', more: 1 };
    expect(wrongFields(() => readBodyOrRefuse(DECISION_BODY, json))).toEqual(['document', 'delay', 'more']);
  });
});

test.for(['camera', 'A'.repeat(65), 'A-B', '1A'])('rejects the session error %j', (error) => {
  const { details } = thrownBy(() => readBodyOrRefuse(DECISION_BODY, { error }), Refusal);
  expect(details).toEqual([
    {
      field: 'error',
      message: 'Must be a code of up to 64 capital letters, digits and underscores, such as CAMERA_DENIED.',
    },
  ]);
});
