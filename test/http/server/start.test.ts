import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LAST_INSTANT_MS } from '../../../src/contract/time.js';
import { PortTakenError } from '../../../src/http/server/serve.js';
import type { ServerOptions } from '../../../src/http/server/start.js';
import { isLoopbackHost, startServer } from '../../../src/http/server/start.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { tempFolder } from '../../helpers/temp-folder.js';

async function start(options: ServerOptions) {
  const server = await startServer(options);
  onTestFinished(() => server.close(0));
  return server;
}

describe('the start of a sandbox', () => {
  test('listens on the loopback addresses and reports them', async () => {
    const server = await start({ port: 0 });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.env.SANDBOX_URL).toBe(server.url);
    const urls = [server.url, `http://localhost:${server.port}`];
    const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
      all?.some(({ address }) => address === '::1'),
    );
    if (hasIpv6) urls.push(`http://[::1]:${server.port}`);
    for (const url of urls) expect((await fetch(`${url}/_sandbox/livez`)).status).toBe(200);
    const env = await (await fetch(`${server.url}/_sandbox/env`)).json();
    expect(env).toEqual(server.env);
  });

  test('rejects a used port and invalid options, and leaves nothing open', async () => {
    const { port } = await start({ port: 0 });
    await expect(startServer({ port })).rejects.toThrow(PortTakenError);
    await expect(startServer({ port: 0, assume: { nothing: 'x' } })).rejects.toThrow(
      'Unknown assumption nothing',
    );
  });

  test.each([
    [LAST_INSTANT_MS + 1, '10000-01-01'],
    [8_640_000_000_000_000, '275760-09-13'],
    [-1, '1969-12-31'],
  ])('rejects the system date of %d ms, and opens no data directory', async (nowMs, date) => {
    using folder = tempFolder();
    const dataDirectory = `${folder.path}/data`;
    await expect(startServer({ realNow: () => nowMs, freezeAt: 0, dataDirectory })).rejects.toThrow(
      `The system date is ${date}; expected a year from 1970 to 9999.`,
    );
    expect(existsSync(dataDirectory)).toBe(false);
  });

  test('creates a new instance id each time', async () => {
    const [first, second] = await Promise.all([start({}), start({})]);
    expect(first.instanceId).not.toBe(second.instanceId);
  });

  test('knows which hosts are reachable only from this machine', () => {
    for (const host of [undefined, 'localhost', '127.0.0.1', '127.9.9.9', '::1']) {
      expect(isLoopbackHost(host)).toBe(true);
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', '127.evil.example', '']) {
      expect(isLoopbackHost(host)).toBe(false);
    }
  });

  test('does not open the control API off loopback without a token', async () => {
    await expect(startServer({ host: '0.0.0.0', port: 0 })).rejects.toThrow('requires a token');
    await expect(startServer({ host: '0.0.0.0', port: 0, controlToken: '' })).rejects.toThrow(
      'requires a token',
    );
    const server = await start({ host: '0.0.0.0', port: 0, controlToken: 'secret' });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect((await fetch(`${server.url}/_sandbox/status`)).status).toBe(401);
  });
});

describe('the control token', () => {
  test('the control token is required by every control route but livez and readyz, and by nothing else', async () => {
    const server = await start({ controlToken: 'secret' });
    const ask = (path: string, authorization?: string, method = 'GET') =>
      server.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: authorization === undefined ? {} : { authorization },
        }),
        {},
      );
    for (const [path, yes] of [
      ['livez', { live: true }],
      ['readyz', { ready: true }],
    ] as const) {
      const answer = await ask(`/_sandbox/${path}`);
      expect([answer.status, await answer.json()]).toEqual([200, yes]);
      expect((await ask(`/_sandbox/${path}`, undefined, 'HEAD')).status).toBe(200);
    }
    expect((await ask('/_sandbox/livez', 'Bearer wrong1')).status).toBe(200);
    // Whether a token is right shows in what follows, so a wrong one is refused, and slowly.
    expect((await ask('/_sandbox/readyz', 'Bearer wrong1')).status).toBe(401);
    expect((await ask('/_sandbox/readyz', undefined, 'POST')).status).toBe(401);
    const ready = await ask('/_sandbox/readyz', 'Bearer secret');
    expect(await ready.json()).toMatchObject({ ready: true, instance_id: server.instanceId });
    for (const path of ['status', 'stream', 'nothing', 'livez/x', 'livez/../env', 'readyz/']) {
      for (const given of [
        undefined,
        'Bearer',
        'Bearer wrong1',
        'Bearer secret2',
        'secret',
        'Basic secret',
      ]) {
        const answer = await ask(`/_sandbox/${path}`, given);
        expect(answer.status).toBe(401);
        expect(await answer.json()).toMatchObject({
          error: { code: 'UNAUTHENTICATED', hint: expect.stringContaining('SANDBOX_CONTROL_TOKEN') },
        });
      }
    }
    expect((await ask('/_sandbox/reset', undefined, 'POST')).status).toBe(401);
    expect((await ask('/_sandbox/status', 'Bearer secret')).status).toBe(200);
    expect((await ask('/_sandbox/nothing', 'Bearer secret')).status).toBe(404);
    const { token } = server.sandbox.credentials;
    expect((await ask('/api/public/v1/withdrawals', `Bearer ${token}`)).status).toBe(200);
  });
});

describe('closing a sandbox', () => {
  test('ends streams and waiting requests, and then everything else', async () => {
    const server = await startServer({ port: 0 });
    await using stream = new RawConnection(server.port);
    stream.request(['GET /_sandbox/stream/timeline HTTP/1.1', 'Host: localhost']);
    await stream.holds('"ready"');
    await using waiting = new RawConnection(server.port);
    waiting.request(['GET /_sandbox/deliveries/wait?timeout=1h HTTP/1.1', 'Host: localhost']);
    await using idle = new RawConnection(server.port);
    idle.request(['GET /_sandbox/livez HTTP/1.1', 'Host: localhost']);
    await idle.response();
    const closed = server.close(60_000);
    expect((await waiting.response()).text).toContain('"satisfied":false');
    expect(await stream.rest()).toContain('0\r\n\r\n');
    await closed;
    expect(await idle.rest()).toBe('');
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });
});
