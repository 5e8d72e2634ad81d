import { expect, test } from 'vitest';
import { fuzz } from '../helpers/http/fuzz.js';

const SANDBOXES = 10;
const requests = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const first = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));

test.each(Array.from({ length: SANDBOXES }, (_, index) => first + index))(
  `${requests} malformed requests break no rule (FUZZ_SEED=%i)`,
  async (seed) => {
    const { statuses, operations } = await fuzz({ seed, requests });
    process.stdout.write(`FUZZ_SEED=${seed}: ${JSON.stringify(statuses)}\n`);
    expect(operations.size).toBeGreaterThan(40);
  },
);
