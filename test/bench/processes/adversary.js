// Triggers many events at one instant and lets the clock run through the whole retry schedule, as a sandbox under test does.
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { Sandbox } = await import(`${sources}sandbox/sandbox.mjs`);

const MB = 1024 * 1024;
const START_MS = Date.UTC(2026, 0, 1);
const WHOLE_SCHEDULE_MS = 45 * 3_600_000;

function openSandbox(port) {
  const policy = { routes: new Map(), allowLocalEndpoints: true };
  const sandbox = new Sandbox({ seed: 'bench', freezeAt: START_MS, policy });
  const endpoint = {
    url: `http://127.0.0.1:${port}/webhooks`,
    description: null,
    events: ['withdrawal.settled'],
    secret: sandbox.credentials.webhookSecret,
  };
  sandbox.dispatch({ type: 'endpoint.create', appId: sandbox.world.apps.rows[0].id, endpoint });
  return sandbox;
}

/** What the deliveries have become; throws where the world contradicts itself. */
function sums({ world }) {
  const counted = { DELIVERED: 0, FAILED: 0, PENDING: 0, attempts: 0, refused: 0 };
  for (const { status, attempts, log, inFlight, nextAttemptAt } of world.deliveries.rows) {
    counted[status] += 1;
    counted.attempts += attempts;
    counted.refused += log.filter(({ error }) => error !== null).length;
    const last = log.at(-1);
    const isRight = attempts === log.length && (status === 'DELIVERED') === (last?.error === null);
    if (!isRight || inFlight || nextAttemptAt !== null) {
      throw new Error(`Expected a delivery that has ended; it is ${status} after ${attempts} attempts.`);
    }
  }
  return counted;
}

answering(async ({ port, count }) => {
  const sandbox = openSandbox(port);
  let peakRssMb = 0;
  const sampling = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, process.memoryUsage.rss() / MB);
  }, 20);
  const startedAt = performance.now();
  for (let made = 0; made < count; made += 1)
    sandbox.dispatch({ type: 'trigger', event: 'withdrawal.settled' });
  await sandbox.travel.advanceTo(START_MS + WHOLE_SCHEDULE_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  const counted = sums(sandbox);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  sandbox.close();
  return { ...counted, seconds, usedMb: (heapUsed + external) / MB, peakRssMb };
});
