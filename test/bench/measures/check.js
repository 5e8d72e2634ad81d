import { startHelper } from '../harness/children.js';
import { median } from '../harness/statistics.js';
import { valueRow } from '../harness/table.js';

export const title = 'checks of a right receiver, as long as a person waits for them';

const AIM_S = { probed: 30, plain: 10 };

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const helper = startHelper(bench, 'checker.js');
  const rounds = bench.quick ? 1 : 3;
  const took = async (isProbed) => {
    const seconds = [];
    for (let round = 0; round < rounds; round += 1) seconds.push((await helper.ask({ isProbed })).seconds);
    return median(seconds);
  };
  const show = (value) => `${value.toFixed(2)} s`;
  try {
    return [
      valueRow({ name: 'check, with probe and order', value: await took(true), show, most: AIM_S.probed }),
      valueRow({ name: 'check, without', value: await took(false), show, most: AIM_S.plain }),
    ];
  } finally {
    await helper.stop();
  }
}
