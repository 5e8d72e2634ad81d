import { expect, test } from 'vitest';
import type { ControlClient } from '../../src/client/control.js';

test('a wrong path, query or body is a compile error', () => {
  const wrong = async (client: ControlClient) => {
    // @ts-expect-error There is no such path.
    await client.get('charge');
    // @ts-expect-error The path needs an id.
    await client.get('charges/:id');
    // @ts-expect-error The list of charges has no such filter.
    await client.get('charges', { state: 'PENDING' });
    // @ts-expect-error The way to advance is a text.
    await client.post('clock/advance', { body: { by: 5 } });
    // @ts-expect-error An amount is written as text, although it is read as cents.
    await client.post('charges', { body: { amount: 1_000 } });
    // @ts-expect-error A field has its name in JSON.
    await client.post('charges', { body: { payerName: 'Ana' } });
    // @ts-expect-error A trigger needs a type.
    await client.post('trigger', { body: { late: true } });
    await client.post('trigger', { body: { type: 'any text', with: { pix_key: 'x', payer_name: null } } });
    // @ts-expect-error Only a list with pages has all its pages.
    await client.list('faults');
  };
  // The type checker reads it; it is never called.
  expect(wrong).toBeTypeOf('function');
});
