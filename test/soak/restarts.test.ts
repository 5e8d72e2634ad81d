import { expect, test } from 'vitest';
import { soak } from '../helpers/soak.js';

const seconds = Number(process.env.SOAK_SECONDS ?? 180);
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1_000_000));
const SETTLING_MS = 120_000;

test(
  `restarts of listener and receiver for ${seconds} s lose nothing (SOAK_SEED=${seed})`,
  { timeout: seconds * 1_000 + SETTLING_MS },
  async () => {
    process.stdout.write(`Soaking for ${seconds} s with SOAK_SEED=${seed}.\n`);
    const result = await soak({ seconds, seed });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ lost: [], exhausted: 0, deliveries: result.needed });
    expect(result.failedAttempts).toBeGreaterThan(0);
    expect(Math.min(result.receiverRestarts, result.listenerRestarts)).toBeGreaterThan(seconds / 10);
  },
);
