import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listenWithin } from '../../../../src/cli/commands/listen/listen.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { NotReachableError, SandboxError } from '../../../../src/client/control.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/contract/time.js';
import type { FaultInput } from '../../../../src/core/world.js';
import { fakeIo, runBody } from '../../../helpers/cli/cli-io.js';
import {
  advance,
  cliSandbox,
  faultsOf,
  trigger,
  worldOf,
  type CliSandbox,
} from '../../../helpers/cli/cli-sandbox.js';
import { Listening } from '../../../helpers/cli/starting.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';
import { startApp } from '../../../helpers/e2e/test-app.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const NOWHERE = 'http://127.0.0.1:1/';
const WRONG_SIGNATURE: FaultInput = {
  match: { on: 'delivery', eventType: null, endpointId: null, attempt: 2 },
  action: 'wrong-signature',
  status: null,
  delayMs: null,
  copies: null,
  count: 1,
  probability: 1,
};

describe('listen', () => {
  test('forwards each event to its routed target, byte for byte', async () => {
    await using sandbox = await cliSandbox();
    await using pix = await startApp();
    await using out = await startApp();
    const forwardTo = [`pix.*=${pix.origin}/pix?a=1&b`, `withdrawal.*=127.0.0.1:${out.port}/out`];
    await using listening = new Listening(sandbox.server.url, { forwardTo, name: 'dev' });
    const ready = await listening.come('ready', 2);
    expect(ready.map((line) => line.forward_to)).toEqual([`${pix.origin}/pix?a=1&b`, `${out.origin}/out`]);
    expect(Array.from(worldOf(sandbox).endpoints.values(), ({ description }) => description)).toEqual([
      `dev → ${pix.origin}/pix?a=1&b`,
      `dev-2 → ${out.origin}/out`,
    ]);
    for (const event of ['pix.settled', 'withdrawal.failed', 'pix.expired'] as const) trigger(sandbox, event);
    await listening.come('attempt', 3);
    expect(pix.received.map(({ url, type }) => [url, type])).toEqual([
      ['/pix?a=1&b', 'pix.settled'],
      ['/pix?a=1&b', 'pix.expired'],
    ]);
    expect(out.received.map(({ url, type }) => [url, type])).toEqual([['/out', 'withdrawal.failed']]);
    const [event] = worldOf(sandbox).events.rows;
    if (event === undefined) throw new Error('Expected an event.');
    expect(pix.received[0]?.body).toBe(sandbox.server.sandbox.epoch.bodyOf(event).toString());
    expect([...worldOf(sandbox).endpoints.values()].map(({ url }) => url)).toEqual([
      'https://dev.listen.sandbox.localhost/',
      'https://dev-2.listen.sandbox.localhost/',
    ]);
  });

  test('requests events by its patterns, with the configured time limit, schedule and concurrency', async () => {
    await using sandbox = await cliSandbox();
    const options = { events: '*.failed', timeout: '90s', retries: 'fast', concurrency: '2' };
    await using listening = new Listening(sandbox.server.url, { forwardTo: [NOWHERE], ...options });
    await listening.come('ready');
    expect([...worldOf(sandbox).endpoints.values()]).toMatchObject([
      {
        events: ['pix.failed', 'withdrawal.failed'],
        timeoutMs: 90_000,
        schedule: 'fast',
        concurrency: 2,
        transport: 'listener',
      },
    ]);
  });

  test('sends the configured headers in addition to those of the delivery', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const header = ['X-Tenant: a', 'Authorization: Bearer x'];
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin], header });
    await listening.come('ready');
    trigger(sandbox);
    await listening.come('attempt');
    expect(app.received[0]?.headers).toMatchObject({
      'x-tenant': 'a',
      authorization: 'Bearer x',
      'webhook-id': worldOf(sandbox).events.rows[0]?.id,
      'content-type': 'application/json',
    });
  });

  test('identifies itself only when asked for its secret', async () => {
    await using sandbox = await cliSandbox();
    const secret = sandbox.server.env.SANDBOX_WEBHOOK_SECRET ?? '';
    const run = async (options: object, json: boolean) => {
      const listening = new Listening(sandbox.server.url, { forwardTo: [NOWHERE], ...options }, { json });
      await listening.until(() => listening.notes.some((note) => note.includes('Press Ctrl-C to stop')));
      await listening.stop();
      return JSON.stringify([listening.emitted, listening.notes]);
    };
    for (const json of [true, false]) {
      expect(await run({}, json)).not.toContain(secret);
      expect(await run({ printSecret: true }, json)).toContain(secret);
    }
  });

  test('reports a missing target first, verifies, and responds 200 itself', async () => {
    await using sandbox = await cliSandbox();
    const given = { simulate: '500,ok', events: 'pix.*', header: ['X-Tenant: a'] };
    await using listening = new Listening(sandbox.server.url, given, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    expect(listening.notes.slice(0, 3)).toEqual([
      'Nothing is forwarded: every delivery is verified and gets a 200 response. To forward deliveries, use --forward-to 3000/webhooks',
      '--header is ignored: nothing is forwarded.',
      'Ready. Receiving pix.settled, pix.failed, pix.expired.',
    ]);
    const { sandbox: inside } = sandbox.server;
    inside.dispatch({ type: 'fault.add', fault: WRONG_SIGNATURE });
    trigger(sandbox);
    trigger(sandbox, 'withdrawal.failed');
    await advance(sandbox, MINUTE_MS);
    await listening.until(() => listening.lines.length > 1);
    expect(listening.lines[0]).toContain('simulated (answer)');
    expect(listening.lines[1]).toMatch(/200 pix\.settled .*attempt 2\n.*✗ signature_mismatch/);
    expect(worldOf(sandbox).deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 2 }]);
  });

  test('prints a summary at Ctrl-C, removes its faults, and disconnects with pending deliveries', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp((_, ordinal) => (ordinal === 2 ? 500 : 200));
    const listening = new Listening(sandbox.server.url, {
      forwardTo: [app.origin],
      name: 'dev',
      duplicate: '0.001',
    });
    await listening.come('ready');
    for (let count = 0; count < 3; count += 1) trigger(sandbox);
    await listening.come('attempt', 3);
    await listening.stop();
    expect(listening.notes.at(-1)).toBe('\n2 accepted, 1 failed.');
    expect(listening.notes.at(-2)).toContain('Held until dev reconnects: 1 delivery.');
    const { endpoints, faults, deliveries } = worldOf(sandbox);
    expect([[...endpoints.values()].map(({ connected }) => connected), faults.size]).toEqual([[false], 0]);
    const ends = deliveries.rows.map(({ status, attempts }) => `${status} ${attempts}`);
    expect(ends.sort()).toEqual(['DELIVERED 1', 'DELIVERED 1', 'PENDING 1']);
  });

  test('reports the number of held deliveries, and receives them, or fails them with --fresh', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp((_, ordinal) => (ordinal <= 3 ? 500 : 200));
    const given = { forwardTo: [app.origin], name: 'dev' };
    const { sandbox: inside } = sandbox.server;
    const first = new Listening(sandbox.server.url, given);
    expect(await first.come('ready')).toMatchObject([{ released: 0, failed: 0 }]);
    for (let count = 0; count < 3; count += 1) trigger(sandbox);
    await first.come('attempt', 3);
    await first.stop();
    await inside.travel.advanceTo(inside.clock.now() + MINUTE_MS);
    expect(inside.isIdle()).toBe(true);
    const again = new Listening(sandbox.server.url, given, { json: false });
    await again.until(() => again.lines.length === 3);
    expect(again.notes[0]).toBe('Released 3 deliveries held while the listener was disconnected.');
    await again.stop();
    const { rows } = worldOf(sandbox).deliveries;
    expect(rows.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(3).fill('DELIVERED 2'));

    const hung = new Listening(sandbox.server.url, { ...given, forwardTo: [NOWHERE] });
    await hung.come('ready');
    trigger(sandbox);
    await hung.come('attempt');
    await hung.stop();
    const fresh = new Listening(sandbox.server.url, { ...given, fresh: true });
    expect(await fresh.come('ready')).toMatchObject([{ released: 0, failed: 1 }]);
    await fresh.stop();
    expect(rows.at(-1)).toMatchObject({ status: 'FAILED', lastError: 'LISTENER_LEFT', attempts: 1 });
  });

  test('reports at its return that it was disabled', async () => {
    await using sandbox = await cliSandbox();
    const first = new Listening(sandbox.server.url, { forwardTo: [NOWHERE] });
    await first.come('ready');
    await first.stop();
    const [endpointId = ''] = worldOf(sandbox).endpoints.keys();
    sandbox.server.sandbox.dispatch({ type: 'endpoint.disable', endpointId });
    await using again = new Listening(sandbox.server.url, { forwardTo: [NOWHERE] });
    await again.come('ready');
    const advice = `endpoints enable ${endpointId}`;
    await again.until(() => again.notes.some((note) => note.includes(advice)));
    expect(again.notes.join('\n')).toContain(advice);
  });

  test('rejects a second listener of the same name, with all its targets', async () => {
    await using sandbox = await cliSandbox();
    await using first = new Listening(sandbox.server.url, { forwardTo: [NOWHERE], name: 'dev-2' });
    await first.come('ready');
    const second = new Listening(sandbox.server.url, { forwardTo: [NOWHERE, NOWHERE], name: 'dev' });
    const error = await rejectionOf(second.work, SandboxError);
    expect(error.body).toMatchObject({ code: 'ENDPOINT_ALREADY_EXISTS' });
    const names = [...worldOf(sandbox).endpoints.values()].map(({ url, connected }) => [url, connected]);
    expect(names).toEqual([
      ['https://dev-2.listen.sandbox.localhost/', true],
      ['https://dev.listen.sandbox.localhost/', false],
    ]);
    expect(second.notes.filter((note) => note.includes('Lost connection'))).toEqual([]);
  });

  test.for([
    [
      { forwardTo: ['3000'], name: 'A' },
      '--name must have 1 to 40 characters from a-z, 0-9 and -, without a hyphen at either end; got A.',
    ],
    [{ forwardTo: ['3000'], events: 'pix.setled' }, 'Unknown event pix.setled.'],
    [{ forwardTo: ['3000'], retries: 'never' }, 'Unknown --retries value never.'],
    [{ forwardTo: ['3000'], timeout: 'long' }, '--timeout must be a duration; got long.'],
    [{ forwardTo: ['3000'], concurrency: '65' }, '--concurrency must be a number from 1 to 64; got 65.'],
  ] as const)('rejects %j before it connects', async ([options, message]) => {
    const listening = new Listening(NOWHERE, options);
    expect((await rejectionOf(listening.work, CliError)).message).toBe(message);
  });
});

