import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import type { Receiver } from '../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { newWebhookSecret } from '../../../src/sandbox/credentials.js';

const FROZEN = {
  freezeAt: Date.parse('2026-01-01T00:00:00Z'),
  policy: { routes: new Map<string, string>(), allowLocalEndpoints: true },
};

async function ask(server: SandboxServer, query = ''): Promise<{ status: number; body: unknown }> {
  const response = await server.fetch(new Request(`http://localhost/_sandbox/idle${query}`), {});
  return { status: response.status, body: await response.json() };
}

/** A receiver that keeps its requests waiting until they are let go; `held` resolves with the first. */
async function holdingReceiver(): Promise<{ receiver: Receiver; held: Promise<void>; letGo: () => void }> {
  let letGo = () => {};
  let tellHeld = () => {};
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const receiver = await startRawReceiver((socket) => {
    letGo = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    tellHeld();
  });
  return { receiver, held, letGo: () => letGo() };
}

function settleFor({ sandbox }: SandboxServer, url: string): void {
  sandbox.dispatch({
    type: 'endpoint.create',
    appId: sandbox.world.apps.rows[0]?.id ?? '',
    endpoint: {
      url,
      description: null,
      events: ['pix.settled'],
      secret: newWebhookSecret(sandbox.drawBytes),
    },
  });
  sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
}

describe('GET idle', () => {
  test('answers at once when nothing is in flight, also while something is due later', async () => {
    const server = await startServer(FROZEN);
    try {
      expect(await ask(server)).toEqual({ status: 200, body: { idle: true } });
      settleFor(server, 'http://127.0.0.1:1/');
      await server.sandbox.idle();
      expect(server.sandbox.world.agenda.length).toBeGreaterThan(0);
      expect(await ask(server, '?timeout=0s')).toEqual({ status: 200, body: { idle: true } });
    } finally {
      await server.close();
    }
  });

  test('answers as soon as the attempt that was in flight has ended', async () => {
    const server = await startServer(FROZEN);
    const { receiver, held, letGo } = await holdingReceiver();
    try {
      settleFor(server, receiver.url);
      await held;
      const asked = ask(server, '?timeout=1h');
      letGo();
      expect(await asked).toEqual({ status: 200, body: { idle: true } });
    } finally {
      await server.close();
      await receiver.close();
    }
  });

  test('says no when the time is up first, or the sandbox closes', async () => {
    const server = await startServer(FROZEN);
    const { receiver, held } = await holdingReceiver();
    try {
      settleFor(server, receiver.url);
      await held;
      expect(await ask(server, '?timeout=5ms')).toEqual({ status: 200, body: { idle: false } });
      const asked = ask(server, '?timeout=1h');
      await setImmediate(); // The request has been read then, and waits.
      server.sandbox.close();
      expect(await asked).toEqual({ status: 200, body: { idle: false } });
    } finally {
      await server.close();
      await receiver.close();
    }
  });

  test.each(['30', 'soon', '2d'])('refuses the timeout %s', async (timeout) => {
    const server = await startServer(FROZEN);
    try {
      expect(await ask(server, `?timeout=${timeout}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST' } },
      });
    } finally {
      await server.close();
    }
  });
});
