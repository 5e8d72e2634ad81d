import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { TunnelLimits } from '../../src/tunnel/tunnel.js';
import { readGrant, TUNNEL_LIMITS, TunnelGoneError } from '../../src/tunnel/tunnel.js';
import { Relay } from '../helpers/tunnel/relay.js';
import { TestTunnel } from '../helpers/tunnel/tunnel.js';

const { healthMs, recheckMs, stableMs } = TUNNEL_LIMITS;

/** A kept connection would keep one of the tunnel's. */
const CLOSE = { headers: { connection: 'close' } };

describe('an open tunnel', () => {
  test('reports its URL before any request, and opens once the probe has returned', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    const [url] = await tunnel.opened();
    expect(url).toBe(relay.tunnel.url);
    expect(tunnel.said).toEqual([{ url }, { open: url }]);
    expect(relay.asked).toEqual(['/?new']);
    expect(tunnel.requests).toEqual([]);
  });

  test('forwards requests and responses byte for byte, with the original Host', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    const seen: { host: string | undefined; body: Buffer }[] = [];
    tunnel.handle = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      seen.push({ host: request.headers.host, body });
      response.end(body);
    };
    const [url = ''] = await tunnel.opened();
    // What looks like a header in a body, and bytes that are no text: both were rewritten once.
    const body = Buffer.concat([Buffer.from('\r\nHost: evil\r\n\r\n'), randomBytes(100_000)]);
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await fetch(`${url}/path?query=1`, { method: 'POST', body, ...CLOSE });
        return Buffer.from(await response.arrayBuffer()).equals(body);
      }),
    );
    expect(answers).toEqual(Array.from({ length: 12 }, () => true));
    expect(new Set(tunnel.requests)).toEqual(new Set(['POST /path?query=1']));
    expect(seen.map(({ host }) => host)).toEqual(Array.from({ length: 12 }, () => new URL(url).host));
    expect(seen.every((one) => one.body.equals(body))).toBe(true);
  });

  test('keeps as many connections waiting as the relay requested', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    const [url = ''] = await tunnel.opened();
    for (let n = 0; n < 10; n += 1) {
      const response = await fetch(url, CLOSE);
      expect(await response.text()).toBe('hello');
    }
    await vi.waitFor(() => expect(relay.tunnel.idle).toBe(relay.connectionCount));
    expect(relay.tunnel.linked).toBeGreaterThanOrEqual(10);
    expect(tunnel.failed).toEqual([]);
  });

  test('requests the configured name', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay, { name: 'my-shop' });
    await tunnel.opened();
    expect(relay.asked).toEqual(['/my-shop']);
  });

  test('an open tunnel is checked periodically, and tolerates one failure', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    await tunnel.opened();
    await tunnel.pauses.began(healthMs);
    tunnel.answersProbe = false;
    tunnel.handle = (_, response) => {
      tunnel.answersProbe = true;
      response.writeHead(502).end();
    };
    tunnel.pauses.end(healthMs);
    await vi.waitFor(() =>
      expect(tunnel.pauses.asked.filter((ms) => ms === healthMs || ms === recheckMs)).toEqual([
        healthMs,
        recheckMs,
        healthMs,
      ]),
    );
    expect(tunnel.said).toHaveLength(2);
  });
});

describe('a broken tunnel', () => {
  test('reopens under the same name', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    const [url] = await tunnel.opened();
    tunnel.nowMs = stableMs;
    await relay.forget();
    expect(await tunnel.opened(2)).toEqual([url, url]);
    expect(relay.asked).toEqual(['/?new', '/tunnel-1']);
    expect(tunnel.failed).toEqual([
      {
        reason: expect.stringMatching(/ECONN/),
        tries: 1,
        limit: TUNNEL_LIMITS.attemptsAfterLoss,
        waitMs: 1_000,
      },
    ]);
  });

  test('reports the new URL if the relay assigns another', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay);
    await tunnel.opened();
    relay.isForgetful = true;
    await relay.forget();
    const urls = await tunnel.opened(2);
    expect(urls[1]).not.toBe(urls[0]);
    expect(await (await fetch(urls[1] ?? '', CLOSE)).text()).toBe('hello');
  });

  test('waits for a relay that crashes and returns', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay, { limits: { attemptsAfterLoss: 1_000_000 } });
    const [url] = await tunnel.opened();
    await relay.die();
    await vi.waitFor(() => expect(tunnel.failed.at(-1)?.reason).toContain('cannot be reached: ECONNREFUSED'));
    await relay.stopOvertaking();
    expect(await tunnel.opened(2)).toEqual([url, url]);
  });

  test('a broken tunnel is detected when connections stay open without traffic', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay, { limits: { probeMs: 500 } });
    const [url] = await tunnel.opened();
    await tunnel.pauses.began(healthMs);
    relay.tunnel.links = 'ignore';
    tunnel.pauses.end(healthMs);
    await tunnel.opened(2);
    expect(tunnel.failed.map(({ reason }) => reason)).toEqual([
      `Requests to ${url} no longer reach this process: the request timed out.`,
    ]);
  });

  test('a broken tunnel is given up if it keeps opening and breaking', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay, { limits: { attemptsAfterLoss: 3 } });
    for (let count = 1; count <= 3; count += 1) {
      await tunnel.opened(count);
      await relay.forget();
    }
    const error: unknown = await tunnel.ended.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TunnelGoneError);
    expect(error).toMatchObject({ wasOpen: true });
  });
});

