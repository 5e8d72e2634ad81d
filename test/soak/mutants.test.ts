import { expect, test } from 'vitest';
import { testApi } from '../helpers/http/api-client.js';
import { NOWHERE, tryMutants } from '../helpers/core/mutant-trial.js';

const count = Number(process.env.MUTANTS ?? 5_000);
const seed = Number(process.env.MUTANT_SEED ?? Math.floor(Math.random() * 1_000_000));

test(`rejects ${count} mutants of a state, or leaves a working sandbox (MUTANT_SEED=${seed})`, async () => {
  const api = await testApi({ policy: NOWHERE });
  const { refused, taken, problems } = await tryMutants(api, seed, count);
  process.stdout.write(`${JSON.stringify({ seed, refused, taken })}\n`);
  expect(problems).toEqual([]);
});
