import { DELAY_FORMS } from '../../src/contract/delay.js';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { connectSandbox, createSandbox, SandboxError } from '../../src/index.js';
import { createReceiver, matchers } from '../../src/testing/index.js';
import { checkOptions, COUNT_OPTION, LIMIT_OPTION, TEXT_OPTION } from '../../src/testing/options.js';
import { thrownBy } from '../helpers/thrown-by.js';

/** What somebody without a type checker may write. */
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any;

const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';

describe('validated options', () => {
  test.each<[Untyped, string]>([
    [
      { stauts: 'PAID' },
      'list has no option stauts. Did you mean status? Valid options: status, limit, times.',
    ],
    [{ color: 1 }, 'list has no option color. Valid options: status, limit, times.'],
    [{ constructor: 1 }, 'list has no option constructor. Valid options: status, limit, times.'],
    [{ status: 7 }, 'list: status expects a string; got the number 7.'],
    [{ status: null }, 'list: status expects a string; got null.'],
    [{ status: () => 'x' }, 'list: status expects a string; got a function.'],
    [{ times: 1n }, 'list: times expects a whole number of 0 or more; got the number 1.'],
    [{ times: Number.NaN }, 'list: times expects a whole number of 0 or more; got the number NaN.'],
    [{ times: Infinity }, 'list: times expects a whole number of 0 or more; got the number Infinity.'],
    [{ limit: -1 }, 'list: limit expects a whole number of 0 or more; got the number -1.'],
    [null, 'list expects an object with options; got null.'],
    ['status', 'list expects an object with options; got "status".'],
  ])('validated options reject %s', (options, message) => {
    const kinds = { status: TEXT_OPTION, limit: LIMIT_OPTION, times: COUNT_OPTION };
    expect(thrownBy(() => checkOptions('list', options, kinds), TypeError).message).toBe(message);
  });

  test('validated options are returned unchanged', () => {
    const options = { status: 'PAID', limit: Infinity, times: undefined };
    expect(
      checkOptions('list', options, { status: TEXT_OPTION, limit: LIMIT_OPTION, times: COUNT_OPTION }),
    ).toBe(options);
  });
});

describe('createSandbox', () => {
  test.each([7, -7, 0])('accepts the number %d as a seed, which equals its digits', async (seed) => {
    const chargeOf = async (given: string | number) => {
      await using sandbox = await createSandbox({
        port: false,
        seed: given,
        freezeAt: 0,
        allowLocalEndpoints: true,
      });
      const endpoint = await sandbox.endpoints.create({ url: 'http://127.0.0.1:9/hooks' });
      return [await sandbox.charges.create(), endpoint, sandbox.env];
    };
    expect(await chargeOf(seed)).toEqual(await chargeOf(String(seed)));
  });

  test.each<[Untyped, string]>([
    [{ seed: 1.5 }, 'createSandbox: seed expects a string or a whole number; got the number 1.5.'],
    [{ sed: '7' }, 'createSandbox has no option sed. Did you mean seed? Valid options: port, seed,'],
    [{ port: 65_536 }, 'port expects a port from 0 to 65535, or false; got the number 65536.'],
    [{ freezeAt: true }, 'freezeAt must be an instant such as 2026-01-31T12:00:00Z; got true.'],
    [
      { routes: { 'https://shop.example': 3000 } },
      'routes["https://shop.example"] expects a string; got the number 3000.',
    ],
    [{ env: { PIX_TOKEN: 7 } }, 'createSandbox: env.PIX_TOKEN expects a string; got the number 7.'],
    [
      { env: { A: 'SANDBOX_TOKN' } },
      'createSandbox: env has the unknown source "SANDBOX_TOKN". Did you mean',
    ],
    [{ allowLocalEndpoints: 'no' }, 'allowLocalEndpoints expects true or false; got "no".'],
    [{ autoSettle: 5000 }, `autoSettle expects ${DELAY_FORMS}; got the number 5000.`],
    [{ rateLimit: '100' }, 'rateLimit expects requests per duration such as 100/1m; got "100".'],
    [
      { faults: { action: 'status' } },
      'faults expects a list of faults, or the path of a file; got an object.',
    ],
    [{ kycAuto: 'approved' }, 'kycAuto expects an object; got "approved".'],
    [{ kycAuto: { status: 'aproved' } }, 'kycAuto.status expects one of under_review, approved,'],
    [
      { kycAuto: { status: 'approved', dely: '2s' } },
      'createSandbox has no option kycAuto.dely. Did you mean delay?',
    ],
    [
      { kycAuto: { status: 'approved', delay: 2 } },
      `kycAuto.delay expects ${DELAY_FORMS}; got the number 2.`,
    ],
    [
      { origins: 'https://shop.example' },
      'origins expects a list, each item a string; got "https://shop.example".',
    ],
  ])('rejects %j with a TypeError', async (options, message) => {
    const refused = createSandbox({ port: false, ...options });
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(message);
  });

  test('adds own variables to env, which the control API and the types contain as well', async () => {
    const env = { PIX_TOKEN: 'SANDBOX_TOKEN', PIX_API_URL: '{SANDBOX_BASE_URL}/api' };
    await using sandbox = await createSandbox({ env });
    expect(sandbox.env.PIX_API_URL).toBe(`${sandbox.url}/api`);
    expect(sandbox.env.PIX_TOKEN).toBe(sandbox.env.SANDBOX_TOKEN);
    await using connected = await connectSandbox({ url: sandbox.url });
    expect(connected.env).toEqual(sandbox.env);
  });

  test('opens no port for invalid faults', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const refused = createSandbox({ port, faults: [{ action: 'status', status: 99 }] });
    // A sandbox that opened its port first would say that it is taken.
    await expect(refused).rejects.toThrow(SandboxError);
    await new Promise((resolve) => holder.close(resolve));
  });
});

