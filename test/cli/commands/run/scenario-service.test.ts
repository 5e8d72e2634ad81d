import { expect, test } from 'vitest';
import { listBuiltInNames, createScenarioService } from '../../../../src/cli/commands/run/scenarios.js';
import { parseScenario } from '../../../../src/scenario/parse.js';
import { type TestApi, testApi } from '../../../helpers/http/api-client.js';

const TOKEN = 'control-token-of-the-sandbox';

async function withScenarios(options: object = {}): Promise<TestApi> {
  const api: TestApi = await testApi({
    // The receiver of a scenario compares signatures with the machine's clock.
    realNow: () => Date.now(),
    ...options,
    scenarios: () => Promise.resolve(createScenarioService(api.server, TOKEN)),
  });
  return api;
}

test('lists built-in scenarios, and runs them in a separate sandbox or in this one', async () => {
  const api = await withScenarios();
  const { data } = (await api.control('GET', 'scenarios')).body;
  expect(data.map(({ name }) => name)).toEqual(listBuiltInNames());
  const before = api.state();
  const fresh = await api.control('POST', 'scenarios/run', { name: 'paid', fresh: true });
  expect(fresh.body).toMatchObject({
    passed: true,
    sandbox: { kind: 'fresh' },
    scenarios: [{ name: 'paid', file: 'paid', passed: true, notes: [] }],
  });
  expect(api.state()).toEqual(before);
  const here = await api.control('POST', 'scenarios/run', { name: 'paid' });
  expect(here.body).toMatchObject({ passed: true, sandbox: { kind: 'running', url: api.server.url } });
  expect(api.sandbox.world.charges.rows.length).toBeGreaterThan(0);
});

test('runs a scenario of the request, and explains a failed step', async () => {
  const api = await withScenarios();
  const scenario = {
    name: 'mine',
    steps: [{ trigger: 'pix.settled' }, { expect: { events: ['pix.failed'] } }],
  };
  const { status, body } = await api.control('POST', 'scenarios/run', { scenario });
  expect([status, body]).toEqual([200, expect.anything()]);
  expect(body).toMatchObject({
    passed: false,
    scenarios: [{ name: 'mine', file: null, steps: [{ status: 'passed' }, { status: 'failed' }] }],
  });
});

test('reports a lone surrogate in a scenario as an issue', async () => {
  const api = await withScenarios();
  const { status, body } = await api.control('POST', 'scenarios/run', {
    scenario: { steps: [{ settle: { charge: '\ud800' } }] },
  });
  expect(status).toBe(400);
  expect(body.error.details).toEqual([
    { field: 'scenario steps[0].settle.charge', message: 'Must not contain lone surrogates.' },
  ]);
});

test('rejects an unknown scenario and one with issues, and changes nothing', async () => {
  const api = await withScenarios();
  const before = api.state();
  const unknown = await api.control('POST', 'scenarios/run', { name: '../paid' });
  expect([unknown.status, unknown.body.error.hint]).toEqual([
    404,
    expect.stringContaining('Built-in scenarios: '),
  ]);
  const wrong = await api.control('POST', 'scenarios/run', {
    scenario: { steps: [{ triger: 'pix.settled' }] },
  });
  expect(wrong.status).toBe(400);
  expect(wrong.body.error.details[0]?.field).toMatch(/^scenario /);
  const impossible = { sandbox: { freeze: 'soon' }, steps: [{ trigger: 'pix.settled' }] };
  expect((await api.control('POST', 'scenarios/run', { scenario: impossible })).status).toBe(400);
  expect(api.state()).toEqual(before);
});

test('records the history as a scenario that passes', async () => {
  const api = await withScenarios();
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  const { body: scenario } = await api.control('POST', 'scenarios/record', { name: 'told' });
  expect(scenario).toMatchObject({ name: 'told' });
  expect(parseScenario(JSON.stringify(scenario)).issues).toEqual([]);
  const { body } = await api.control('POST', 'scenarios/run', { scenario, fresh: true });
  expect(body).toMatchObject({ passed: true, scenarios: [{ name: 'told' }] });
});

test('passes the token to scenarios if the control API requires it', async () => {
  const api = await withScenarios({ controlToken: TOKEN });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { body } = await api.send('POST', '/_sandbox/scenarios/run', {
    caller: null,
    sign: false,
    headers,
    body: { name: 'paid' },
  });
  expect(body).toMatchObject({ passed: true });
});
