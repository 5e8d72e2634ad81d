import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CHECK_CATALOG } from '../../src/check/catalog.js';
import type { CheckOptions, FetchTarget } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { smallShop } from '../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;

async function verdicts(options: Partial<CheckOptions> & Pick<CheckOptions, 'to'>) {
  const report = await runChecks({ secret: SECRET, revivalMs: 0, ...options });
  const ids = (wanted: string) =>
    report.checks.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return {
    ...report,
    failed: [...ids('fail'), ...ids('warn')],
    unknown: ids('unknown'),
    gated: ids('gated'),
    passed: ids('pass'),
  };
}

test('fails a receiver that accepts everything, and gates the checks that need its signature', async () => {
  const only = ['refuse.unsigned', 'refuse.secret', 'refuse.prefix', 'refuse.json'];
  const to = { fetch: () => new Response('OK') };
  const { failed, gated, ok, checks } = await verdicts({ to, only });
  expect({ failed, gated, ok }).toEqual({
    failed: ['refuse.unsigned', 'refuse.secret', 'refuse.json'],
    gated: ['refuse.prefix'],
    ok: false,
  });
  expect(checks.find(({ id }) => id === 'refuse.secret')?.expected).toBe('4xx');
  expect(checks.find(({ id }) => id === 'refuse.json')?.likely).toContain('parsed after the response');
});

test('fails a receiver that rejects everything, hinting at a different secret', async () => {
  const { failed, passed, gated, notes } = await verdicts({
    to: { fetch: () => new Response('No.', { status: 401 }) },
  });
  expect(failed).toEqual(['accept.types']);
  expect(passed).toEqual(['answer.redirect']);
  expect(gated).toHaveLength(CHECK_CATALOG.filter(({ needs }) => needs === undefined).length - 2);
  expect(notes).toContainEqual(expect.stringContaining('a different secret'));
});

test('passes nothing for a receiver that does not respond', async () => {
  const to = {
    fetch: () => {
      throw new Error('gone');
    },
  };
  const { failed, passed, ok } = await verdicts({ to, only: ['accept.types', 'answer'] });
  expect({ failed, passed, ok }).toEqual({ failed: ['accept.types'], passed: [], ok: false });
});

test('advises an order command for an application that rejects unknown charges', async () => {
  const shop = smallShop(SECRET);
  const fetch = async (request: Request) => {
    const response = await shop.fetch(request);
    return response.status === 200 ? new Response('No such order.', { status: 404 }) : response;
  };
  const { failed, ok, passed, checks } = await verdicts({ to: { fetch } });
  expect({ failed, passed, ok }).toEqual({
    failed: ['accept.unknown-resource'],
    passed: ['answer.redirect'],
    ok: false,
  });
  expect(checks.find(({ id }) => id === 'refuse.secret')?.reason).toContain('order command');
});

test('leaves checks unknown if a probe prints the same for every order', async () => {
  const shop = smallShop(SECRET);
  const { unknown, notes } = await verdicts({
    to: shop,
    probe: () => Promise.resolve('ok'),
    effectTimeoutMs: 0,
    only: ['dup.again', 'accept.raw'],
  });
  expect(unknown).toEqual(['dup.again']);
  expect(notes).toEqual([
    expect.stringContaining('paid and an unpaid order'),
    expect.stringContaining('--allow-unobserved dup.again'),
  ]);
});

test('fails a receiver that crashes on its second request, with and without a probe', async () => {
  for (const hasProbe of [true, false]) {
    const shop = smallShop(SECRET);
    let count = 0;
    const fetch = (request: Request) => {
      count += 1;
      if (count > 1) throw new Error('gone');
      return shop.fetch(request);
    };
    const probe = hasProbe ? { probe: shop.probe } : {};
    const only = ['accept.types', 'accept.raw', 'answer.alive'];
    const { failed, ok } = await verdicts({ to: { fetch }, only, ...probe });
    expect({ failed, ok }).toEqual({ failed: ['answer.alive'], ok: false });
  }
});

