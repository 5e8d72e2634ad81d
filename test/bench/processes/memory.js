// Delivers events in process, and measures the memory of each delivery when the capped rings are full.
import { createSandbox } from 'pix-sandbox';
import { answering } from './responding.js';

const WARM_UP = 12_000;

function heapBytes() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

answering(async ({ count }) => {
  const sandbox = await createSandbox({ port: false, keepDeliveries: 1_000_000 });
  try {
    sandbox.forwardTo({ fetch: () => new Response() });
    await sandbox.trigger('pix.settled', { until: 'ended' });
    const [{ id }] = await sandbox.events.list();
    const deliver = async (times) => {
      for (let made = 0; made < times; made += 1) await sandbox.events.resend(id);
    };
    await deliver(WARM_UP);
    const before = heapBytes();
    await deliver(count);
    return (heapBytes() - before) / count;
  } finally {
    await sandbox.close();
  }
});
