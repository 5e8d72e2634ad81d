import { describe, expect, test } from 'vitest';
import { startServer } from '../../../src/http/server/start.js';
import { MISTAKES } from '../../helpers/http/fuzz/mistakes.js';
import { fuzz } from '../../helpers/http/fuzz/run.js';
import { exchange, withoutSockets } from '../../helpers/http/in-process-http.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const FIXED_SEED = 1;
const fresh = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));

test(
  `no request breaks a rule, whatever is wrong with it (FUZZ_SEED=${fresh})`,
  { timeout: 120_000 },
  async () => {
    const { statuses, operations, mistakes } = await fuzz({ seed: fresh, requests: REQUESTS });
    if (REQUESTS < 1_000) return;
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '404', '405', '413', '415']),
    );
    expect(operations.size, 'operations that succeeded').toBeGreaterThan(45);
    expect(mistakes.size, 'kinds of mistakes').toBeGreaterThan(MISTAKES.length * 0.9);
  },
);

test('a client that ends its side at once is answered, also where the body is not HTTP', async () => {
  const { result, connect } = await withoutSockets(() => startServer({ port: 0 }));
  try {
    const head = ['QUERY /_sandbox/charges HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    const lines = [...head, 'Transfer-Encoding: chunked', 'Connection: close', '', 'no chunk'];
    const ask = () => exchange(connect(), Buffer.from(lines.join('\r\n')), { end: true });
    expect((await ask())?.status, 'while the doors load').toBe(400);
    expect((await ask())?.status, 'afterwards').toBe(400);
  } finally {
    await result.close(0);
  }
});

// The fuzzer is trusted because it has been seen to fail.
describe('a broken rule is noticed:', () => {
  test('money that no command moved', async () => {
    const spoiled = fuzz({
      seed: FIXED_SEED,
      requests: 3,
      meanwhile: ({ world }) => {
        for (const account of world.accounts.values()) account.balanceCents += 1n;
      },
    });
    await expect(spoiled).rejects.toThrow(
      /transactions add up to[^]+FUZZ_SEED=1 FUZZ_REQUESTS=\d[^]+Alone, it breaks no rule/,
    );
  });
});
