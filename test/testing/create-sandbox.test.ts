import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import type { ChargeResource, WebhookEvent, WithdrawalResource } from '../../src/index.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { createSandbox, SandboxError } from '../../src/index.js';
import { createReceiver } from '../../src/testing/index.js';
import { signRequest } from '../../src/signing/index.js';

const START = '2026-01-31T12:00:00Z';

/** Creates a charge as an application does, by the API and what the environment block holds. */
function pay(
  { fetch, env }: Pick<Awaited<ReturnType<typeof createSandbox>>, 'env' | 'fetch'>,
  fields: object = {},
) {
  const target = '/api/public/v1/pix';
  const account_id = env.SANDBOX_ACCOUNT_ID;
  const body = Buffer.from(JSON.stringify({ code: 'order-1', account_id, amount: '10.00', ...fields }));
  const { headers } = signRequest({
    method: 'POST',
    target,
    body,
    secret: env.SANDBOX_SIGNING_SECRET,
    timestampS: Math.floor(Date.now() / 1000),
    nonce: crypto.randomUUID(),
  });
  return fetch(`${env.SANDBOX_BASE_URL}${target}`, {
    method: 'POST',
    body,
    headers: { ...headers, authorization: `Bearer ${env.SANDBOX_TOKEN}`, 'content-type': 'application/json' },
  });
}

describe('an in-process sandbox', () => {
  test('listens on its own port, and responds to global fetch', async () => {
    await using one = await createSandbox();
    await using other = await createSandbox();
    expect(one.url).not.toBe(other.url);
    const response = await pay({ env: one.env, fetch: (input, init) => fetch(input, init) });
    expect([response.status, await response.json()]).toMatchObject([201, { code: 'order-1' }]);
    expect(await one.charges.get('order-1')).toMatchObject({ status: 'PENDING', amount: '10.00' });
    await expect(other.charges.get('order-1')).rejects.toThrow('There is no charge');
  });

  test('responds without a port, and closes its port', async () => {
    await using local = await createSandbox({ port: false });
    expect((await pay(local)).status).toBe(201);
    expect((await local.fetch('/_sandbox/livez')).status).toBe(200);
    const listening = await createSandbox();
    await listening.close();
    await expect(fetch(`${listening.url}/_sandbox/livez`)).rejects.toThrow('fetch failed');
  });

  test('rejects its methods once it is closed', async () => {
    const sandbox = await createSandbox({ port: false });
    const fault = await sandbox.faults.add({ action: 'drop' });
    await sandbox.close();
    const refused = await sandbox.charges.create({ code: 'late' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SandboxError);
    expect(refused).toMatchObject({
      code: 'SANDBOX_CLOSED',
      message: expect.stringMatching(/^The sandbox is closed\.\nCall `close\(\)` after the last use/),
      request: 'POST /_sandbox/charges',
    });
    const { clock, ledger, forwardTo } = sandbox;
    for (const verb of [clock.now, ledger.problems, () => forwardTo('3000')]) {
      expect(verb).toThrow(expect.objectContaining({ code: 'SANDBOX_CLOSED', status: 503 }));
    }
    const response = await sandbox.fetch('/api/public/v1/pix');
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: 'SANDBOX_CLOSED' } },
    ]);
    await fault.remove();
    await sandbox.close();
  });

  test('reports a used port', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    await expect(createSandbox({ port })).rejects.toThrow(`Port ${port} is already in use.`);
    await new Promise((resolve) => holder.close(resolve));
  });

  test('an in-process sandbox is the same at every run with a seed and a frozen clock', async () => {
    const run = async () => {
      await using sandbox = await createSandbox({ port: false, seed: '7', freezeAt: START });
      const { events } = await sandbox.trigger('pix.settled');
      return [await sandbox.charges.list(), events];
    };
    expect(await run()).toEqual(await run());
    expect(JSON.stringify(await run())).toContain('2026-01-31T12:00:00.000Z');
  });

  test.each([START, new Date(START), Date.parse(START)])(
    'an in-process sandbox is frozen at %s',
    async (freezeAt) => {
      await using sandbox = await createSandbox({ port: false, freezeAt });
      expect(sandbox.clock.now()).toEqual(new Date(START));
    },
  );

  test.each([
    [{ freezeAt: '2026-02-30T00:00:00Z' }, 'freezeAt must be an instant'],
    [{ keepDeliveries: 0 }, 'keepDeliveries expects a whole number from 1 to 10000000; got the number 0.'],
    [{ routes: { 'https://shop.example/path': '3000' } }, 'origin without path'],
    [{ assume: { 'no.such': '1' } }, 'no.such'],
    [
      { faults: [{ action: 'status', status: 99 }] },
      'status: Must be a whole number from 400 to 599; got the number 99.',
    ],
  ] as const)('rejects %j', async (options, message) => {
    await expect(createSandbox({ port: false, ...options })).rejects.toThrow(message);
  });

  test('reports the problem, its location, and the fix', async () => {
    await using sandbox = await createSandbox({ port: false });
    const refused = sandbox.charges.create({ amount: '0.00', code: 'a b' });
    await expect(refused).rejects.toThrow(SandboxError);
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    await expect(refused).rejects.toThrow(/\n {2}code: Must be printable.*\n {2}amount: The amount/);
    await expect(sandbox.withdrawals.return('nothing')).rejects.toThrow('withdrawals list');
  });
});

