import { expect } from 'vitest';
import type { RunInput, Scenarios, ScenarioRun } from '../../../src/http/control/world.js';
import { testApi, test } from '../../helpers/http/api-client.js';

const PASSED: ScenarioRun = { passed: true, sandbox: { kind: 'fresh' }, scenarios: [] };

/** Scenarios whose runs end when they are told to. */
function held() {
  const started: { input: RunInput; end: () => void }[] = [];
  const scenarios: Scenarios = {
    list: () => [{ name: 'paid', description: 'A payment.', file: 'paid.json' }],
    run: (input) =>
      new Promise((resolve, reject) => {
        started.push({ input, end: () => resolve(PASSED) });
        input.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
    record: (name) => Promise.resolve({ name, steps: [] }),
  };
  let loads = 0;
  const load = () => {
    loads += 1;
    return Promise.resolve(scenarios);
  };
  return { started, load, loads: () => loads };
}

test('a sandbox without scenarios rejects listing, running and recording them', async ({ api }) => {
  for (const [method, path, body] of [
    ['GET', 'scenarios', undefined],
    ['POST', 'scenarios/run', { name: 'paid' }],
    ['POST', 'scenarios/record', {}],
  ] as const) {
    const answer = await api.control(method, path, body);
    expect([answer.status, answer.body.error.message]).toEqual([
      404,
      'This sandbox was started without scenarios.',
    ]);
  }
});

test('runs one scenario at a time, and loads their code on first use', async () => {
  const { started, load, loads } = held();
  const api = await testApi({ scenarios: load });
  await api.control('GET', 'status');
  expect(loads()).toBe(0);
  const first = api.control('POST', 'scenarios/run', { name: 'paid', fresh: true });
  await expect.poll(() => started.length).toBe(1);
  expect(started[0]?.input).toMatchObject({ name: 'paid', fresh: true });
  for (const path of ['scenarios/run', 'scenarios/record']) {
    const second = await api.control('POST', path, path.endsWith('run') ? { name: 'paid' } : {});
    expect([second.status, second.body.error.code]).toEqual([409, 'SCENARIO_BUSY']);
  }
  expect((await api.control('GET', 'scenarios')).body.data).toHaveLength(1);
  started[0]?.end();
  expect((await first).body).toEqual(PASSED);
  expect((await api.control('POST', 'scenarios/record', { name: 'told' })).body).toEqual({
    name: 'told',
    steps: [],
  });
});

test('ends a scenario when its client disconnects or the sandbox closes', async () => {
  const { started, load } = held();
  const api = await testApi({ scenarios: load });
  const leaving = new AbortController();
  const run = (signal?: AbortSignal) =>
    api.open('POST', '/_sandbox/scenarios/run', {
      caller: null,
      sign: false,
      body: { scenario: { steps: [] } },
      ...(signal === undefined ? {} : { signal }),
    });
  const left = run(leaving.signal).catch(() => undefined);
  await expect.poll(() => started.length).toBe(1);
  leaving.abort();
  await left;
  const next = run();
  await expect.poll(() => started.length).toBe(2);
  expect(started[1]?.input).toMatchObject({ scenario: { steps: [] }, fresh: false });
  await api.server.close(0);
  expect((await next).status).toBe(409);
});

test.each([[{}], [{ name: 'paid', scenario: {} }], [{ scenario: [] }], [{ name: 'paid', bail: true }]])(
  '%j is rejected before anything is loaded',
  async (body) => {
    const { load, loads } = held();
    const api = await testApi({ scenarios: load });
    expect((await api.control('POST', 'scenarios/run', body)).status).toBe(400);
    expect(loads()).toBe(0);
  },
);
