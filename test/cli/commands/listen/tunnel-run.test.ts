import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { runTunnel } from '../../../../src/cli/commands/listen/tunnel.js';
import { TUNNEL_LIMITS } from '../../../../src/tunnel/tunnel.js';
import { newProbe } from '../../../../src/tunnel/tunnel.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { Relay } from '../../../helpers/tunnel/relay.js';
import { Pauses } from '../../../helpers/tunnel/tunnel.js';

/** A tunnel to a server that answers the probe alone, and what is said of it. */
async function running(relay: Relay, { json = false } = {}) {
  const probe = newProbe();
  const server = createServer((_, response) => response.end(probe.token)).listen(0, 'localhost');
  await once(server, 'listening');
  const said = fakeIo({ json });
  const pauses = new Pauses([TUNNEL_LIMITS.healthMs]);
  const ready: string[] = [];
  const ended = runTunnel({
    plan: { relay: new URL(relay.url), name: undefined, forMs: 0 },
    io: said.io,
    probe,
    localPort: (server.address() as AddressInfo).port,
    signal: said.io.stopping,
    pause: pauses.pause,
    onReady: (url) => ready.push(url),
  }).catch((error: unknown) => error);
  onTestFinished(async () => {
    said.stop();
    await ended;
    server.closeAllConnections();
    server.close();
  });
  return { ...said, ready, ended, emitted: () => parsed(said.stdout()) };
}

function parsed(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('a tunnel of a command', () => {
  test('is warned of by the name of its relay, and is ready once', async () => {
    await using relay = await Relay.start();
    const { ready, stderr, stop, ended } = await running(relay);
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    await relay.forget();
    await vi.waitFor(() => expect(stderr()).toContain('The tunnel is open again'));
    expect(stderr()).toContain(`warning All traffic passes through ${new URL(relay.url).host}`);
    expect(stderr()).toMatch(/The tunnel is closed\. .* Try 2 of 10 follows in 1 s\./);
    expect(ready).toEqual([relay.tunnel.url]);
    stop();
    expect(await ended).toBeUndefined();
  });

  test('that comes back elsewhere says the new URL aloud', async () => {
    await using relay = await Relay.start();
    const { ready, stderr, emitted } = await running(relay, { json: true });
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    relay.isForgetful = true;
    await relay.forget();
    await vi.waitFor(() => expect(emitted()).toHaveLength(2));
    const { url } = relay.tunnel;
    expect(stderr()).toContain(`The public URL has changed. Register ${url} instead of ${ready[0]}`);
    expect(emitted()).toEqual([
      expect.objectContaining({ type: 'tunnel', state: 'failed', tries: 1, limit: 10, wait_ms: 1_000 }),
      { type: 'tunnel', state: 'open', url, changed: true },
    ]);
  });

  test('that cannot be opened ends with 1 and what to do, having told of each try', async () => {
    await using relay = await Relay.start();
    relay.ask = 502;
    const { ready, stderr, ended } = await running(relay);
    const error = await ended;
    if (!(error instanceof CliError)) throw new Error(`Expected a CliError; got ${String(error)}`);
    expect([error.exitCode, error.code]).toEqual([1, 'TUNNEL_FAILED']);
    expect(error.message).toContain(
      `The tunnel could not be opened. The relay ${new URL(relay.url).host} answered 502`,
    );
    expect(error.hint).toContain('--tunnel-host');
    expect(stderr().match(/Try \d of 5 follows in \d s\./g)).toEqual([
      'Try 2 of 5 follows in 1 s.',
      'Try 3 of 5 follows in 2 s.',
      'Try 4 of 5 follows in 4 s.',
      'Try 5 of 5 follows in 8 s.',
    ]);
    expect(ready).toEqual([]);
  });

  test('that is lost for good says that it was open', async () => {
    await using relay = await Relay.start();
    const { ready, ended } = await running(relay);
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    await relay.die();
    expect(await ended).toMatchObject({ exitCode: 1, code: 'TUNNEL_LOST' });
  });
});