describe('a tunnel that does not open', () => {
  const quickProbes = { probeMs: 50, readyMs: 60, readyProbes: 2 };

  test.for<[string, (relay: Relay) => void | Promise<void>, RegExp, Partial<TunnelLimits>?]>([
    ['is down', (relay) => relay.die(), /^The relay 127.0.0.1:\d+ cannot be reached: ECONNREFUSED.$/],
    ['answers 503', (relay) => void (relay.ask = 503), /^The relay 127.0.0.1:\d+ responded with HTTP 503.$/],
    [
      'responds with something else',
      (relay) => void (relay.ask = 'garbage'),
      /^The relay 127.0.0.1:\d+ did not return a tunnel URL and port.$/,
    ],
    [
      'never answers',
      (relay) => void (relay.ask = 'hang'),
      /cannot be reached: the request timed out.$/,
      { relayMs: 50 },
    ],
    ['hangs up', (relay) => void (relay.ask = 'hang-up'), /cannot be reached: (UND_ERR_SOCKET|ECONNRESET).$/],
    [
      'refuses the connections',
      (relay) => void (relay.links = 'refuse'),
      /^The relay 127.0.0.1 does not accept connections on port \d+: ECONNREFUSED.$/,
    ],
    [
      'closes the connections',
      (relay) => void (relay.links = 'close'),
      /^The relay 127.0.0.1 does not accept connections on port \d+: (it closes them|ECONNRESET).$/,
    ],
    [
      'forwards nothing',
      (relay) => void (relay.links = 'ignore'),
      /^The relay assigned http:\/\/127.0.0.1:\d+, but requests do not reach this process: the request timed out.$/,
      quickProbes,
    ],
  ])(
    'a tunnel that does not open is tried five times because its relay %s',
    async ([, spoil, reason, limits = {}]) => {
      await using relay = await Relay.start();
      await spoil(relay);
      await using tunnel = TestTunnel.open(relay, { limits });
      const error: unknown = await tunnel.ended.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TunnelGoneError);
      expect(error).toMatchObject({ wasOpen: false, message: expect.stringMatching(reason) });
      expect(tunnel.failed).toEqual(
        [1_000, 2_000, 4_000, 8_000].map((waitMs, index) => ({
          reason: expect.stringMatching(reason),
          tries: index + 1,
          limit: 5,
          waitMs,
        })),
      );
      expect(tunnel.said.filter((one) => 'open' in one)).toEqual([]);
    },
  );

  test('a tunnel is not open if another server responds', async () => {
    await using relay = await Relay.start();
    await using tunnel = TestTunnel.open(relay, { limits: { readyProbes: 2, attemptsAtFirst: 1 } });
    tunnel.answersProbe = false;
    await expect(tunnel.ended).rejects.toThrow('the response had unexpected content');
    tunnel.handle = (_, response) => response.writeHead(404).end();
    await using other = TestTunnel.open(relay, { limits: { readyProbes: 2, attemptsAtFirst: 1 } });
    other.answersProbe = false;
    other.handle = (_, response) => response.writeHead(302, { location: '/' }).end();
    await expect(other.ended).rejects.toThrow('the response was HTTP 302');
  });

  test('closes immediately during the request to the relay', async () => {
    await using relay = await Relay.start();
    relay.ask = 'hang';
    await using tunnel = TestTunnel.open(relay);
    await vi.waitFor(() => expect(relay.asked).toHaveLength(1));
    tunnel.stop();
    await tunnel.ended;
    expect(tunnel.failed).toEqual([]);
  });
});

const RELAY = new URL('https://relay.example/base');
const GOOD = { id: 'my-shop', url: 'https://my-shop.relay.example', port: 34_567, max_conn_count: 10 };

function read(changes: object) {
  return readGrant(JSON.stringify({ ...GOOD, ...changes }), RELAY);
}

describe('a tunnel grant', () => {
  test('a tunnel grant is parsed', () => {
    expect(read({})).toEqual({
      id: 'my-shop',
      url: 'https://my-shop.relay.example',
      host: 'relay.example',
      ip: undefined,
      port: 34_567,
      connections: 10,
    });
  });

  test('contains an address, which may be the relay', () => {
    expect(read({ ip: '192.0.2.7' })?.ip).toBe('192.0.2.7');
    expect(read({ ip: 'evil.example' })?.ip).toBeUndefined();
    expect(readGrant(JSON.stringify(GOOD), new URL('http://[::1]:8080'))?.host).toBe('::1');
  });

  test.for([
    [undefined, 1],
    [-5, 1],
    [2.5, 1],
    ['7', 1],
    [7, 7],
    [1_000_000, 16],
  ])('limits %s requested connections to %i', ([count, connections]) => {
    expect(read({ max_conn_count: count })?.connections).toBe(connections);
  });

  test('a tunnel grant has a bare origin as its URL', () => {
    expect(read({ url: 'http://127.0.0.1:8080/' })?.url).toBe('http://127.0.0.1:8080');
    for (const url of [
      'my-shop.relay.example',
      'ftp://my-shop.relay.example',
      'javascript:alert(1)',
      'https://user:password@my-shop.relay.example',
      'https://my-shop.relay.example/path',
      'https://my-shop.relay.example\u001b[2J/x',
      7,
    ]) {
      expect(read({ url })).toBeUndefined();
    }
  });

  test.for([
    { port: 0 },
    { port: 65_536 },
    { port: '80' },
    { port: 80.5 },
    { id: '' },
    { id: 'a/../b' },
    { id: 7 },
  ])('a tunnel grant is rejected with %j', (changes) => {
    expect(read(changes)).toBeUndefined();
  });

  test('a tunnel grant is rejected for any other response', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readGrant(text, RELAY)).toBeUndefined();
      }),
    );
  });
});
