import { expect, test } from 'vitest';
import { ASSUMPTIONS } from '../../src/contract/assumptions.js';
import { FIXED_ASSUMPTIONS } from '../../src/contract/fixed-assumptions.js';
import { PARITY_FACTS } from '../../src/parity/facts.js';
import { probeSecond } from './probe-helper.js';

type Prepare = NonNullable<NonNullable<Parameters<typeof probeSecond>[3]>['prepare']>;

test('every assumption is a fact with a question, or a reason why nothing can be asked', () => {
  expect(Object.keys(PARITY_FACTS).toSorted()).toEqual(
    [...Object.keys(ASSUMPTIONS), ...Object.keys(FIXED_ASSUMPTIONS)].toSorted(),
  );
  for (const { part, asks, unknown } of Object.values(PARITY_FACTS)) {
    expect(part === null).toBe(asks === 'nothing');
    expect(unknown).toMatch(/^[A-Z].*\.$/);
  }
});

test('recovers the settings of another sandbox, and finds no difference without a setting', async () => {
  const theirs = {
    'signature.encoding': 'base64',
    'signature.path': 'target',
    'signature.tolerance': '2m17s',
    'charge.unknown_fields': 'refuse',
    'endpoint.signature': 'required',
    'charge.lifetime': '15m',
    'charge.qr_image': 'omit',
    'fee.provider_rate': '1.5',
    'fee.partner_rate': '0.25',
    'session.lifetime': '45m',
  };
  const { values, differences } = await probeSecond(theirs, {}, ['charges', 'sessions']);
  expect(values).toMatchObject(theirs);
  expect(differences).toEqual([]);
});

test.each([0, 1, 2, 51])('finds no difference in another sandbox with %i withdrawals', async (count) => {
  const prepare: Prepare = async (control) => {
    for (let index = 0; index < count; index += 1) await control.post('withdrawals', { body: {} });
  };
  const { differences } = await probeSecond({}, {}, [], { prepare, other: { isTest: true } });
  expect(differences).toEqual([]);
});
