import { expect, test } from 'vitest';
import { PAYMENT_FIELDS } from '../../../src/contract/fields.js';
import { CHARGE, ENDPOINT, WITHDRAWAL } from '../../../src/core/resources/resources.js';
import { createJsonRedactor } from '../../../src/core/resources/visible-fields.js';
import { SESSION_LINE } from '../../../src/http/control/schema.js';

const redact = createJsonRedactor([CHARGE, ENDPOINT, WITHDRAWAL, SESSION_LINE]);
const ID = 'A83DD6C3-6641-4d68-b0e7-f0c631fb2a44';

function redacted(value: unknown, showsInvalid = true, texts: readonly string[] = ['code']) {
  const found: string[] = [];
  const onRedacted = (one: string) => found.push(one);
  const shown = redact(value, { texts: new Set(texts), showsInvalid, show: (text) => text, onRedacted });
  return { shown, found };
}

test.each([
  ['valid values of closed fields', { id: ID, amount: '1.00', events: ['pix.settled'] }, {}],
  ['invalid values of closed fields', { amount: '1,0', status: 7, fees: { net_amount: '-1' } }, {}],
  ['a free text only if it is named', { code: 'a', description: 'b' }, { description: '…' }],
  ['unknown fields', { note: 'x', age: 42, ok: true, none: null }, { note: '…', age: '… (number)' }],
  [
    'objects in unknown fields',
    { to: { id: ID, code: 'x', amount: '1,0' } },
    { to: { id: ID, code: '…', amount: '…' } },
  ],
  ['keys that can be values', { 'maria@example.com': null }, { 'maria@example.com': undefined, '…': null }],
  [
    'metadata',
    { metadata: { a: 'x', b: true, c: { id: ID } } },
    { metadata: { a: '…', b: '…', c: { id: '…' } } },
  ],
  [
    'sessions',
    { status: 'approved', name: 'x', document: 'y', euid: 'z' },
    { name: '…', document: '…', euid: '…' },
  ],
])('redacts %s', (_, value, expected) => {
  expect(redacted(value).shown).toEqual({ ...value, ...expected });
});

test('shows a receiver’s values only if they are valid', () => {
  const { shown, found } = redacted({ id: ID, status: 'SETTLED', amount: 'x1', code: 'y1' }, false, []);
  expect(shown).toEqual({ id: ID, status: 'SETTLED', amount: '…', code: '…' });
  expect(found).toEqual(['x1', 'y1']);
});

test('redacts every field of a payment that is neither closed nor its code', () => {
  const personal = Object.entries(PAYMENT_FIELDS.all).filter(([, field]) => 'isPersonal' in field);
  expect(personal.map(([name]) => name)).toEqual(
    'payer_name payer_document pix_key beneficiary_document beneficiary_name metadata'.split(' '),
  );
  for (const [name, { example }] of personal.filter(([, { kind }]) => kind !== 'metadata'))
    expect(redacted({ [name]: example }, true, [name]).shown).toEqual({ [name]: '…' });
});