describe('the methods of a sandbox', () => {
  test('the methods of a sandbox move charges', async () => {
    await using sandbox = await createSandbox({ port: false });
    for (const code of ['a', 'b', 'c']) await sandbox.charges.create({ code, amount: '12.34' });
    expect(await sandbox.charges.settle('a')).toMatchObject({ status: 'SETTLED', amount: '12.34' });
    expect(await sandbox.charges.fail('b', { reason: 'AB03' })).toMatchObject({ reason: 'AB03' });
    expect(await sandbox.charges.expire('c')).toMatchObject({ status: 'EXPIRED' });
    const { id } = await sandbox.charges.get('a');
    expect(await sandbox.charges.get(id.slice(0, 8))).toMatchObject({ code: 'a' });
    expect((await sandbox.charges.list({ status: 'SETTLED' })).map(({ code }) => code)).toEqual(['a']);
    expect((await sandbox.events.list()).map(({ type }) => type)).toEqual([
      'pix.expired',
      'pix.failed',
      'pix.settled',
    ]);
  });

  test('the methods of a sandbox move withdrawals', async () => {
    await using sandbox = await createSandbox({ port: false });
    const { id } = await sandbox.withdrawals.create({ code: 'w', pix_key: 'ana@example.com' });
    expect(await sandbox.withdrawals.process(id)).toMatchObject({ status: 'PROCESSING' });
    expect(await sandbox.withdrawals.settle('w')).toMatchObject({ status: 'SETTLED' });
    expect(await sandbox.withdrawals.return('w', { reason: 'AC07' })).toMatchObject({
      status: 'FAILED',
      reason: 'AC07',
    });
    await sandbox.withdrawals.create({ code: 'x' });
    expect(await sandbox.withdrawals.fail('x')).toMatchObject({ status: 'FAILED', reason: 'AC03' });
    expect((await sandbox.withdrawals.list({ limit: 1 })).map(({ code }) => code)).toEqual(['x']);
    expect(await sandbox.withdrawals.get('w')).toMatchObject({ destination: { pix_key_type: 'EMAIL' } });
  });

  test('the methods of a sandbox decide identity sessions', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: START });
    const { id } = await sandbox.kyc.create({ customer_type: 'business' });
    await expect(sandbox.kyc.result(id)).rejects.toMatchObject({ status: 409, code: 'NOT_TERMINAL' });
    await sandbox.kyc.decide(id, { status: 'approved', document: '52998224725', delay: '5m' });
    await expect(sandbox.kyc.result(id)).rejects.toMatchObject({ code: 'NOT_TERMINAL' });
    await sandbox.clock.advance('5m');
    expect(await sandbox.kyc.result(id)).toMatchObject({
      status: 'approved',
      euid: expect.stringMatching(/^euid_/),
    });
    const other = await sandbox.kyc.create();
    await sandbox.kyc.decide(other.id, 'rejected');
    expect(await sandbox.kyc.result(other.id)).toEqual({
      sessionId: other.id,
      status: 'rejected',
      euid: null,
    });
    expect(await sandbox.calls.list()).toEqual([]);
  });

  test('the methods of a sandbox list more than a page', async () => {
    await using sandbox = await createSandbox({ port: false });
    await sandbox.trigger('pix.settled', { count: 120 });
    expect(await sandbox.charges.list()).toHaveLength(120);
    expect(await sandbox.charges.list({ limit: 60 })).toHaveLength(60);
  });

  test('reset to the start, with the faults and receivers of the start', async () => {
    await using sandbox = await createSandbox({
      port: false,
      faults: [{ action: 'status', status: 503, count: 1 }],
    });
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    sandbox.forwardTo(receiver);
    expect((await pay(sandbox)).status).toBe(503);
    expect((await pay(sandbox)).status).toBe(201);
    await sandbox.reset();
    expect(await sandbox.charges.list()).toEqual([]);
    expect((await pay(sandbox)).status).toBe(503);
    await sandbox.trigger('pix.settled');
    expect(await receiver.waitFor('pix.settled')).toMatchObject({ environment: 'TEST' });
  });

  test('the methods of a sandbox restore a snapshot, with the receivers of the start', async () => {
    await using sandbox = await createSandbox({
      port: false,
      freezeAt: START,
      faults: [{ action: 'status', status: 503, count: 1 }],
    });
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    sandbox.forwardTo(receiver);
    await sandbox.charges.create({ code: 'one' });
    const before = await sandbox.snapshot();
    await sandbox.charges.settle('one');
    await sandbox.clock.advance('30h');
    await sandbox.restore(before);
    expect(await sandbox.charges.get('one')).toMatchObject({ status: 'PENDING' });
    expect(await sandbox.faults.list()).toHaveLength(1);
    receiver.clear();
    await sandbox.charges.settle('one');
    expect(await receiver.waitFor('pix.settled')).toMatchObject({ data: { object: { code: 'one' } } });
    const broken = { ...before, world: { ...before.world, charges: [] } };
    await expect(sandbox.restore(broken)).rejects.toThrow(/agenda\[0\]: expected a scheduled item/);
    expect(await sandbox.charges.get('one')).toMatchObject({ status: 'SETTLED' });
  });

  test('the methods of a sandbox start and stop incidents, in their own time', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: START });
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    sandbox.forwardTo(receiver);
    expect(await sandbox.incidents.start('api-down', '15m')).toMatchObject({ running: true });
    expect((await pay(sandbox)).status).toBe(503);
    const held = { name: 'bank', duration: '20m', faults: [{ action: 'hold' }] } as const;
    await sandbox.incidents.start(held);
    await sandbox.trigger('pix.settled');
    expect(await sandbox.deliveries.list()).toMatchObject([{ attempts: 0, blocked_by: 'fault' }]);
    await sandbox.clock.advance('15m');
    expect((await pay(sandbox)).status).toBe(201);
    expect((await sandbox.incidents.list()).filter(({ running }) => running)).toMatchObject([
      { name: 'bank' },
    ]);
    expect(await sandbox.incidents.stop('bank')).toEqual(['bank']);
    expect(await receiver.waitFor('pix.settled')).toMatchObject({ environment: 'TEST' });
    expect(await sandbox.incidents.stop()).toEqual([]);
  });

  test('the methods of a sandbox add faults that end with their block', async () => {
    await using sandbox = await createSandbox({ port: false });
    {
      await using fault = await sandbox.faults.add({ action: 'lose-response', path: '/api/public/v1/pix' });
      expect(await sandbox.faults.list()).toMatchObject([{ id: fault.id, action: 'lose-response' }]);
    }
    expect(await sandbox.faults.list()).toEqual([]);
    await using removed = await sandbox.faults.add({ on: 'call', action: 'delay', delay: '1s' });
    await removed.remove();
    await sandbox.reset();
  });
});

