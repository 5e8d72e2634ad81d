import { startHelper } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'events to a receiver that refuses every fifth attempt, through the whole schedule';

const COUNT = 10_000;
const REFUSES_EVERY = 5;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const sources = await bundle(bench, ['sandbox/sandbox']);
  const receiver = startHelper(bench, 'receiver.js', { args: [String(REFUSES_EVERY)] });
  const adversary = startHelper(bench, 'adversary.js', { args: [sources], execArgv: ['--expose-gc'] });
  try {
    const port = await receiver.ask('port');
    const runs = [];
    for (let round = 0; round <= (bench.quick ? 2 : 5); round += 1) {
      const run = await adversary.ask({ port, count: COUNT });
      checkSums(run, await receiver.ask('seen'));
      runs.push(run);
    }
    const [, first, ...later] = runs;
    const { DELIVERED, FAILED, attempts, seconds, peakRssMb } = runs.at(-1);
    bench.note(
      `${COUNT} events ended as ${DELIVERED} DELIVERED and ${FAILED} FAILED after ${attempts} attempts; resident ${peakRssMb.toFixed(0)} MB at most`,
    );
    return [
      valueRow({
        name: 'attempts under adversity',
        value: attempts / seconds,
        show: (rate) => `${rate.toFixed(0)}/s`,
      }),
      // Each round is a new sandbox in the same process, so memory is flat when a later one leaves no more than the first.
      ratioRow({
        name: `memory after ${COUNT} events, later rounds against the first`,
        pairs: later.map(({ usedMb }) => ({ ours: usedMb, yardstick: first.usedMb })),
        show: (mb) => `${mb.toFixed(1)} MB`,
        most: 1.1,
      }),
    ];
  } finally {
    await Promise.all([receiver.stop(), adversary.stop()]);
  }
}

/** What the sandbox says it did and what the receiver saw must agree. */
function checkSums({ DELIVERED, FAILED, PENDING, attempts, refused }, seen) {
  const agrees =
    DELIVERED + FAILED === COUNT &&
    PENDING === 0 &&
    seen.requests === attempts &&
    seen.refused === refused &&
    attempts - refused === DELIVERED;
  if (agrees) return;
  throw new Error(
    `Expected ${COUNT} events to end and the sums to agree; ${JSON.stringify({ DELIVERED, FAILED, PENDING, attempts, refused })} and the receiver saw ${JSON.stringify(seen)}.`,
  );
}
