import { post, startHelper, startSandbox } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'deliveries to one loopback receiver against a bare keep-alive client, and their memory';

/** As many as an endpoint has in flight. */
const IN_FLIGHT = 16;
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
      const sandbox = await startSandbox(bench, ['--allow-local-endpoints']);
      await post(sandbox, 'endpoints', { url: `http://127.0.0.1:${port}/webhooks`, events: [event] });
      let bytes = 800;
      const ours = async () => {
        const startedAt = performance.now();
        await post(sandbox, 'trigger', { type: event, count, until: 'ended' });
        const seconds = (performance.now() - startedAt) / 1000;
        bytes = Math.round((await seen(receiver, count)).bytes / count);
        return count / seconds;
      };
      const yardstick = async () => {
        const { seconds } = await client.ask({ port, count, inFlight: IN_FLIGHT, bytes });
        await seen(receiver, count);
        return count / seconds;
      };
      const pairs = await inPairs(bench.quick ? 2 : 5, ours, yardstick);
      rows.push(ratioRow({ name, pairs, show: (rate) => `${rate.toFixed(0)}/s`, least }));
      bench.note(`${name}: ${count} bodies of ${bytes} bytes; ours includes triggering them`);
      await sandbox.stop();
    }
    return [...rows, await memoryRow(bench)];
  } finally {
    await Promise.all([receiver.stop(), client.stop()]);
  }
}

async function seen(receiver, count) {
  const counts = await receiver.ask('seen');
  if (counts.requests !== count) {
    throw new Error(`Expected ${count} requests; received ${JSON.stringify(counts)}.`);
  }
  return counts;
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