describe('deliveries', () => {
  test('deliveries reach a local endpoint, and are awaited', async () => {
    await using sandbox = await createSandbox({ port: false, allowLocalEndpoints: true });
    const { env } = sandbox;
    await using receiver = createReceiver({ secret: env.SANDBOX_WEBHOOK_SECRET ?? '' });
    const endpoint = await sandbox.endpoints.create({
      url: await receiver.listen(),
      events: ['pix.settled'],
    });
    await sandbox.trigger('pix.settled');
    const delivery = await sandbox.deliveries.waitFor({ type: 'pix.settled', endpoint: endpoint.id });
    expect(delivery.endpoint_id).toBe(endpoint.id);
    await sandbox.idle();
    // Its secret is its own, and this receiver has another one.
    expect(receiver.arrivals).toMatchObject([{ status: 400, verdict: { cause: 'signature_mismatch' } }]);
    await sandbox.endpoints.disable(endpoint.id);
    expect(await sandbox.endpoints.list()).toMatchObject([{ status: 'DISABLED' }]);
  });

  test('deliveries follow the whole schedule, to dead letter and back', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: START });
    let status = 500;
    await using _forwarding = sandbox.forwardTo({ fetch: () => new Response(null, { status }) });
    await sandbox.trigger('pix.settled', { until: 'attempted' });
    await sandbox.clock.advance('45h');
    const dead = await sandbox.deliveries.waitFor({ status: 'FAILED' });
    expect(dead).toMatchObject({ attempts: 8, last_error: 'HTTP_STATUS', last_response_status: 500 });
    status = 204;
    await sandbox.deliveries.retry(dead.id);
    expect(await sandbox.deliveries.waitFor({ status: 'DELIVERED' })).toMatchObject({ id: dead.id });
    const [event] = await sandbox.events.list();
    expect(await sandbox.events.resend(event?.id ?? '')).toMatchObject([{ status: 'PENDING' }]);
    await sandbox.idle();
  });

  test('deliveries are reported as missing with what exists', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: START });
    const missing = () => sandbox.deliveries.waitFor({ status: 'DELIVERED' }, { timeoutMs: 1 });
    await expect(missing()).rejects.toThrow(
      'Waited 1 ms for a delivery with status DELIVERED. No deliveries exist',
    );
    sandbox.forwardTo({ fetch: () => Promise.reject(new Error('a bug')) });
    await sandbox.trigger('pix.failed', { until: 'attempted' });
    await expect(missing()).rejects.toThrow(
      'pix.failed PENDING, attempt 1: CONNECTION_RESET, next at 2026-01-31T12:01:00.000Z of sandbox time: the clock is frozen; `clock.next()` advances it',
    );
    expect((await sandbox.deliveries.list())[0]).toMatchObject({ status: 'PENDING' });
  });

  test('deliveries prevent the sandbox from being idle while they hang', async () => {
    await using sandbox = await createSandbox({ port: false });
    sandbox.forwardTo({ fetch: () => new Promise(() => undefined) });
    await sandbox.trigger('pix.settled');
    await expect(sandbox.idle({ timeoutMs: 1 })).rejects.toThrow('1 attempts are in flight');
  });

  test('deliveries go to the test receiver, which returns the configured response', async () => {
    await using sandbox = await createSandbox({ port: false });
    expect(await sandbox.testReceiver.turnOn({ fail: 1 })).toMatchObject({ on: true, answer: { fail: 1 } });
    await sandbox.trigger('pix.settled');
    await sandbox.clock.next();
    const { received } = await sandbox.testReceiver.get();
    expect(received.map((one) => [one.event_type, one.attempt, one.response_status, one.verdict.ok])).toEqual(
      [
        ['pix.settled', 1, 500, true],
        ['pix.settled', 2, 200, true],
      ],
    );
    await sandbox.testReceiver.turnOff();
    expect(await sandbox.testReceiver.get()).toMatchObject({ on: false, answer: null });
    // @ts-expect-error A status is a number.
    await expect(sandbox.testReceiver.turnOn('500')).rejects.toThrow(SandboxError);
  });

  test('deliveries go to the path of a fetch handler', async () => {
    await using sandbox = await createSandbox({ port: false });
    const paths: string[] = [];
    const fetch = ({ url }: Request) => {
      paths.push(new URL(url).pathname);
      return new Response(null);
    };
    sandbox.forwardTo({ fetch }, { path: '/hooks/pix' });
    await sandbox.trigger('pix.settled');
    await sandbox.idle();
    expect(paths).toEqual(['/hooks/pix']);
    expect(() => sandbox.forwardTo('3000', { path: '/hooks' })).toThrow('include the path in the URL');
  });

  test('deliveries go to a URL', async () => {
    await using sandbox = await createSandbox({ port: false });
    await using receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    const forwarding = sandbox.forwardTo(await receiver.listen(), { events: ['pix.settled'] });
    await sandbox.trigger('pix.failed');
    await sandbox.trigger('pix.settled');
    await sandbox.idle();
    expect(receiver.events.map(({ type }) => type)).toEqual(['pix.settled']);
    await forwarding.stop();
    expect(await sandbox.endpoints.list()).toEqual([]);
    expect(() => sandbox.forwardTo('http://')).toThrow('forwardTo expects a URL');
  });

  test('deliveries follow routes and settle automatically', async () => {
    await using receiver = createReceiver({ secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=' });
    const url = new URL(await receiver.listen());
    await using sandbox = await createSandbox({
      port: false,
      freezeAt: START,
      autoSettle: '5s',
      routes: { 'https://shop.example': url.origin },
      assume: { 'charge.lifetime': '15m' },
    });
    await sandbox.endpoints.create({ url: 'https://shop.example/webhooks' });
    const { expires_at } = await sandbox.charges.create();
    expect(expires_at).toBe('2026-01-31T12:15:00.000Z');
    expect(await sandbox.clock.next()).toMatchObject({ did: { kind: 'charge.settle' } });
    await sandbox.deliveries.waitFor({ type: 'pix.settled' });
    expect(receiver.arrivals).toHaveLength(1);
  });
});

