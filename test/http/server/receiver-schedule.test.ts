import { describe, test } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../../src/contract/time.js';
import type { Delivery } from '../../../src/core/world.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { ReceiverExpectation } from '../../helpers/delivery/receivers.js';
import { receiverModes, testAuthority } from '../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { START_MS } from '../../helpers/core/world.js';
import { newWebhookSecret } from '../../../src/sandbox/credentials.js';

/** When the eight attempts start, in seconds from the event (§8). */
const SCHEDULE_S = [0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560];
const ALL_OF_IT_MS = 45 * HOUR_MS;
/** A busy machine must not turn a response into a timeout. */
const LIMIT_MS = 10_000;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const UNAVAILABLE = 'HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n';

/** A sandbox that stands still and has one event, whose only delivery goes to this URL. */
function announceTo(url: string, timeoutMs?: number): { sandbox: Sandbox; delivery: Delivery } {
  const policy = { routes: new Map(), allowLocalEndpoints: true };
  const sandbox = new Sandbox({ seed: url, freezeAt: START_MS, policy, ca: testAuthority });
  const appId = sandbox.world.apps.rows[0]?.id ?? '';
  const secret = newWebhookSecret(sandbox.epoch.drawBytes);
  const endpoint = { url, description: null, events: ['pix.settled'] as const, secret, timeoutMs };
  sandbox.dispatch({ type: 'endpoint.create', appId, endpoint });
  sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  const [delivery] = sandbox.world.deliveries.rows;
  if (delivery === undefined) throw new Error('Expected a delivery.');
  return { sandbox, delivery };
}

/** What the delivery must have become: of attempts that all end in the same way, the first success is the last. */
function expectedOf({ error, status }: ReceiverExpectation) {
  const starts = error === null ? SCHEDULE_S.slice(0, 1) : SCHEDULE_S;
  return {
    status: error === null ? 'DELIVERED' : 'FAILED',
    attempts: starts.length,
    lastStatus: status,
    lastError: error,
    lastAttemptAt: START_MS + (starts.at(-1) ?? 0) * SECOND_MS,
    nextAttemptAt: null,
    deliveredAt: error === null ? START_MS : null,
    log: starts.map((second, index) => ({
      number: index + 1,
      startedAt: START_MS + second * SECOND_MS,
      status,
      error,
    })),
  };
}

/** One receiver of each outcome; a single attempt at every other kind is in test/delivery. */
const SAMPLE = [
  'reset without answer',
  '429 with Retry-After',
  'body until close',
  'short body',
  'TLS expired',
];

describe.concurrent('the whole schedule, to a receiver of this kind:', () => {
  test.for(SAMPLE)('%s', { timeout: 60_000 }, async (name, { expect, onTestFinished }) => {
    const mode = receiverModes[name];
    if (mode === undefined) throw new Error(`There is no receiver ${name}.`);
    await using receiver = await mode.start(LIMIT_MS);
    const { sandbox, delivery } = announceTo(receiver.url, LIMIT_MS);
    onTestFinished(() => sandbox.close());
    await sandbox.travel.advanceTo(START_MS + ALL_OF_IT_MS);
    const expected = expectedOf(mode.expect);
    expect(delivery).toMatchObject(expected);
    expect(delivery.log).toHaveLength(expected.attempts);
    const requests = receiver.requests();
    expect(requests).toBeLessThanOrEqual(expected.attempts);
    if (mode.expect.status !== null) expect(requests).toBe(expected.attempts);
    await sandbox.travel.advanceTo(START_MS + 10 * ALL_OF_IT_MS);
    expect([delivery.attempts, receiver.requests()]).toEqual([expected.attempts, requests]);
  });

  test('one that comes round at the fourth attempt', async ({ expect, onTestFinished }) => {
    await using receiver = await startRawReceiver((socket, ordinal) => {
      socket.write(ordinal < 4 ? UNAVAILABLE : OK);
    });
    const { sandbox, delivery } = announceTo(receiver.url);
    onTestFinished(() => sandbox.close());
    await sandbox.travel.advanceTo(START_MS + ALL_OF_IT_MS);
    expect(delivery).toMatchObject({
      status: 'DELIVERED',
      attempts: 4,
      lastStatus: 200,
      lastError: null,
      deliveredAt: START_MS + 2_160 * SECOND_MS,
    });
    expect(receiver.requests()).toBe(4);
  });
});
