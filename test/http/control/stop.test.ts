import { expect, test } from 'vitest';
import { startServer } from '../../../src/http/server/start.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';
import { testApi } from '../../helpers/http/api-client.js';

test('responds 202 with the instance, and calls back once for each request', async () => {
  let stops = 0;
  const api = await testApi({ onStop: () => (stops += 1) });
  const { status, body } = await api.control('POST', 'stop');
  expect(status).toBe(202);
  expect(body).toEqual({ stopping: true, instance_id: api.server.instanceId, pid: process.pid });
  expect(stops).toBe(1);
});

test('is refused where no process may be ended, such as by the library', async () => {
  const api = await testApi();
  const { status, body } = await api.control('POST', 'stop');
  expect(status).toBe(409);
  expect(body.error).toMatchObject({
    code: 'NOT_STOPPABLE',
    hint: 'End that command, or call `sandbox.close()` in that program.',
  });
  await using sandbox = await createSandbox();
  const response = await sandbox.fetch('/_sandbox/stop', { method: 'POST' });
  expect(response.status).toBe(409);
});

test('needs the control token, and refuses other web pages', async () => {
  let stops = 0;
  const server = await startServer({ port: 0, controlToken: 'secret', onStop: () => (stops += 1) });
  try {
    const stop = async (headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${server.url}/_sandbox/stop`, { method: 'POST', headers });
      await response.text();
      return response.status;
    };
    const authorization = 'Bearer secret';
    expect(await stop({})).toBe(401);
    expect(await stop({ authorization, origin: 'https://shop.example' })).toBe(403);
    expect(await stop({ authorization, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(stops).toBe(0);
    expect(await stop({ authorization })).toBe(202);
    expect(stops).toBe(1);
  } finally {
    await server.close(0);
  }
});
