import { startHelper } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'deliveries to one loopback receiver against a bare keep-alive client';

const MOST_IN_FLIGHT = 64;
const RATES = [
  { inFlight: 1 },
  { inFlight: 16 },
  { inFlight: MOST_IN_FLIGHT, least: 0.6 },
  { inFlight: MOST_IN_FLIGHT, withImage: true, least: 0.4 },
];
const WARM_UP = 2_000;
const COUNTS = [100, 1_000, 10_000, 100_000];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const sources = await bundle(bench, ['sandbox/sandbox', 'contract/limits']);
  const receiver = startHelper(bench, 'receiver.js');
  try {
    const port = await receiver.ask('port');
    const rates = await compareRates(bench, { sources, receiver, port });
    const memory = await growMemory(bench, { sources, receiver, port });
    return [...rates, memory];
  } finally {
    await receiver.stop();
  }
}

async function compareRates(bench, { sources, receiver, port }) {
  const ours = startHelper(bench, 'deliverer.js', { args: [sources] });
  const yardstick = startHelper(bench, 'post-client.js');
  const count = bench.quick ? 3_000 : 10_000;
  const rows = [];
  try {
    for (const { inFlight, withImage = false, least } of RATES) {
      let bytes = 800;
      let triggerUs = 0;
      const rate = (sender) => async () => {
        const { seconds, triggering } = await sender.ask({ port, count, inFlight, withImage, bytes });
        const seen = await receiver.ask('seen');
        if (seen.requests !== count || seen.connections > inFlight) {
          throw new Error(
            `Expected ${count} requests on at most ${inFlight} connections; came ${JSON.stringify(seen)}.`,
          );
        }
        if (sender === ours) {
          bytes = Math.round(seen.bytes / count);
          triggerUs = (triggering / count) * 1e6;
        }
        return count / seconds;
      };
      const pairs = await inPairs(bench.quick ? 2 : 5, rate(ours), rate(yardstick));
      const name = `deliveries, ${inFlight} in flight${withImage ? ', with the image' : ''}`;
      rows.push(ratioRow({ name, pairs, show: (value) => `${value.toFixed(0)}/s`, least }));
      bench.note(
        `${name}: bodies of ${bytes} bytes; ours includes ${triggerUs.toFixed(0)} µs for triggering each event`,
      );
    }
    return rows;
  } finally {
    await Promise.all([ours.stop(), yardstick.stop()]);
  }
}

/** Each number of deliveries in a process of its own, which is warm before it is looked at. */
async function growMemory(bench, { sources, receiver, port }) {
  const keptKb = [];
  for (const count of bench.quick ? COUNTS.slice(0, -1) : COUNTS) {
    const ours = startHelper(bench, 'deliverer.js', { args: [sources], execArgv: ['--expose-gc'] });
    try {
      await ours.ask({ port, count: WARM_UP, inFlight: MOST_IN_FLIGHT });
      const { seconds, before, after, peakRssMb } = await ours.ask({ port, count, inFlight: MOST_IN_FLIGHT });
      keptKb.push((after.usedBytes - before.usedBytes) / count / 1024);
      const mb = [before.rssMb, peakRssMb, after.rssMb].map((value) => value.toFixed(0));
      bench.note(
        `${count} at ${MOST_IN_FLIGHT} in flight: ${(count / seconds).toFixed(0)}/s, ${keptKb.at(-1).toFixed(2)} KB kept of each; resident ${mb[0]} MB before, ${mb[1]} at most, ${mb[2]} after`,
      );
    } finally {
      await ours.stop();
      await receiver.ask('seen');
    }
  }
  return flatRow(keptKb);
}

/** A delivery and its event stay in the world, so memory is flat when each of many takes no more than each of some. */
function flatRow(keptKb) {
  const [some, many] = keptKb.slice(-2);
  const [fewer, more] = COUNTS.slice(keptKb.length - 2, keptKb.length);
  return ratioRow({
    name: `memory per delivery, ${more} against ${fewer}`,
    pairs: [{ ours: many, yardstick: some }],
    show: (kb) => `${kb.toFixed(2)} KB`,
    most: 1.25,
  });
}
