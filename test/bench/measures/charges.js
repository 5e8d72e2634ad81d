import { startHelper } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'page latency and memory of many charges, in the core';

const COUNTS = [10_000, 100_000, 1_000_000];
const MODULES = [
  'contract/assumptions',
  'contract/scopes',
  'core/apply',
  'core/ids',
  'core/input/bodies',
  'core/input/body',
  'core/page',
  'core/world',
];
const EXEC_ARGV = ['--expose-gc', '--max-old-space-size=6144'];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const counts = bench.quick ? COUNTS.slice(0, 2) : COUNTS;
  const store = startHelper(bench, 'charge-store.js', {
    args: [await bundle(bench, MODULES)],
    execArgv: EXEC_ARGV,
  });
  try {
    const { filled, pagesUs } = await store.ask({ counts, rounds: bench.quick ? 5 : 15 });
    const created = filled.map(({ createUs }, index) => `${createUs.toFixed(1)} µs up to ${counts[index]}`);
    bench.note(`parsing and creating a charge takes ${created.join(', ')}`);
    return [...memoryRows(counts, filled), ...pageRows(counts, pagesUs)];
  } finally {
    await store.stop();
  }
}

function memoryRows(counts, filled) {
  return filled.map(({ bytesPerCharge }, index) =>
    valueRow({
      name: `memory per charge at ${counts[index]}`,
      value: bytesPerCharge / 1024,
      show: (kb) => `${kb.toFixed(2)} KB`,
      most: 1.5,
    }),
  );
}

/** The yardstick of a long list is the shortest: a page must not take longer, beyond what is noise. */
function pageRows(counts, pagesUs) {
  return counts.slice(1).map((count, index) =>
    ratioRow({
      name: `page of 50 among ${count} against ${counts[0]}`,
      pairs: pagesUs.map((round) => ({ ours: round[index + 1], yardstick: round[0] })),
      show: (us) => `${us.toFixed(1)} µs`,
      most: 1.5,
    }),
  );
}
