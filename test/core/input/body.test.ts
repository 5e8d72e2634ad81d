import { describe, expect, test } from 'vitest';
import { body, chargeFields, nested, outcomeOf, readBody } from '../../../src/core/input/bodies.js';
import { AMOUNT, CODE, text, UUID } from '../../../src/core/input/kinds.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { named, nullish } from '../../../src/schema/object.js';
import type { Schema } from '../../../src/schema/schema.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const NOTE = body({ note: nullish(text(5)) });

function refusal(schema: Schema<unknown>, json: unknown): Refusal {
  return thrownBy(() => readBody(schema, json), Refusal);
}

describe('a body', () => {
  test.each([null, undefined, 'text', 5, true, [], [{}]])('is not %j', (json) => {
    expect(refusal(NOTE, json)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^The body must be a JSON object; got /),
      details: [],
    });
  });

  test('is refused once, with every problem named', () => {
    const schema = body({ code: CODE, amount: AMOUNT, accountId: named('account_id', UUID) });
    expect(refusal(schema, { code: 'a b', amount: 10, more: 1 })).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Not valid: code, amount, account_id, more.',
      details: [
        { field: 'code' },
        { field: 'amount' },
        { field: 'account_id', message: 'Is required.' },
        { field: 'more', message: 'Is not a known field.' },
      ],
    });
  });

  test('may have unknown fields, which are listed', () => {
    const json = JSON.parse('{"a":1,"__proto__":3}');
    expect(outcomeOf(NOTE, json, { unknown: 'ignore' }).ignored).toEqual([['a'], ['__proto__']]);
  });

  test('takes null for absent', () => {
    expect(readBody(NOTE, { note: null })).toEqual({});
    expect(refusal(body({ note: text(5) }), { note: null }).details).toEqual([
      { field: 'note', message: 'Is required.' },
    ]);
  });

  test('may hold an object, whose problems have its name', () => {
    const CHARGE = nested(chargeFields('a charge'));
    const schema = body({ with: CHARGE, other: CHARGE, none: CHARGE });
    expect(refusal(schema, { with: { amount: 10, colour: 'red' }, other: [] }).details).toEqual([
      { field: 'with.amount', message: expect.stringContaining('got the number 10') },
      { field: 'with.colour', message: 'Is not a field of a charge.' },
      { field: 'other', message: 'Must be an object with the fields of a charge.' },
    ]);
    expect(readBody(body({ with: CHARGE }), {})).toEqual({ with: {} });
  });
});
