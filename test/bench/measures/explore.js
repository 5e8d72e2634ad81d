import { startHelper } from '../harness/children.js';
import { median } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'runs of a suite under faults against the suite alone';

const AIM_S = 15;
const RUNS = 100;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const helper = startHelper(bench, 'explorer.js');
  const pairs = [];
  try {
    for (let round = 0; round <= (bench.quick ? 1 : 3); round += 1) {
      const { runMs, aloneMs } = await helper.ask({ pairs: 40 });
      pairs.push({ ours: runMs, yardstick: aloneMs });
    }
  } finally {
    await helper.stop();
  }
  const measured = pairs.slice(1);
  const seconds = (median(measured.map(({ ours }) => ours)) * RUNS) / 1_000;
  return [
    ratioRow({
      name: 'explore, one run of the example shop',
      pairs: measured,
      show: (ms) => `${ms.toFixed(1)} ms`,
    }),
    valueRow({
      name: `explore, ${RUNS} runs in process`,
      value: seconds,
      show: (value) => `${value.toFixed(1)} s`,
      most: AIM_S,
    }),
  ];
}
