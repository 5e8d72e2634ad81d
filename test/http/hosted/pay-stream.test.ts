import { expect, vi } from 'vitest';
import { fakeTimers, INTERVALS } from '../../helpers/fake-timers.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { START_MS, testApi, test } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';
import { newCharge } from '../../helpers/http/hosted-pages.js';

const DAY_MS = 86_400_000;

async function follow(api: TestApi, id: string, headers = {}) {
  const response = await api.open('GET', `/pay/${id}/stream`, { caller: null, headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return new MessageReader(response);
}

test('sends a page its charge, and the following events and webhooks', async ({ api }) => {
  const { sandbox } = api;
  sandbox.testReceiver.turnOn(500);
  const charge = newCharge(sandbox);
  const stream = await follow(api, charge.id);
  expect(await stream.next()).toEqual({
    status: 'PENDING',
    words: 'Waiting for payment',
    reason: '',
    leftMs: DAY_MS,
    rate: 0,
    pace: '(sandbox time, clock frozen)',
    isPaid: false,
    isPayable: true,
    actions: ['settle', 'fail', 'expire', 'late'],
    webhooks: [],
  });
  newCharge(sandbox);
  sandbox.dispatch({ type: 'charge.settle', chargeId: charge.id });
  await sandbox.attemptsEnded();
  await sandbox.travel.advanceTo(START_MS + 60_000);
  await stream.cancel();
  const page = await api.server.fetch(new Request(`http://localhost/pay/${charge.id}`), {});
  expect(await page.text()).toMatch(
    /<li>Webhook: 500 · \d+ ms · attempt 2 of 8 \(pix\.settled\) → <a href="\/deliveries\/[\w-]+">view in console<\/a><\/li>/,
  );
});

test('sends each change once, with the outcome of the attempt in the last message', async ({ api }) => {
  const { sandbox } = api;
  sandbox.testReceiver.turnOn(200);
  const charge = newCharge(sandbox);
  const stream = await follow(api, charge.id, { 'accept-language': 'pt' });
  await stream.next();
  sandbox.dispatch({ type: 'charge.fail', chargeId: charge.id, reason: 'AM04' });
  const [delivery] = sandbox.world.deliveries.rows;
  const failed = {
    status: 'FAILED',
    reason: 'AM04 · saldo insuficiente do participante pagador',
    leftMs: null,
  };
  const href = `/deliveries/${delivery?.id}`;
  expect(await stream.next()).toMatchObject({
    ...failed,
    actions: [],
    webhooks: [{ text: 'Webhook: pendente (pix.failed)', href }],
  });
  const { webhooks } = (await stream.next()) as { webhooks: unknown };
  expect(webhooks).toEqual([
    { text: expect.stringMatching(/^Webhook: 200 · \d+ ms \(pix\.failed\)$/), href },
  ]);
  await stream.cancel();
});

test('reports an event without a receiver', async ({ api }) => {
  const charge = newCharge(api.sandbox);
  const stream = await follow(api, charge.id);
  await stream.next();
  api.sandbox.dispatch({ type: 'charge.settle', chargeId: charge.id });
  expect(await stream.next()).toMatchObject({
    status: 'SETTLED',
    webhooks: [{ text: 'Webhook: no subscribed endpoint (pix.settled)', href: null }],
  });
  await stream.cancel();
});

test('sends a clock change and a new speed immediately', async ({ api }) => {
  const stream = await follow(api, newCharge(api.sandbox).id);
  await stream.next();
  await api.sandbox.travel.advanceBy(3_600_000);
  expect(await stream.next()).toMatchObject({ leftMs: DAY_MS - 3_600_000 });
  api.sandbox.setRate(60);
  expect(await stream.next()).toMatchObject({ rate: 60, pace: '(sandbox time)' });
  await stream.cancel();
});

test('sends a clock that resumes after a jump without a separate entry', async () => {
  fakeTimers(INTERVALS);
  const api = await testApi();
  api.sandbox.setRate(1);
  const stream = await follow(api, newCharge(api.sandbox).id);
  expect(await stream.next()).toMatchObject({ rate: 1 });
  await api.sandbox.travel.advanceBy(3_600_000);
  expect(await stream.next()).toMatchObject({ rate: 0 });
  vi.advanceTimersByTime(1_000);
  expect(await stream.next()).toMatchObject({ rate: 1, leftMs: DAY_MS - 3_600_000 });
  api.real.nowMs += 5_000;
  vi.advanceTimersByTime(5_000);
  api.sandbox.setRate(0);
  expect(await stream.next()).toMatchObject({ rate: 0, leftMs: DAY_MS - 3_605_000 });
  await stream.cancel();
});

test('reports a deleted charge to its page', async ({ api }) => {
  const stream = await follow(api, newCharge(api.sandbox).id);
  await stream.next();
  api.sandbox.reset();
  expect(await stream.next()).toEqual({ gone: true });
  await stream.cancel();
});
