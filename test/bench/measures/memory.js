import { startHelper } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { median } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'memory of an event with its delivery, and of a million of them';

const MODULES = ['core/apply', 'core/world', 'core/ids', 'contract/assumptions', 'contract/scopes'];
const MOST_BYTES = 1_500;
const KEEP = 20_000;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const sources = await bundle(bench, MODULES);
  const ask = async (question) => {
    const helper = startHelper(bench, 'rememberer.js', { args: [sources], execArgv: ['--expose-gc'] });
    try {
      return await helper.ask(question);
    } finally {
      await helper.stop();
    }
  };
  const each = [];
  for (let round = 0; round < 3; round += 1) each.push(await ask({ count: bench.quick ? 25_000 : 100_000 }));
  const deliveries = bench.quick ? 200_000 : 1_000_000;
  const { first, last } = await ask({ count: deliveries, keep: KEEP });
  return [
    valueRow({
      name: 'settled charge with its ledger, event and delivery',
      value: median(each),
      show: (bytes) => `${bytes.toFixed(0)} B`,
      most: MOST_BYTES,
    }),
    ratioRow({
      name: `heap after ${deliveries} deliveries against ${2 * KEEP}, ${KEEP} kept`,
      pairs: [{ ours: last, yardstick: first }],
      show: (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`,
      most: 1.1,
    }),
  ];
}
