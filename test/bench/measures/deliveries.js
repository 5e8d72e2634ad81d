import { post, startHelper, startSandbox } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title =
  'deliveries to one loopback receiver against the other build or a bare keep-alive client, and their memory';

/** As many as an endpoint has in flight. */
const IN_FLIGHT = 16;
/** Each kind with the least share of the other build's rate. */
const KINDS = [
  { name: 'deliveries, no image', event: 'withdrawal.settled', least: 0.5 },
  { name: 'deliveries, with the image', event: 'pix.settled', least: 0.25 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const count = bench.quick ? 2_000 : 5_000;
  const receiver = startHelper(bench, 'receiver.js');
  const client = startHelper(bench, 'post-client.js');
  const rows = [];
  try {
    const port = await receiver.ask('port');
    for (const { name, event, least } of KINDS) {
      const seen = { bytes: 0 };
      const deliveries = { receiver, port, event, count, seen };
      const ours = await startDelivering(bench, deliveries);
      const other =
        bench.against === undefined
          ? { rate: () => postRate(client, deliveries), stop: async () => {} }
          : await startDelivering(bench, deliveries, bench.against);
      const pairs = await inPairs(bench.quick ? 2 : 5, ours.rate, other.rate);
      const aim = bench.against === undefined ? undefined : least;
      rows.push(ratioRow({ name, pairs, show: (rate) => `${rate.toFixed(0)}/s`, least: aim }));
      bench.note(`${name}: ${count} bodies of ${seen.bytes} bytes; ours includes triggering them`);
      await Promise.all([ours.stop(), other.stop()]);
    }
    return [...rows, await memoryRow(bench)];
  } finally {
    await Promise.all([receiver.stop(), client.stop()]);
  }
}

/** Starts a sandbox of a built checkout; `rate` triggers events and resolves to the deliveries per second. */
async function startDelivering(bench, { receiver, port, event, count, seen }, root) {
  const sandbox = await startSandbox(bench, ['--allow-local-endpoints'], root);
  await post(sandbox, 'endpoints', { url: `http://127.0.0.1:${port}/webhooks`, events: [event] });
  const rate = async () => {
    const startedAt = performance.now();
    await post(sandbox, 'trigger', { type: event, count, until: 'ended' });
    const seconds = (performance.now() - startedAt) / 1000;
    seen.bytes = Math.round((await checkSeen(receiver, count)).bytes / count);
    return count / seconds;
  };
  return { rate, stop: sandbox.stop };
}

async function postRate(client, { receiver, port, count, seen }) {
  const { seconds } = await client.ask({ port, count, inFlight: IN_FLIGHT, bytes: seen.bytes || 800 });
  await checkSeen(receiver, count);
  return count / seconds;
}

async function checkSeen(receiver, count) {
  const counts = await receiver.ask('seen');
  if (counts.requests === count) return counts;
  throw new Error(`Expected ${count} requests; received ${JSON.stringify(counts)}.`);
}

async function memoryRow(bench) {
  const helper = startHelper(bench, 'memory.js', { execArgv: ['--expose-gc'] });
  try {
    return valueRow({
      name: 'memory of a delivery',
      value: await helper.ask({ count: bench.quick ? 5_000 : 20_000 }),
      show: (bytes) => `${bytes.toFixed(0)} B`,
      most: 2_000,
    });
  } finally {
    await helper.stop();
  }
}