describe('fake timers', () => {
  afterEach(() => vi.useRealTimers());

  test('fake timers leave everything working, and define the current time', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) });
    await using sandbox = await createSandbox();
    await using receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    sandbox.forwardTo(await receiver.listen());
    expect((await pay(sandbox)).status).toBe(201);
    await sandbox.charges.settle('order-1');
    expect(await receiver.waitFor('pix.settled')).toMatchObject({ timestamp: '2030-01-01T00:00:00.000Z' });
    await sandbox.deliveries.waitFor({ status: 'DELIVERED' });
    await expect(receiver.waitFor('pix.failed', { timeoutMs: 1 })).rejects.toThrow('Waited 1 ms');
    await sandbox.idle();
    vi.setSystemTime(Date.UTC(2030, 0, 3));
    expect(sandbox.clock.now()).toEqual(new Date('2030-01-03T00:00:00.000Z'));
    await sandbox.clock.advance('45h');
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('types distinguish events', () => {
  expectTypeOf<WebhookEvent<'pix.settled'>['data']['object']>().toEqualTypeOf<ChargeResource>();
  expectTypeOf<
    Extract<WebhookEvent, { type: 'withdrawal.failed' }>['data']['object']
  >().toEqualTypeOf<WithdrawalResource>();
  expectTypeOf<ChargeResource['status']>().toEqualTypeOf<'PENDING' | 'SETTLED' | 'FAILED' | 'EXPIRED'>();
});