describe('a signature', () => {
  /** Twice, so that the secret of the listener is not among those that sign. */
  function rotateTwice({ server: { sandbox } }: CliSandbox): void {
    const endpoint = [...sandbox.world.endpoints.values()].at(-1);
    for (const byte of [1, 2]) {
      const secret = `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
      sandbox.dispatch({ type: 'endpoint.rotate', endpointId: endpoint?.id ?? '', secret });
    }
  }

  test('a signature of a rotated secret is a problem, and the delivery is forwarded nevertheless', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const options = { forwardTo: [app.origin] };
    await using listening = new Listening(sandbox.server.url, options, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    trigger(sandbox);
    await listening.until(() => listening.lines.length > 0);
    rotateTwice(sandbox);
    trigger(sandbox);
    await listening.until(() => listening.lines.length > 1);
    expect(listening.lines[0]).toContain('✓ signed');
    expect(listening.lines[1]).toContain(
      '✗ signature_mismatch: No known signing error explains the signature: the secret differs',
    );
    expect(app.received).toHaveLength(2);
  });

  test('a signature is true or false as JSON, in a line that verify accepts', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin] });
    await listening.come('ready');
    trigger(sandbox);
    const [good] = await listening.come('attempt');
    rotateTwice(sandbox);
    trigger(sandbox);
    const [, bad] = await listening.come('attempt', 2);
    expect([good?.verified, bad?.verified]).toEqual([true, false]);
    const options = { delivery: JSON.stringify(good), tolerance: '1h' };
    const { exitCode } = await runBody('verify', { env: { SANDBOX_URL: sandbox.server.url }, options });
    expect(exitCode).toBe(0);
  });
});

describe('listen and its sandbox', () => {
  test('listen is never ready without a sandbox', async () => {
    const listening = new Listening(NOWHERE, { forwardTo: ['3000'] });
    await rejectionOf(listening.work, NotReachableError);
    expect([listening.emitted, listening.notes]).toEqual([[], []]);
  });

  test('reconnects with its faults when the sandbox returns, and is ready only then', async () => {
    await using app = await startApp();
    const first = await cliSandbox();
    const { port, url } = first.server;
    const options = { forwardTo: [app.origin], simulate: '500,ok' };
    await using listening = new Listening(url, options);
    await listening.come('ready');
    await first.server.close(0);
    await listening.until(() => listening.notes.some((note) => note.includes('Lost connection')));
    expect(listening.of('ready')).toHaveLength(1);
    await using second = await cliSandbox({ port, seed: 'second' });
    await listening.come('ready', 2);
    expect(faultsOf(second).map(({ action }) => action)).toEqual(['answer']);
    trigger(second);
    await advance(second, HOUR_MS);
    expect(worldOf(second).deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 2 }]);
    expect(app.received).toHaveLength(1);
    expect(listening.notes.filter((note) => note.includes('Lost connection'))).toHaveLength(1);
  });

  test('exits at Ctrl-C while the sandbox is disconnected', async () => {
    const sandbox = await cliSandbox();
    const listening = new Listening(sandbox.server.url, { forwardTo: [NOWHERE] });
    await listening.come('ready');
    await sandbox.server.close(0);
    await listening.until(() => listening.notes.some((note) => note.includes('Lost connection')));
    await listening.stop();
    expect(listening.notes.at(-1)).toBe('\n0 accepted, 0 failed.');
  });

  test('continues after a reset, with its faults', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin], simulate: '500' });
    await listening.come('ready');
    sandbox.server.sandbox.reset();
    await listening.until(() => listening.notes.some((note) => note.includes('was reset')));
    expect(faultsOf(sandbox).map(({ action }) => action)).toEqual(['answer']);
    trigger(sandbox);
    await advance(sandbox, HOUR_MS);
    expect(app.received).toHaveLength(1);
    expect(listening.of('ready')).toHaveLength(1);
  });
});

test('a nested listener gives up a missing response without printing it', async () => {
  await using sandbox = await cliSandbox();
  const app = createServer(() => {});
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const forwardTo = [`127.0.0.1:${(app.address() as AddressInfo).port}`];
  const { io, stdout } = fakeIo({ json: true });
  const within = await listenWithin({ by: 'start', io, options: { forwardTo }, server: sandbox.server });
  const came = once(app, 'request');
  trigger(sandbox);
  await came;
  const left = within.leave();
  within.abandon();
  await left;
  expect(stdout().trimEnd().split('\n')).toEqual([expect.stringContaining('"type":"forwarding"')]);
  expect([...worldOf(sandbox).endpoints.values()]).toMatchObject([{ connected: false }]);
  app.close();
  app.closeAllConnections();
});

describe('listen under faults', () => {
  test('simulates faults of attempts: 500, timeout, reset, lost, slow', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const simulate = '500,timeout,reset,lost,slow:1ms';
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin], simulate });
    await listening.come('ready');
    trigger(sandbox);
    await advance(sandbox, 45 * HOUR_MS);
    const [delivery] = worldOf(sandbox).deliveries.rows;
    expect(delivery?.log.map(({ status, error }) => [status, error])).toEqual([
      [500, 'HTTP_STATUS'],
      [null, 'TIMEOUT'],
      [null, 'CONNECTION_RESET'],
      [null, 'CONNECTION_RESET'],
      [200, null],
    ]);
    expect(delivery?.status).toBe('DELIVERED');
    expect(app.received).toHaveLength(2);
    await listening.come('simulated', 5);
    expect(listening.of('simulated').map(({ action, attempt }) => [action, attempt])).toEqual([
      ['answer', 1],
      ['timeout', 2],
      ['drop', 3],
      ['lose-answer', 4],
      ['slow', 5],
    ]);
  });

  test('labels what a fault sent in addition to the attempt', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const options = { forwardTo: [app.origin], duplicate: '1' };
    await using listening = new Listening(sandbox.server.url, options, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    const labels = async (count: number) => {
      await listening.until(() => listening.lines.length >= count);
      await sandbox.server.sandbox.idle();
      return listening.lines.splice(0).map((text) => /(?:duplicate|stale): .*/.exec(text)?.[0]);
    };
    trigger(sandbox);
    expect(await labels(2)).toEqual([undefined, 'duplicate: a fault sent this event twice']);
    for (const fault of [{ action: 'duplicate', copies: 2 }, { action: 'stale-expired' }]) {
      const [old] = worldOf(sandbox).faults.keys();
      const url = `${sandbox.server.url}/_sandbox/faults`;
      await fetch(`${url}/${old}`, { method: 'DELETE' });
      const headers = { 'content-type': 'application/json' };
      await fetch(url, { method: 'POST', headers, body: JSON.stringify(fault) });
      trigger(sandbox);
      expect(await labels('copies' in fault ? 3 : 2)).toEqual(
        'copies' in fault
          ? [
              undefined,
              'duplicate: a fault sent this event twice',
              'duplicate: a fault sent this event 3 times',
            ]
          : [undefined, 'stale: a fault sent this event after a newer one'],
      );
    }
  });

  test('blames only an application that accepts a signature broken by a fault', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp((_, ordinal) => (ordinal === 1 ? 400 : 200));
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin] }, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    const fault = { ...WRONG_SIGNATURE, match: { ...WRONG_SIGNATURE.match, attempt: null }, count: 2 };
    sandbox.server.sandbox.dispatch({ type: 'fault.add', fault });
    for (const count of [1, 2]) {
      trigger(sandbox);
      await listening.until(() => listening.lines.length === count);
    }
    const [refused, accepted] = listening.lines.map((lines) => lines.split('\n')[1]?.trim());
    const broken = '✗ signature_mismatch: the fault wrong-signature was injected, and your application';
    expect(refused).toBe(`${broken} correctly refused it.`);
    expect(accepted).toBe(`${broken} accepted it: verify signatures before anything else.`);
    expect(listening.lines.join('\n')).not.toContain('No common mistake');
  });

  test('recognizes no attempt as a duplicate after a reset that repeats ids', async () => {
    await using sandbox = await cliSandbox();
    const answers: (() => void)[] = [];
    let tellAsked = () => {};
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    await using app = await startRawReceiver((socket) => {
      answers.push(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
      if (answers.length > 1) answers.at(-1)?.();
      tellAsked();
    });
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.url] }, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    trigger(sandbox);
    const [before] = worldOf(sandbox).deliveries.rows;
    await asked;
    sandbox.server.sandbox.reset();
    await listening.until(() => listening.notes.some((note) => note.includes('was reset')));
    trigger(sandbox);
    expect(worldOf(sandbox).deliveries.rows[0]?.id).toBe(before?.id);
    await listening.until(() => listening.lines.length > 0);
    answers[0]?.();
    await listening.until(() => listening.lines.length > 1);
    expect(listening.lines.join('\n')).not.toContain('a fault sent');
  });

  test('registers the requested faults, only for its own endpoints', async () => {
    await using sandbox = await cliSandbox();
    const forwardTo = ['pix.*=localhost:1/', 'withdrawal.*=localhost:1/'];
    const options = { forwardTo, shuffle: '0.3', delay: '0.5:2ms', simulate: 'ok,lost' };
    await using listening = new Listening(sandbox.server.url, options);
    await listening.come('ready', 2);
    const ids = [...worldOf(sandbox).endpoints.keys()];
    for (const endpoint of ids) {
      expect(faultsOf(sandbox).filter((fault) => fault.endpoint === endpoint)).toEqual([
        { action: 'lose-answer', attempt: 2, endpoint, probability: 1 },
        { action: 'reorder', attempt: null, endpoint, probability: 0.3 },
        { action: 'delay', attempt: null, endpoint, probability: 0.5 },
      ]);
    }
    expect(faultsOf(sandbox)).toHaveLength(6);
  });
});
