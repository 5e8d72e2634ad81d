// Explores the example shop in process. Asked for a number of runs, it says how long they take, and as many of the suite alone.
import { createSandbox } from 'pix-sandbox';
import { explore } from 'pix-sandbox/testing';
import { Shop } from '../../helpers/explore/shop.js';
import { Bank, runSuite } from '../../helpers/explore/suite.js';
import { answering } from './responding.js';

const SEED = '7';
const FREEZE_AT = '2026-01-31T12:00:00Z';
const BASELINE_RUNS = 3;

async function scenario(sandbox, { restart, probe }) {
  const shop = new Shop({ env: sandbox.env, fetch: sandbox.fetch });
  restart(() => shop.restart());
  probe(({ code }) => shop.holds(code));
  sandbox.forwardTo(shop);
  await runSuite(shop, new Bank(sandbox.fetch));
}

/** The time of one run of the suite in a sandbox of its own. */
async function alone(runs) {
  const startedAt = performance.now();
  for (let run = 0; run < runs; run += 1) {
    const sandbox = await createSandbox({ port: false, seed: SEED, freezeAt: FREEZE_AT });
    try {
      await scenario(sandbox, { restart: () => {}, probe: () => {} });
    } finally {
      await sandbox.close();
    }
  }
  return (performance.now() - startedAt) / runs;
}

/** The time of one run, with the drawing of the plan and all else that exploring takes. */
async function exploring(pairs) {
  const startedAt = performance.now();
  const { run, missed, not_run, left } = await explore(scenario, {
    pairs,
    seed: SEED,
    sandbox: { port: false, freezeAt: FREEZE_AT },
  });
  const others = missed.length + not_run.length + left;
  if (others > 0) throw new Error(`Expected all planned runs to be made; ${others} were not.`);
  return { runMs: (performance.now() - startedAt) / (run + BASELINE_RUNS), runs: run + BASELINE_RUNS };
}

answering(async ({ pairs }) => {
  const explored = await exploring(pairs);
  return { ...explored, aloneMs: await alone(explored.runs) };
});