test('fails a receiver that crashes on a body that is not JSON, after its other checks', async () => {
  const shop = smallShop(SECRET);
  let isDead = false;
  const fetch = async (request: Request) => {
    if ((await request.clone().text()) === 'This is not JSON.') isDead = true;
    if (isDead) throw new Error('gone');
    return shop.fetch(request);
  };
  const { failed, gated, ok } = await verdicts({
    to: { fetch },
    only: ['refuse.json', 'time', 'accept.raw', 'answer.alive'],
  });
  expect({ failed, gated, ok }).toEqual({
    failed: ['answer.alive', 'refuse.json'],
    gated: [],
    ok: false,
  });
});

test('fails the time limit of a receiver that is busy after a burst, without calling it dead', async () => {
  const shop = smallShop(SECRET);
  let last: Promise<unknown> = Promise.resolve();
  const fetch = (request: Request) => {
    const next = last.then(() => pause(30)).then(() => shop.fetch(request));
    last = next.catch(() => undefined);
    return next;
  };
  const { failed, gated } = await verdicts({
    to: { fetch },
    attemptTimeoutMs: 250,
    only: ['accept.raw', 'time.limit', 'answer.redirect', 'answer.alive'],
  });
  expect({ failed, gated }).toEqual({ failed: ['time.limit'], gated: [] });
});

test('ends within its budget for a receiver that hangs, with a report', async () => {
  const { failed, isBudgetSpent, unknown } = await verdicts({
    to: { fetch: () => new Promise<Response>(() => undefined) },
    budgetMs: 50,
  });
  expect(isBudgetSpent).toBe(true);
  expect(unknown).toHaveLength(CHECK_CATALOG.length);
  expect(failed).toEqual([]);
});

const refuseOnly = { only: ['refuse'] };

/** The small shop behind a verifier that does something else first. */
function behind(first: (request: Request) => Request | Response): FetchTarget {
  const shop = smallShop(SECRET);
  return {
    fetch: (request) => {
      const next = first(request);
      return next instanceof Response ? next : shop.fetch(next);
    },
  };
}

const CRASH = () => new Response('Internal Server Error', { status: 500 });

test('reports one bug for a comparison that throws on another length, not accepted signatures', async () => {
  const to = behind((request) => {
    const signature = request.headers.get('webhook-signature') ?? '';
    return signature === '' || signature.length === 47 ? request : CRASH();
  });
  const { failed, gated, checks } = await verdicts({ to, ...refuseOnly });
  expect({ failed, gated }).toEqual({ failed: ['refuse.garbage'], gated: ['refuse.empty', 'refuse.prefix'] });
  expect(checks.find(({ id }) => id === 'refuse.prefix')).toMatchObject({
    got: expect.stringContaining('responded with a server error'),
    likely: expect.stringContaining('throws'),
    reason: 'refuse.garbage failed: the comparison throws',
  });
});

test('fails a crash without a signature, and reports it as a server error', async () => {
  const to = behind((request) => (request.headers.has('webhook-signature') ? request : CRASH()));
  const { failed, checks } = await verdicts({ to, ...refuseOnly });
  expect(failed).toEqual(['refuse.unsigned']);
  expect(checks.find(({ id }) => id === 'refuse.unsigned')).toMatchObject({
    got: '500 "Internal Server Error"; not accepted, but the receiver responded with a server error',
    likely: 'the verification throws an uncaught error',
  });
});

test('detects a missing timestamp that defaults to now, even in the next second', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const to = behind((request) => {
    if (request.headers.has('webhook-timestamp')) return request;
    const headers = new Headers(request.headers);
    headers.set('webhook-timestamp', String(Math.floor(Date.now() / 1000) + 1));
    return new Request(request, { headers });
  });
  const { failed } = await verdicts({ to, ...refuseOnly });
  expect(failed).toEqual(['refuse.no-time']);
});
