import { expect, test } from 'vitest';
import { testApi } from '../helpers/http/api-client.js';
import { NOWHERE, tryMutants } from '../helpers/core/mutant-trial.js';
import { richState } from '../helpers/core/rich-state.js';

/** `npm run soak` tries many more. */
const COUNT = 125;
const SEED = Number(process.env.MUTANT_SEED ?? Math.floor(Math.random() * 1_000_000));

test('accepts a rich state unchanged', async () => {
  const api = await testApi({ policy: NOWHERE });
  expect(await api.control('PUT', 'state', richState())).toMatchObject({ status: 200 });
});

test(
  `rejects a mutant of a state with a position, or leaves a working sandbox (MUTANT_SEED=${SEED})`,
  { timeout: 120_000 },
  async () => {
    const api = await testApi({ policy: NOWHERE });
    const { refused, taken, problems } = await tryMutants(api, SEED, COUNT);
    expect(problems).toEqual([]);
    expect([refused > COUNT / 2, taken > 0]).toEqual([true, true]);
  },
);
