import { CORE_VERSION } from '../../../src/contract/core-version.js';
import { LIMITS } from '../../../src/contract/limits.js';
import { startServer } from '../../../src/http/server/start.js';
import { createStateFile } from '../../../src/sandbox/state-file.js';
import { ACCOUNT_ID, REFUSED_URL, test, type TestApi } from '../../helpers/http/api-client.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';
import { expect, onTestFinished } from 'vitest';

const save = (api: TestApi, name: string) => api.control('POST', 'state/snapshots', { name });

async function compare(api: TestApi, body: object) {
  const before = api.state();
  const answer = await api.control('POST', 'state/compare', body);
  expect(api.state()).toEqual(before);
  return answer;
}

test('compares a saved state with the current one, and with another', async ({ api }) => {
  listenTo(api.sandbox, { name: 'shop', schedule: 'off', status: () => 500 });
  const charge = await api.control('POST', 'charges', { code: 'order-1' });
  const fault = await api.control('POST', 'faults', { action: 'slow', delay: '1s' });
  expect((await save(api, 'before')).body).toMatchObject({ name: 'before', rate: 0, charges: 1, events: 0 });
  expect((await compare(api, { from: 'before' })).body).toEqual({
    from: 'before',
    to: null,
    count: 0,
    differences: [],
  });
  for (const names of [{ from: 'none' }, { from: 'before', to: 'none' }])
    expect((await compare(api, names)).status).toBe(404);
  await api.control('POST', 'charges/order-1/settle');
  await api.control('DELETE', `faults/${fault.body.id}`);
  await api.sandbox.idle();
  await save(api, 'after');
  const { body } = await compare(api, { from: 'before', to: 'after' });
  const [event, delivery] = [api.sandbox.world.events.rows[0]?.id, api.sandbox.world.deliveries.rows[0]?.id];
  expect(body).toEqual({
    from: 'before',
    to: 'after',
    count: 5,
    differences: [
      {
        kind: 'account',
        id: ACCOUNT_ID,
        change: 'changed',
        fields: { balance: { from: '10000.00', to: '10099.20' }, transactions: { from: 1, to: 3 } },
      },
      {
        kind: 'charge',
        id: charge.body.id,
        code: 'order-1',
        change: 'changed',
        fields: { status: { from: 'PENDING', to: 'SETTLED' } },
      },
      { kind: 'event', id: event, code: 'order-1', change: 'added' },
      { kind: 'delivery', id: delivery, code: 'order-1', change: 'added' },
      { kind: 'fault', id: fault.body.id, change: 'removed' },
    ],
  });
  const back = (await compare(api, { from: 'after', to: 'before' })).body['differences'];
  expect(back).toMatchObject([{ change: 'changed' }, { change: 'changed' }, {}, {}, { change: 'added' }]);
});

test('compares the clock, endpoints, sessions and deliveries by field, without secrets', async ({ api }) => {
  const endpoint = await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  const session = await api.control('POST', 'kyc/sessions');
  await api.sandbox.idle();
  await save(api, 'before');
  await api.control('POST', 'clock/advance', { by: '1m' });
  await api.control('POST', `endpoints/${endpoint.body.id}/rotate-secret`);
  await api.control('POST', `endpoints/${endpoint.body.id}/disable`);
  await api.control('POST', `kyc/sessions/${session.body.id}/decide`, {
    status: 'approved',
    document: '52998224725',
  });
  await api.control('POST', 'clock/speed', { rate: 2 });
  const answer = await compare(api, { from: 'before' });
  expect(answer.body['differences']).toMatchObject([
    { kind: 'clock', fields: { rate: { from: 0, to: 2 } } },
    { kind: 'session', id: `${session.body.id.slice(0, 12)}…`, fields: { status: { to: 'approved' } } },
    { kind: 'endpoint', fields: { status: { from: 'ACTIVE', to: 'DISABLED' } } },
    { kind: 'delivery', fields: { attempts: { from: 1, to: 2 }, status: { from: 'PENDING', to: 'FAILED' } } },
  ]);
  const text = JSON.stringify(answer.body);
  const { world } = api.sandbox;
  const secrets = [
    session.body.id,
    ...world.sessions.rows.map(({ formToken }) => formToken),
    ...world.apps.rows.flatMap(({ token, signingSecret }) => [token, signingSecret]),
    ...Array.from(world.endpoints.values(), ({ secret }) => secret),
    endpoint.body.secret,
  ];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

test('counts very many differences, and shows the first of them', async ({ api }) => {
  await save(api, 'before');
  await api.control('POST', 'trigger', { type: 'pix.settled', count: LIMITS.stateDifferences });
  const { body } = await compare(api, { from: 'before' });
  expect(body).toMatchObject({ count: 2 * LIMITS.stateDifferences + 1 });
  expect(body['differences']).toHaveLength(LIMITS.stateDifferences);
});

const PATH = '/_sandbox/state';
function expectedOf({ sandbox }: TestApi): string {
  return JSON.stringify(createStateFile({ world: sandbox.world, rate: sandbox.clock.rate }));
}

test('rejects a state over its limit before it is sent, with its size', async () => {
  const server = await startServer({ port: 0 });
  onTestFinished(() => server.close(0));
  await using connection = new RawConnection(server.port);
  const bytes = LIMITS.stateBodyBytes + 1;
  const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${bytes}`];
  const { status, code, text } = await connection.request([`PUT ${PATH} HTTP/1.1`, ...lines]).response();
  expect([status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(text).toContain(`The body exceeds the limit of ${LIMITS.stateBodyBytes} bytes; received ${bytes}.`);
});

test('rejects a deeply nested state', async ({ api }) => {
  const body = `{"format":"pix-sandbox-state","world":{"charges":${'['.repeat(100)}${']'.repeat(100)}}}`;
  const { status, body: answer } = await api.control('PUT', 'state', body);
  const message = `The body is nested deeper than ${LIMITS.jsonDepth} levels.`;
  expect([status, answer.error.message]).toEqual([400, message]);
});

test('GET state returns the whole state, and HEAD no body', async ({ api }) => {
  api.sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  const answer = await api.open('GET', PATH);
  expect(await answer.text()).toBe(expectedOf(api));
  const head = await api.open('HEAD', PATH);
  expect(await head.text()).toBe('');
  expect(head.headers.get('content-type')).toBe('application/json');
});

test('rejects a state of another core version, naming the version that can use it', async ({ api }) => {
  const { body } = await api.control('GET', 'state');
  const { status, body: answer } = await api.control('PUT', 'state', { ...body, core: 1, version: '0.0.9' });
  expect([status, answer.error.message, answer.error.hint]).toEqual([
    400,
    `The state was written by core version 1 in pix-sandbox 0.0.9; this is core version ${CORE_VERSION}.`,
    'Use the state with npx pix-sandbox@0.0.9, or start a new sandbox.',
  ]);
});
