import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stateFile } from '../../../src/sandbox/state-file.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';

const PATH = '/_sandbox/state';
/** More than one piece takes. */
const CHARGES = 150;

async function livedApi(): Promise<TestApi> {
  const api = await testApi();
  for (let count = 0; count < CHARGES; count += 1)
    api.sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  return api;
}

function expectedOf({ sandbox }: TestApi): string {
  return JSON.stringify(stateFile({ world: sandbox.world, rate: sandbox.clock.rate }));
}

describe('an export that takes many turns', () => {
  beforeEach(() => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
  });
  afterEach(() => void vi.restoreAllMocks());

  test('is the sandbox as it was when it was asked for, whatever is done meanwhile', async () => {
    const api = await livedApi();
    const expected = expectedOf(api);
    const { body } = await api.open('GET', PATH);
    const decoder = new TextDecoder();
    let text = '';
    let chunks = 0;
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      chunks += 1;
      api.sandbox.dispatch({ type: 'trigger', event: 'withdrawal.failed' });
      api.sandbox.dispatch({ type: 'clock.tick' }, api.sandbox.world.now + 60_000);
    }
    expect(text).toBe(expected);
    expect(chunks).toBeGreaterThan(CHARGES / 64);
    expect(expectedOf(api)).not.toBe(expected);
  });

  test('leaves turns to others', async () => {
    const api = await livedApi();
    let turns = 0;
    const done = new AbortController();
    const others = (async () => {
      for (; !done.signal.aborted; turns += 1) await setImmediate();
    })();
    await api.control('GET', 'state');
    done.abort();
    await others;
    expect(turns).toBeGreaterThan(CHARGES / 64);
  });

  test('goes on with the world that it began with when another takes its place', async () => {
    const api = await livedApi();
    const expected = expectedOf(api);
    const answer = await api.open('GET', PATH);
    await api.control('POST', 'reset');
    expect(await answer.text()).toBe(expected);
  });

  test('ends when its client leaves', async () => {
    const api = await livedApi();
    const { body } = await api.open('GET', PATH);
    expect(api.sandbox.world.readers.size).toBe(1);
    await body?.cancel();
    expect(api.sandbox.world.readers.size).toBe(0);
  });
});

test('GET state leaves nothing open once it was read, and HEAD has no body', async () => {
  const api = await livedApi();
  const answer = await api.open('GET', PATH);
  expect(await answer.text()).toBe(expectedOf(api));
  const head = await api.open('HEAD', PATH);
  expect(await head.text()).toBe('');
  expect(head.headers.get('content-type')).toBe('application/json');
  expect(api.sandbox.world.readers.size).toBe(0);
});
