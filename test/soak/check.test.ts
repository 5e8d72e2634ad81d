import { expect, test } from 'vitest';
import { chanceOf } from '../helpers/random.js';
import { checkShop, MISTAKES, surprises } from '../helpers/check/receivers/matrix.js';
import { mapConcurrently } from '../../src/delivery/abort.js';

const repeats = Number(process.env.CHECK_REPEATS ?? 20);
const seed = Number(process.env.CHECK_SEED ?? Math.floor(Math.random() * 1_000_000));
const LANES = 24;
const MOST_DELAY_MS = 300;
const REPEAT_MS = 600_000;

test(
  `returns the same verdicts ${repeats} times for receivers with up to ${MOST_DELAY_MS} ms of delay (CHECK_SEED=${seed})`,
  { timeout: repeats * REPEAT_MS },
  async () => {
    const chance = chanceOf(seed);
    const runs = Array.from({ length: repeats }, (_, repeat) =>
      ['', ...MISTAKES].map((mistake) => ({ repeat, mistake })),
    ).flat();
    const found = await mapConcurrently(LANES, runs, async ({ repeat, mistake }) => {
      // A slow receiver gets fewer others than its cache of ids holds.
      const mostMs = mistake === 'dup.evicted' ? 0 : MOST_DELAY_MS;
      const shop = { delayMs: () => chance() * mostMs };
      const report = await checkShop(mistake === '' ? [] : [mistake], {
        shop,
        check: { budgetMs: REPEAT_MS },
      });
      return surprises(mistake, report).map((surprise) => `${repeat} ${mistake || 'none'}: ${surprise}`);
    });
    process.stdout.write(`${JSON.stringify({ seed, runs: runs.length })}\n`);
    expect(found.flat()).toEqual([]);
  },
);
