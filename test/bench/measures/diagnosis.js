import { startHelper } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { ratioRow } from '../harness/table.js';

export const title = 'diagnoses of wrong signatures against the bare signatures that they may make';

/** Mistakes one by one are what every wrong call costs; two at a time are tried only when somebody asks. */
const CASES = [
  { effort: 'singles', mistakes: 'one', times: 200 },
  { effort: 'singles', mistakes: 'none', times: 20 },
  { effort: 'pairs', mistakes: 'two', times: 5 },
  { effort: 'pairs', mistakes: 'none', times: 2 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const helper = startHelper(bench, 'diagnostician.js', { args: [await bundle(bench, ['signing/index'])] });
  const rows = [];
  try {
    for (const subject of ['request', 'webhook']) {
      for (const wanted of CASES) rows.push(await compare(helper, { subject, ...wanted }, bench));
    }
    return rows;
  } finally {
    await helper.stop();
  }
}

async function compare(helper, wanted, { quick }) {
  const pairs = [];
  for (let round = 0; round <= (quick ? 2 : 5); round += 1) {
    const { tookMs, macsMs } = await helper.ask(wanted);
    pairs.push({ ours: tookMs, yardstick: macsMs });
  }
  const { subject, effort, mistakes } = wanted;
  const found = { one: 'one mistake', two: 'two mistakes', none: 'nothing found' }[mistakes];
  return ratioRow({
    name: `${subject}, ${effort}, ${found}`,
    pairs: pairs.slice(1),
    show: (ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`,
  });
}
