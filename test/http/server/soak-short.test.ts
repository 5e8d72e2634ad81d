import { expect, test } from 'vitest';
import { soak } from '../../helpers/soak.js';

const SECONDS = 4;

test('a few seconds of restarts lose nothing', { timeout: 60_000 }, async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const result = await soak({ seconds: SECONDS, seed });
  expect(result).toMatchObject({ seed, lost: [], exhausted: 0, deliveries: result.needed });
  expect(result.failedAttempts).toBeGreaterThan(0);
  expect(Math.min(result.receiverRestarts, result.listenerRestarts)).toBeGreaterThan(0);
});
