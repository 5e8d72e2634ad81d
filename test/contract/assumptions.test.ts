import { describe, expect, test } from 'vitest';
import {
  resolveAssumptions,
  ASSUMPTION_IDS,
  type AssumptionId,
  ASSUMPTIONS,
  describeAssumption,
  isAssumptionId,
  isChoice,
} from '../../src/contract/assumptions.js';
import { FIXED_ASSUMPTIONS } from '../../src/contract/fixed-assumptions.js';
import { Refusal } from '../../src/contract/refusals.js';
import { thrownBy } from '../helpers/thrown-by.js';

test.each<[AssumptionId, unknown, boolean]>([
  ['charge.lifetime', 0, true],
  ['charge.lifetime', 60_000, true],
  ['charge.lifetime', -60_000, false],
  ['charge.lifetime', 0.5, false],
  ['charge.lifetime', Number.NaN, false],
  ['charge.lifetime', '24h', false],
  ['fee.provider_min', 50, true],
  ['fee.provider_min', -50, false],
  ['fee.provider_min', 2 ** 53, false],
  ['fee.provider_rate', '0.8', true],
  ['fee.provider_rate', '101', false],
  ['fee.provider_rate', 0.8, false],
  ['signature.encoding', 'hex', true],
  ['signature.encoding', 'base32', false],
  ['signature.encoding', undefined, false],
])('accepts for %s the value %j: %s', (id, value, is) => {
  expect(isChoice(id, value)).toBe(is);
});

describe('the register of assumptions', () => {
  test.each(ASSUMPTION_IDS)('explains %s, its reason, and its choices', (id) => {
    const line = describeAssumption(id, resolveAssumptions());
    expect(line.section).toMatch(/^§\d(\.\d+)?$/);
    expect(line.question).toMatch(/\?$/);
    expect(line.reason).toMatch(/\.$/);
    expect(line.choices).not.toBe('');
  });

  test.each(Object.entries(FIXED_ASSUMPTIONS))('explains %s, which has no choice', (_, line) => {
    expect(line.section).toMatch(/^§\d/);
    expect(line.question).toMatch(/\?$/);
    expect(line.value).not.toBe('');
    expect(line.reason).toMatch(/\.$/);
  });

  test.each(ASSUMPTION_IDS)('reads back the default of %s as it is shown', (id) => {
    const shown = describeAssumption(id, resolveAssumptions()).value;
    expect(resolveAssumptions({ [id]: shown })).toEqual(resolveAssumptions());
  });

  test('the register of assumptions has the defaults that the contract leaves open', () => {
    expect(resolveAssumptions()).toMatchObject({
      'charge.lifetime': 86_400_000,
      'charge.late_window': 86_400_000,
      'fee.provider_rate': '0.8',
      'fee.provider_min': 50,
      'fee.provider_max': 500,
      'signature.encoding': 'hex',
      'webhook.timestamp': 'real',
    });
  });
});

describe('assume', () => {
  test.each<[AssumptionId, string, unknown]>([
    ['charge.lifetime', '1h30m', 5_400_000],
    ['charge.late_window', '0s', 0],
    ['fee.provider_rate', '1.99', '1.99'],
    ['fee.provider_min', '0.00', 0],
    ['fee.provider_max', '12.34', 1_234],
    ['signature.encoding', 'base64', 'base64'],
    ['transactions.scope', 'pix:read', 'pix:read'],
    ['session.lapsed_result', '200', '200'],
  ])('sets %s=%s and leaves the rest unchanged', (id, text, value) => {
    expect(resolveAssumptions({ [id]: text })).toEqual({ ...resolveAssumptions(), [id]: value });
    expect(describeAssumption(id, resolveAssumptions({ [id]: text })).value).toBe(text);
  });

  test.each<[AssumptionId, string]>([
    ['charge.lifetime', '24'],
    ['charge.lifetime', 'soon'],
    ['charge.late_window', '-1h'],
    ['fee.provider_rate', '101'],
    ['fee.provider_rate', '0,8'],
    ['fee.provider_min', '0.5'],
    ['fee.provider_min', '-1.00'],
    ['signature.encoding', 'HEX'],
    ['webhook.timestamp', ''],
  ])('rejects %s=%s and states what it accepts', (id, text) => {
    expect(() => resolveAssumptions({ [id]: text })).toThrow(
      new Refusal('INVALID_REQUEST', `Assumption ${id} must be ${ASSUMPTIONS[id].choices}; got ${text}.`),
    );
  });

  test.each(['nope', 'charge', '__proto__', 'toString', ''])(
    'rejects the unknown id %j, naming the known ones',
    (id) => {
      expect(isAssumptionId(id)).toBe(false);
      const refusal = thrownBy(() => resolveAssumptions(Object.fromEntries([[id, 'x']])), Refusal);
      expect(refusal.code).toBe('INVALID_REQUEST');
      expect(refusal.hint).toContain('charge.lifetime');
    },
  );
});
