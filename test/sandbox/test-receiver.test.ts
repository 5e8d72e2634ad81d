import { expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { Refusal } from '../../src/contract/refusals.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import type { ReceiverReply } from '../../src/sandbox/test-receiver.js';
import { listenTo, settle, startSandbox } from '../helpers/sandbox/sandbox.js';
import { thrownBy } from '../helpers/thrown-by.js';

const DAYS_MS = 50 * 3_600_000;

async function afterRetries(sandbox: Sandbox): Promise<void> {
  await sandbox.travel.advanceTo(sandbox.world.now + DAYS_MS);
}

function toldBy(sandbox: Sandbox): string[] {
  return [...sandbox.timeline.ring.between()]
    .filter(({ kind, title }) => kind === 'listener' && title.includes('replies with'))
    .map(({ title }) => title);
}

test('describes what it received and returned for each attempt', async () => {
  const sandbox = startSandbox();
  sandbox.testReceiver.turnOn({ fail: 1 });
  settle(sandbox);
  await afterRetries(sandbox);
  const [event] = sandbox.world.events.rows;
  const [delivery] = sandbox.world.deliveries.rows;
  const common = { deliveryId: delivery?.id, webhookId: event?.id, eventType: 'pix.settled' };
  expect(sandbox.testReceiver.received).toMatchObject([
    { ...common, attempt: 1, status: 500, receivedAt: event?.at, verdict: { ok: true, ageS: 0 } },
    { ...common, attempt: 2, status: 200, verdict: { ok: true } },
  ]);
  expect(JSON.parse(sandbox.testReceiver.received[0]?.body ?? '')).toMatchObject({ id: event?.id });
  const results = [1, 2].map((number) => sandbox.epoch.records.get(delivery?.id ?? '', number)?.result);
  expect(results.map((result) => result?.detail)).toEqual([
    'The test receiver is configured to respond with 500.',
    null,
  ]);
});

test.each<[ReceiverReply, readonly (number | null)[], string]>([
  [200, [200], '200'],
  [299, [299], '299'],
  ['timeout', Array.from({ length: 8 }, () => null), 'timeout'],
  [{ fail: 3 }, [500, 500, 500, 200], '500 to the next attempts (3), then 200'],
  [
    { refuse: 1 },
    Array.from({ length: 8 }, () => 500),
    '500 to the next deliveries (1) until they are dead letters, then 200',
  ],
])('responds with %j', async (answer, statuses, said) => {
  const sandbox = startSandbox();
  sandbox.testReceiver.turnOn(200);
  sandbox.testReceiver.turnOn(answer);
  expect(sandbox.testReceiver.answer).toEqual(answer);
  settle(sandbox);
  await afterRetries(sandbox);
  expect(sandbox.testReceiver.received.map(({ status }) => status)).toEqual(statuses);
  expect(toldBy(sandbox)).toEqual([`listener test-receiver replies with ${said}`]);
  expect(sandbox.testReceiver.answer).toEqual(typeof answer === 'object' ? 200 : answer);
});

test('rejects the scheduled attempts of a delivery, and accepts a manual retry', async () => {
  const sandbox = startSandbox();
  sandbox.testReceiver.turnOn({ refuse: 1 });
  settle(sandbox);
  settle(sandbox);
  await afterRetries(sandbox);
  expect(sandbox.world.deliveries.rows.map(({ status }) => status)).toEqual(['FAILED', 'DELIVERED']);
  sandbox.dispatch({ type: 'delivery.retry', deliveryId: sandbox.world.deliveries.rows[0]?.id ?? '' });
  await afterRetries(sandbox);
  expect(sandbox.world.deliveries.rows.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED']);
});

test('starts counting again when it is reconfigured', async () => {
  const sandbox = startSandbox();
  sandbox.testReceiver.turnOn({ fail: 2 });
  settle(sandbox);
  await sandbox.travel.advanceTo(sandbox.world.now);
  expect(sandbox.testReceiver.answer).toEqual({ fail: 1 });
  sandbox.testReceiver.turnOn({ fail: 2 });
  expect(sandbox.testReceiver.answer).toEqual({ fail: 2 });
});

test('neither loses its name to another listener nor takes one over', () => {
  const sandbox = startSandbox();
  listenTo(sandbox, { name: 'test-receiver' });
  const { code, message, hint } = thrownBy(() => sandbox.testReceiver.turnOn(200), Refusal);
  expect({ code, message, hint }).toEqual({
    code: 'ENDPOINT_ALREADY_EXISTS',
    message: 'A listener named test-receiver is connected.',
    hint: 'Stop that `listen` command or run it with another --name; the test receiver requires this name.',
  });
  expect(sandbox.testReceiver.endpoint).toBeUndefined();
});

test('holds pending deliveries when turned off, and reports their number', async () => {
  const sandbox = startSandbox();
  expect(sandbox.testReceiver.turnOff()).toBe(0);
  sandbox.testReceiver.turnOn(500);
  expect(sandbox.testReceiver.endpoint).toMatchObject({ description: 'test-receiver', connected: true });
  settle(sandbox);
  settle(sandbox);
  await sandbox.travel.advanceTo(sandbox.world.now);
  expect(sandbox.testReceiver.turnOff()).toBe(2);
  expect(sandbox.testReceiver.endpoint).toBeUndefined();
});

test('stores the newest attempts, and none of an earlier world', async () => {
  const sandbox = startSandbox();
  sandbox.testReceiver.turnOn(200);
  for (let count = 0; count <= LIMITS.receiverKept; count += 1) settle(sandbox);
  await sandbox.travel.advanceTo(sandbox.world.now);
  const ids = sandbox.world.deliveries.rows.map(({ id }) => id);
  expect(sandbox.testReceiver.received.map(({ deliveryId }) => deliveryId)).toEqual(ids.slice(1));
  sandbox.reset();
  expect(sandbox.testReceiver.received).toEqual([]);
  settle(sandbox);
  await sandbox.travel.advanceTo(sandbox.world.now);
  expect(sandbox.testReceiver.received).toHaveLength(1);
});
