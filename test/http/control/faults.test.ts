import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
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