test('sessions are decided automatically with kycAuto, and readable after its delay', async () => {
  await using sandbox = await createSandbox({
    port: false,
    freezeAt: '2026-01-01T00:00:00Z',
    kycAuto: { status: 'approved', delay: '2s' },
  });
  const { id } = await sandbox.kyc.create({ customer_type: 'individual' });
  await expect(sandbox.kyc.result(id)).rejects.toThrow('no final decision');
  await sandbox.clock.advance('2s');
  expect(await sandbox.kyc.result(id)).toMatchObject({ sessionId: id, status: 'approved' });
});

describe('faults in the options', () => {
  const settled = async (sandbox: Awaited<ReturnType<typeof createSandbox>>) => {
    await sandbox.trigger('pix.settled');
    await sandbox.idle();
    return (await sandbox.faults.list()).map(({ action, fired }) => `${action} ${fired}`);
  };

  test('faults in the options come from a file, with its seed, unless another is provided', async () => {
    using folder = tempFolder();
    const file = { faults: [{ action: 'duplicate', nth: 1, parallel: true }], seed: '7' };
    const path = join(folder.path, folder.write('bad-day.json', JSON.stringify(file)));
    const runs = [];
    for (const options of [{ faults: path }, { seed: 7 }, { faults: path, seed: 8 }]) {
      await using sandbox = await createSandbox({ port: false, freezeAt: 0, ...options });
      sandbox.forwardTo({ fetch: () => new Response() });
      runs.push({ id: (await sandbox.charges.create()).id, fired: await settled(sandbox) });
    }
    const [filed, seeded, other] = runs;
    expect(runs.map(({ fired }) => fired)).toEqual([['duplicate 1'], [], ['duplicate 1']]);
    expect([filed?.id === seeded?.id, filed?.id === other?.id]).toEqual([true, false]);
  });

  test('a file without faults is rejected with its name', async () => {
    const refused = createSandbox({ faults: '/nowhere/bad-day.json' });
    await expect(refused).rejects.toThrow('The fault file /nowhere/bad-day.json cannot be read');
    using folder = tempFolder();
    folder.write('day.json', '{"faults": [7]}');
    const path = join(folder.path, 'day.json');
    await expect(createSandbox({ faults: path })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(`${path}:1:13 faults[0]: Expected a JSON object; got 7.`),
    });
  });

  test('faults in the options may restart the application by a function or a command', async () => {
    using folder = tempFolder();
    const told: string[] = [];
    const file = join(folder.path, 'restarted');
    for (const restart of [() => void told.push('called'), `printf %s "$SANDBOX_TOKEN" > '${file}'`]) {
      await using sandbox = await createSandbox({ port: false, restart, faults: [{ action: 'restart' }] });
      sandbox.forwardTo({ fetch: () => new Response() });
      expect(await settled(sandbox)).toEqual(['restart 1']);
      told.push(sandbox.env.SANDBOX_TOKEN);
    }
    expect(told).toEqual(['called', told[1], folder.read('restarted').toString()]);
    await expect(createSandbox({ port: false, faults: [{ action: 'restart' }] })).rejects.toThrow(
      'createSandbox({ restart })',
    );
  });
});

test('names the environment of Jest that hides the fetch API', async () => {
  vi.stubGlobal('Response', undefined);
  try {
    await expect(createSandbox({ port: false })).rejects.toThrow('/** @jest-environment node */');
  } finally {
    vi.unstubAllGlobals();
  }
});