describe('a method', () => {
  test.each<[string, (sandbox: Untyped) => unknown]>([
    ['charges.create has no option ap. Did you mean app?', ({ charges }) => charges.create({}, { ap: 'x' })],
    ['charges.list: limit expects a whole number', ({ charges }) => charges.list({ limit: '5' })],
    ['withdrawals.return: reason expects a string', (all) => all.withdrawals.return('a', { reason: 3 })],
    ['kyc.create has no option customerType. Did you mean', ({ kyc }) => kyc.create({ customerType: 'x' })],
    ['trigger has no option overide. Did you', ({ trigger }) => trigger('pix.settled', { overide: {} })],
    ['trigger: timeoutMs expects', ({ trigger }) => trigger('pix.settled', { timeoutMs: '4s' })],
    ['events.resend has no option endpiont', ({ events }) => events.resend('e', { endpiont: 'x' })],
    ['deliveries.waitFor has no option evnt', ({ deliveries }) => deliveries.waitFor({ evnt: 'x' })],
    ['endpoints.create has no option event', ({ endpoints }) => endpoints.create({ url: 'x', event: [] })],
    ['calls.list has no option pth. Did you mean path?', ({ calls }) => calls.list({ pth: '/x' })],
    ['calls.expect: api expects one of api, identity', ({ calls }) => calls.expect({ api: 'back' })],
    ['idle has no option timeout. Did you mean timeoutMs?', ({ idle }) => idle({ timeout: 5 })],
  ])('rejects with a TypeError: %s', async (message, act) => {
    await using sandbox = await createSandbox({ port: false });
    const refused = act(sandbox);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(message);
    expect(await sandbox.charges.list()).toEqual([]);
  });

  test.each<[string, Untyped, Untyped]>([
    ['forwardTo has no option event. Did you mean events?', 'http://localhost:1', { event: [] }],
    ['forwardTo: events[0] expects one of pix.settled', 'http://localhost:1', { events: ['pix.setled'] }],
    [
      'forwardTo: retries expects one of real, fast, off; got "slow".',
      'http://localhost:1',
      { retries: 'slow' },
    ],
    ['path requires a target with fetch', 'http://localhost:1', { path: '/x' }],
    ['forwardTo expects a URL', undefined, {}],
    ['forwardTo expects a URL', '', {}],
    [
      'forwardTo expects a URL such as http://localhost:3000/webhooks, or an object with fetch; got an object.',
      { fetch: 'x' },
      {},
    ],
  ])('forwards nothing: %s', async (message, target, options) => {
    await using sandbox = await createSandbox({ port: false });
    expect(thrownBy(() => sandbox.forwardTo(target, options), TypeError).message).toContain(message);
    expect(await sandbox.endpoints.list()).toEqual([]);
  });
});

describe('a receiver', () => {
  test.each<[Untyped, string]>([
    [{}, 'createReceiver: secret expects a string or a list of strings'],
    [{ secret: 7 }, 'createReceiver: secret expects a string or a list of strings'],
    [{ secret: SECRET, onEvnt: () => 1 }, 'createReceiver has no option onEvnt. Did you mean onEvent?'],
    [{ secret: SECRET, onEvent: 'log' }, 'createReceiver: onEvent expects a function; got "log".'],
  ])('rejects %j', (options, message) => {
    expect(thrownBy(() => createReceiver(options), TypeError).message).toContain(message);
  });

  test('rejects an impossible wait, and an invalid address', async () => {
    const receiver: Untyped = createReceiver({ secret: SECRET });
    await expect(receiver.waitFor('pix.setled')).rejects.toThrow('waitFor expects one of pix.settled');
    await expect(receiver.waitFor('pix.settled', { timeoutMs: 'soon' })).rejects.toThrow(TypeError);
    await expect(receiver.listen('3000')).rejects.toThrow(
      'listen expects a port from 0 to 65535; got "3000".',
    );
  });
});

describe('a matcher', () => {
  const { toHaveReceived, toHaveDelivered, toHaveReceivedCall }: Untyped = matchers;

  test.each<[string, Untyped[]]>([
    ['toHaveReceived expects one of pix.settled', ['pix.setled']],
    ['toHaveReceived: fields expects an object; got "order-1".', ['pix.settled', 'order-1']],
    ['toHaveReceived has no option time. Did you mean times?', ['pix.settled', {}, { time: 1 }]],
    ['toHaveReceived: times expects a whole number', ['pix.settled', {}, { times: '1' }]],
  ])('a matcher cannot pass by mistake, even with not: %s', (message, given) => {
    const receiver = createReceiver({ secret: SECRET });
    expect(thrownBy(() => toHaveReceived(receiver, ...given), TypeError).message).toContain(message);
  });

  test('a matcher cannot pass by mistake on a sandbox', async () => {
    await using sandbox = await createSandbox({ port: false });
    await expect(toHaveDelivered(sandbox, 'pix.setled')).rejects.toThrow(TypeError);
    await expect(toHaveDelivered(sandbox, 'pix.settled', { cod: 'a' })).rejects.toThrow('Did you mean code?');
    await expect(toHaveReceivedCall(sandbox, { metod: 'GET' })).rejects.toThrow('Did you mean method?');
    await expect(toHaveReceivedCall(sandbox)).rejects.toThrow('expects an object with options');
  });
});
