import { expect, test } from 'vitest';
import { fuzz } from '../../helpers/http/fuzz.js';

const requests = Number(process.env.FUZZ_REQUESTS ?? 500);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));

test(`no malformed request breaks a rule (FUZZ_SEED=${seed})`, { timeout: 120_000 }, async () => {
  const { statuses, operations } = await fuzz({ seed, requests });
  if (requests < 500) return;
  const met = ['200', '201', '400', '401', '403', '404', '405', '413', '415'];
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(met));
  expect(operations.size, 'operations that succeeded').toBeGreaterThan(35);
});
