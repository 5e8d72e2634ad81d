import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { inSlices } from '../../../src/http/control/in-slices.js';
import { startServer } from '../../../src/http/server/start.js';
import { takingSnapshot } from '../../../src/sandbox/snapshots.js';
import { stateFile } from '../../../src/sandbox/state-file.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
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

/** How many turns of the event loop others had meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const done = new AbortController();
  const others = (async () => {
    for (; !done.signal.aborted; turns += 1) await setImmediate();
  })();
  await work();
  done.abort();
  await others;
  return turns;
}

describe('a state that takes many turns', () => {
  beforeEach(() => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
  });
  afterEach(() => void vi.restoreAllMocks());

  test('is exported as it was when it was asked for, whatever is done meanwhile', async () => {
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

  test('leaves turns to others, whatever is done with it', async () => {
    const api = await livedApi();
    const { body: exported } = await api.control('GET', 'state');
    const works: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', 'state'],
      ['POST', 'state/snapshots', { name: 'one' }],
      ['POST', 'state/compare', { from: 'one' }],
      ['POST', 'state/snapshots/one/restore'],
      ['PUT', 'state', exported],
    ];
    for (const [method, path, body] of works) {
      const turns = await turnsDuring(async () => {
        const { status } = await api.control(method, path, body);
        expect(status).toBeLessThan(300);
      });
      expect({ path, isSliced: turns > CHARGES / 64 }).toEqual({ path, isSliced: true });
    }
  });

  test('is saved as it was when that was asked for', async () => {
    const { sandbox } = await livedApi();
    const expected = exportWorld(sandbox.world);
    const saving = inSlices(takingSnapshot(sandbox, 'one'));
    await turnsDuring(async () => {
      sandbox.dispatch({ type: 'trigger', event: 'withdrawal.failed' });
      await saving;
    });
    expect(sandbox.snapshots.find('one').world).toEqual(expected);
    expect(exportWorld(sandbox.world)).not.toEqual(expected);
    expect(sandbox.world.readers.size).toBe(0);
  });

  test('is exported to its end when another takes its place', async () => {
    const api = await livedApi();
    const expected = expectedOf(api);
    const answer = await api.open('GET', PATH);
    await api.control('POST', 'reset');
    expect(await answer.text()).toBe(expected);
  });

  test('is no longer exported when its client leaves', async () => {
    const api = await livedApi();
    const { body } = await api.open('GET', PATH);
    expect(api.sandbox.world.readers.size).toBe(1);
    await body?.cancel();
    expect(api.sandbox.world.readers.size).toBe(0);
  });
});

test('a state over its limit is refused before it is sent, with its size', async () => {
  const server = await startServer({ port: 0 });
  onTestFinished(() => server.close(0));
  await using connection = new RawConnection(server.port);
  const bytes = LIMITS.stateBodyBytes + 1;
  const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${bytes}`];
  const { status, code, text } = await connection.request([`PUT ${PATH} HTTP/1.1`, ...lines]).response();
  expect([status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(text).toContain(`The body is over the limit of ${LIMITS.stateBodyBytes} bytes; received ${bytes}.`);
});

test('a state that is nested too deep is refused with the place', async () => {
  const api = await testApi();
  const body = `{"format":"pix-sandbox-state","world":{"charges":${'['.repeat(100)}`;
  const { status, body: answer } = await api.control('PUT', 'state', body);
  expect([status, answer.error.message]).toEqual([
    400,
    `The body is nested deeper than ${LIMITS.jsonDepth} levels at byte ${body.indexOf('[') + LIMITS.jsonDepth - 2}.`,
  ]);
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
