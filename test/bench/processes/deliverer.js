// Delivers events as a running sandbox does: triggered, signed, sent and recorded, with as many in flight as asked.
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { Sandbox } = await import(`${sources}sandbox/sandbox.mjs`);
const { LIMITS } = await import(`${sources}contract/limits.mjs`);

const MB = 1024 * 1024;

function memory() {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / MB, usedBytes: heapUsed + external };
}

function openSandbox(port) {
  const sandbox = new Sandbox({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const [app] = sandbox.world.apps.rows;
  const endpoint = {
    url: `http://127.0.0.1:${port}/webhooks`,
    description: null,
    events: ['withdrawal.settled', 'pix.settled'],
    secret: sandbox.credentials.webhookSecret,
  };
  sandbox.dispatch({ type: 'endpoint.create', appId: app.id, endpoint });
  return sandbox;
}

const METADATA = {
  order: 'A-2041',
  customer: 'c_5f0d2b7e',
  shop: 'https://shop.example/orders/A-2041',
  description: 'Payout of the sales of the week, less the fees of the shop, to the key of its owner',
  batch: '2026-01-05/payouts/17',
};

/** Triggers as many at a time as one `trigger` makes; returns how long the triggering took, in seconds. */
async function deliver(sandbox, count, withImage) {
  let triggering = 0;
  for (let left = count; left > 0; left -= LIMITS.triggerCount) {
    const startedAt = performance.now();
    for (let made = 0; made < Math.min(left, LIMITS.triggerCount); made += 1) {
      const fields = { metadata: { ...METADATA } };
      sandbox.dispatch(
        withImage
          ? { type: 'trigger', event: 'pix.settled', chargeFields: fields }
          : { type: 'trigger', event: 'withdrawal.settled', withdrawalFields: fields },
      );
    }
    triggering += (performance.now() - startedAt) / 1000;
    await sandbox.attemptsEnded();
  }
  const delivered = sandbox.world.deliveries.rows.filter(({ status }) => status === 'DELIVERED').length;
  if (delivered !== count) throw new Error(`Expected ${count} deliveries to arrive; ${delivered} did.`);
  return triggering;
}

answering(async ({ port, count, inFlight, withImage = false }) => {
  LIMITS.attemptsInFlightPerEndpoint = inFlight;
  const sandbox = openSandbox(port);
  const before = memory();
  let peakRssMb = before.rssMb;
  const sampling = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, process.memoryUsage.rss() / MB);
  }, 20);
  const startedAt = performance.now();
  const triggering = await deliver(sandbox, count, withImage);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  const after = memory();
  sandbox.close();
  return { seconds, triggering, before, after, peakRssMb };
});
