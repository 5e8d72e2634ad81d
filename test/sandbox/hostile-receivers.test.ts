import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import type { Delivery } from '../../src/core/world.js';
import { Sandbox } from '../../src/sandbox/sandbox.js';
import { HOSTILE_RECEIVERS } from '../helpers/delivery/hostile-receivers.js';
import { testAuthority } from '../helpers/delivery/receivers.js';
import type { Receiver } from '../helpers/delivery/receiver-server.js';
import { startRawReceiver } from '../helpers/delivery/receiver-server.js';
import { START_MS } from '../helpers/core/world.js';
import { newWebhookSecret } from '../../src/sandbox/credentials.js';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const SLOW_LIMIT_MS = 500;
/** For modes that wait for nothing: a busy machine must not turn an answer into a time-out. */
const GENEROUS_LIMIT_MS = 10_000;
/** Far less than any of the receivers would send if it were let. */
const MOST_BYTES = 192 * 1024 * 1024;

let sandbox: Sandbox;
let good: Receiver;
let bytesBefore: number;

beforeAll(async () => {
  const policy = { routes: new Map<string, string>(), allowLocalEndpoints: true };
  sandbox = new Sandbox({ seed: 'hostile', freezeAt: START_MS, policy, ca: testAuthority });
  good = await startRawReceiver((socket) => socket.write(OK));
  subscribe(good.url, GENEROUS_LIMIT_MS);
  bytesBefore = bytesInUse();
});

afterAll(async () => {
  sandbox.close();
  await good.close();
});

function subscribe(url: string, timeoutMs: number): string {
  const appId = sandbox.world.apps.rows[0]?.id ?? '';
  const secret = newWebhookSecret(sandbox.drawBytes);
  const endpoint = { url, description: null, events: ['pix.settled'] as const, secret, timeoutMs };
  return sandbox.dispatch({ type: 'endpoint.create', appId, endpoint }).id;
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Announces an event and waits for the first attempts of its deliveries. */
async function announce(): Promise<readonly Delivery[]> {
  const { rows } = sandbox.world.deliveries;
  const first = rows.length;
  sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  await sandbox.attemptsEnded();
  return rows.slice(first);
}

test('there are enough of them, each with a name of its own', () => {
  expect(new Set(HOSTILE_RECEIVERS.map(({ name }) => name)).size).toBe(HOSTILE_RECEIVERS.length);
  expect(HOSTILE_RECEIVERS.length).toBeGreaterThanOrEqual(69);
});

test.each(HOSTILE_RECEIVERS)('a receiver that $name', async ({ start, endings, slow }) => {
  await using receiver = await start();
  const hostileId = subscribe(receiver.url, slow ? SLOW_LIMIT_MS : GENEROUS_LIMIT_MS);
  onTestFinished(() => {
    sandbox.dispatch({ type: 'endpoint.delete', endpointId: hostileId });
  });
  const deliveries = [...(await announce())];
  // Again, because a connection may have been kept.
  if (!slow) deliveries.push(...(await announce()));
  for (const { id, endpointId, log, inFlight } of deliveries) {
    const [attempt] = log;
    expect(endpointId === hostileId ? endings : [200]).toContain(attempt?.error ?? attempt?.status);
    expect(inFlight).toBe(false);
    const kept = sandbox.records.get(id, 1)?.result.response?.body.length ?? 0;
    expect(kept).toBeLessThanOrEqual(LIMITS.responseBytes);
  }
  expect(bytesInUse() - bytesBefore).toBeLessThan(MOST_BYTES);
});
