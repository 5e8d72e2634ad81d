import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
import { INCIDENTS } from '../../../src/contract/incidents.js';
import { describe, expect } from 'vitest';
import type { AnswerBody, TestApi } from '../../helpers/http/api-client.js';
import { chargeBody, testApi, test } from '../../helpers/http/api-client.js';

async function faults(api: TestApi): Promise<readonly AnswerBody[]> {
  return (await api.control('GET', 'faults')).body.data;
}

describe('POST faults', () => {
  test('adds a fault and returns it with its history', async ({ api }) => {
    const words = { action: 'status', method: 'post', path: '*/pix', status: 503, count: 2 };
    const { status, body } = await api.control('POST', 'faults', words);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...words, method: 'POST', on: 'call', probability: 1, seen: 0, fired: 0 });
    await api.call('POST', '/pix', { body: chargeBody() });
    expect(await faults(api)).toEqual([{ ...body, seen: 1, fired: 1 }]);
  });

  test('rejects a restart without a restart command, and names the option', async ({ api }) => {
    const { status, body } = await api.control('POST', 'faults', { action: 'restart' });
    expect(status).toBe(400);
    expect(body.error.message).toBe('This sandbox has no command to restart the application.');
    expect(body.error.hint).toContain('createSandbox({ restart })');
    expect(await faults(api)).toEqual([]);
  });

  test('returns what adds the same fault again', async () => {
    const api = await testApi({ restart: async () => {} });
    for (const on of ['call', 'delivery'] as const) {
      for (const action of Object.keys(on === 'call' ? CALL_FAULTS : DELIVERY_FAULTS)) {
        const fault = { on, action, delay: '1m', probability: 0.5, for: '10m', incident: 'mine', every: 2 };
        const made = await api.control('POST', 'faults', fault);
        const { id: _id, seen: _seen, fired: _fired, ...words } = made.body;
        const again = await api.control('POST', 'faults', words);
        expect(again.body).toMatchObject(words);
      }
    }
  });
});

describe('incidents', () => {
  const running = async (api: TestApi) =>
    (await api.control('GET', 'incidents')).body.data.filter((one: AnswerBody) => one.running);

  test('are listed, started with their faults, and stopped', async ({ api }) => {
    const { data } = (await api.control('GET', 'incidents')).body;
    expect(data.map(({ name }: AnswerBody) => name)).toEqual(Object.keys(INCIDENTS));
    const { status, body } = await api.control('POST', 'incidents', { name: 'half-down', duration: '10m' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'half-down', duration: '30m', running: true });
    expect(Date.parse(String(body['until'])) - Date.parse(String(body['from']))).toBe(600_000);
    const ids = (await faults(api)).map(({ id, incident }) => [id, incident]);
    expect(ids).toEqual((body['fault_ids'] as string[]).map((id) => [id, 'half-down']));
    const own = { name: 'a/b', description: 'ours', duration: '1m', faults: [{ action: 'drop' }] };
    const started = await api.control('POST', 'incidents', own);
    expect(started.body).toMatchObject({ description: 'ours', duration: null });
    expect(await running(api)).toEqual([body, started.body]);
    expect((await api.call('GET', '/withdrawals')).status).toBe(200);
    expect((await api.call('GET', '/withdrawals')).status).toBe(503);
    expect((await api.control('DELETE', 'incidents/a%2Fb')).body).toEqual({ stopped: ['a/b'] });
    expect((await api.control('DELETE', 'incidents')).body).toEqual({ stopped: ['half-down'] });
    expect([await running(api), await faults(api)]).toEqual([[], []]);
  });

  test('are rejected if they run, cannot run or do not exist', async ({ api }) => {
    await api.control('POST', 'incidents', { name: 'api-down' });
    const codes = [
      await api.control('POST', 'incidents', { name: 'api-down' }),
      await api.control('POST', 'incidents', {
        name: 'one',
        duration: '1m',
        faults: [{ action: 'restart' }],
      }),
      await api.control('POST', 'incidents', {
        name: 'one',
        duration: '1m',
        faults: [{ action: 'drop', endpoint: '00000000' }],
      }),
      await api.control('DELETE', 'incidents/one'),
    ].map(({ body }) => body.error.code);
    expect(codes).toEqual(['INVALID_TRANSITION', 'INVALID_REQUEST', 'NOT_FOUND', 'NOT_FOUND']);
    expect(await faults(api)).toHaveLength(1);
  });
});

describe('DELETE faults', () => {
  test('removes one by its id, or all', async ({ api }) => {
    const ids = [];
    for (const action of ['drop', 'reset', 'slow']) {
      ids.push((await api.control('POST', 'faults', { action })).body.id);
    }
    expect((await api.control('DELETE', `faults/${ids[1]}`)).body).toEqual({ removed: 1 });
    expect((await faults(api)).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect((await api.control('DELETE', `faults/${ids[1]}`)).status).toBe(404);
    expect((await api.control('DELETE', 'faults')).body).toEqual({ removed: 2 });
    expect(await faults(api)).toEqual([]);
  });
});
