import { expect, test } from 'vitest';
import type { AssumptionId } from '../../src/contract/assumptions.js';
import { isChoice } from '../../src/contract/assumptions.js';

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
])('%s may be %j: %s', (id, value, is) => {
  expect(isChoice(id, value)).toBe(is);
});
