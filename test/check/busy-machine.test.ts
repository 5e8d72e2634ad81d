import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { CheckContextOptions } from '../../src/check/bench.js';
import { CheckContext } from '../../src/check/bench.js';
import type { ReceiverResponse, CheckOptions, FetchTarget } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { Orders } from '../../src/check/orders.js';
import { CHECK_CATALOG } from '../../src/check/catalog.js';
import { StateObserver } from '../../src/check/probe.js';
import { smallShop } from '../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;
const { signal } = new AbortController();

afterEach(() => {
  vi.restoreAllMocks();
});

/** The verdicts of the checks named. */
async function verdicts(only: readonly string[], options: Partial<CheckOptions> & { to: FetchTarget }) {
  const { checks } = await runChecks({ secret: SECRET, revivalMs: 0, only, ...options });
  return Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));
}

async function eventIn(request: Request): Promise<{ id: string; type: string; code: string }> {
  const { id, type, data } = JSON.parse(await request.clone().text());
  return { id, type, code: data.object.code };
}

test('waits for an effect that is slower than that of the first order', async () => {
  const shop = smallShop(SECRET);
  const held = new Map<string, { shown: string; reads: number }>();
  const probe = async (subject: { readonly code: string }) => {
    const now = JSON.stringify({ ...JSON.parse(await shop.probe(subject)), at: undefined });
    const last = held.get(subject.code) ?? { shown: now, reads: 0 };
    const isLate = now.includes('sent') || now.includes('returned');
    const reads = now === last.shown || !isLate ? 0 : last.reads + 1;
    const shown = reads > 6 || !isLate ? now : last.shown;
    held.set(subject.code, { shown, reads });
    return shown;
  };
  expect(await verdicts(['order.returned'], { to: shop, probe })).toEqual({ 'order.returned': 'pass' });
});

test('reads a state again after its time if one read consumed all of it', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
  const subject = { code: 'check-abc123-0001', id: '-' };
  let reads = 0;
  const observer = new StateObserver(() => Promise.resolve((reads += 1) > 3 ? '"paid"' : '"open"'), signal);
  const before = await observer.read(subject);
  expect(await observer.changed(before, subject)).toEqual(new Map([['', '"paid"']]));
});

test('races copies of several orders to catch a lucky one', async () => {
  const shop = smallShop(SECRET);
  const credits = new Map<string, number>();
  const taken = new Set<string>();
  const arrived = new Map<string, number>();
  const raced = new Set<string>();
  const fetch = async (request: Request) => {
    const { id, type, code } = await eventIn(request);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    if (arrived.get(id) === 2) raced.add(id);
    const isKnown = taken.has(id);
    // The first order whose copies come together is lucky.
    if (raced.size > 1) await pause(5);
    taken.add(id);
    if (!isKnown && type === 'pix.settled') credits.set(code, (credits.get(code) ?? 0) + 1);
    return shop.fetch(request);
  };
  const probe = async ({ code }: { readonly code: string }) => `credits ${credits.get(code) ?? 0}`;
  expect(await verdicts(['dup.parallel'], { to: { fetch }, probe })).toEqual({ 'dup.parallel': 'fail' });
});

test('cuts a connection also after the request was read', async () => {
  const shop = smallShop(SECRET);
  const taken = new Set<string>();
  const fetch = async (request: Request) => {
    await pause(10);
    if (request.signal.aborted) throw new Error('The client left before its request was read.');
    const { id } = await eventIn(request);
    if (taken.has(id)) return new Response('Known.');
    taken.add(id);
    await pause(200);
    if (request.signal.aborted) throw new Error('The client has left.');
    return shop.fetch(request);
  };
  const { probe } = shop;
  expect(await verdicts(['dup.cut'], { to: { fetch }, probe })).toEqual({ 'dup.cut': 'fail' });
});

test('repeats a first request that timed out', async () => {
  const shop = smallShop(SECRET);
  let count = 0;
  const fetch = (request: Request) =>
    (count += 1) === 1 ? new Promise<Response>(() => undefined) : shop.fetch(request);
  const options = { to: { fetch }, attemptTimeoutMs: 500 };
  expect(await verdicts(['accept.raw'], options)).toEqual({ 'accept.raw': 'pass' });
});

test('repeats a check that timed out among others in isolation', async () => {
  const shop = smallShop(SECRET);
  let count = 0;
  const fetch = (request: Request) =>
    (count += 1) === 3 ? new Promise<Response>(() => undefined) : shop.fetch(request);
  const options = { to: { fetch }, attemptTimeoutMs: 500 };
  const only = ['accept.raw', 'accept.two-good-first', 'accept.two-good-last'];
  expect(Object.values(await verdicts(only, options))).toEqual(['pass', 'pass', 'pass']);
});

/** The verdict on a receiver whose answers take so long, by their number; `burst` is what is known already. */
async function onTime(id: string, msOf: (count: number) => number, burst?: CheckContextOptions['burst']) {
  let count = 0;
  const response = async (): Promise<ReceiverResponse> => {
    count += 1;
    return { status: 200, error: null, headers: [], body: new Uint8Array(), ms: msOf(count) };
  };
  const target = { url: 'http://shop.localhost/', hasSocket: false, send: response, close: () => undefined };
  const options = { to: new URL(target.url), secret: SECRET };
  const kit: CheckContextOptions = {
    options,
    target,
    orders: new Orders({}),
    signal,
    responseMs: 0,
    concurrency: 8,
    twins: undefined,
    burst,
  };
  return CHECK_CATALOG.find((entry) => entry.id === id)?.plan?.(new CheckContext(kit));
}

test.each([
  ['slow once', (count: number) => (count > 20 ? 5 : 2_500), 'holds', 'holds'],
  ['slow twice', () => 2_500, 'holds', 'fails'],
  ['too slow once', (count: number) => (count > 20 ? 5 : 10_500), 'holds', 'holds'],
  ['too slow twice', () => 10_500, 'fails', 'fails'],
])('judges a receiver that is %s by its best response', async (_, msOf, limit, advice) => {
  expect(await onTime('time.limit', msOf)).toMatchObject({ outcome: limit });
  expect(await onTime('time.advice', msOf)).toMatchObject({ outcome: advice });
});

test('ignores the response time when our own process is delayed, too', async () => {
  const response: ReceiverResponse = {
    status: 200,
    error: null,
    headers: [],
    body: new Uint8Array(),
    ms: 2_500,
  };
  const burst = Promise.resolve({ responses: Array.from({ length: 20 }, () => response), delayMs: 700 });
  expect(await onTime('time.advice', () => 0, burst)).toMatchObject({
    outcome: 'unknown',
    reason: expect.stringContaining('for 700 ms'),
  });
  expect(await onTime('time.limit', () => 0, burst)).toMatchObject({ outcome: 'holds' });
});
