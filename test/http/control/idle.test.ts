import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { REFUSED_URL, testApi } from '../../helpers/http/api-client.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';

/** A sandbox with an attempt in flight, which ends when it is let go. */
async function busy() {
  const api = await testApi();
  const listener = listenTo(api.sandbox, { status: () => undefined });
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  return { api, letGo: () => listener.answer(listener.received[0], 200) };
}

describe('GET idle', () => {
  test('responds immediately when nothing is in flight, even if something is due later', async () => {
    const api = await testApi();
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    await api.sandbox.idle();
    expect(api.sandbox.world.agenda.length).toBeGreaterThan(0);
    expect((await api.control('GET', 'idle?timeout=0s')).body).toEqual({ idle: true });
  });

  test('responds as soon as the attempt in flight has ended', async () => {
    const { api, letGo } = await busy();
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    letGo();
    expect((await waiting).body).toEqual({ idle: true });
  });

  test('says no when the time is up first, or the sandbox closes', async () => {
    const { api } = await busy();
    expect((await api.control('GET', 'idle?timeout=5ms')).body).toEqual({ idle: false });
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    api.sandbox.close();
    expect((await waiting).body).toEqual({ idle: false });
  });

  test.each(['30', 'soon', '2d'])('refuses the timeout %s', async (timeout) => {
    const { status, body } = await (await testApi()).control('GET', `idle?timeout=${timeout}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
