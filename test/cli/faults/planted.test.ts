import { expect, onTestFinished, test } from 'vitest';
import { plant } from '../../../src/cli/faults/faults.js';
import { startServer } from '../../../src/http/server/start.js';

test('faults that were planted are there again after each reset, as suites make before each test', async () => {
  const server = await startServer({ seed: '1', port: undefined });
  onTestFinished(() => server.close());
  const planted = await plant(server, [
    { on: 'call', action: 'status', status: 503, path: '/api/public/v1/pix', nth: 1 },
    { on: 'call', action: 'status', status: 503, path: '/api/public/v1/accounts/*', nth: 1 },
  ]);
  const { sandbox } = server;
  const kept = () => Array.from(sandbox.world.faults.values(), ({ fired }) => fired);
  const call = () => server.fetch(new Request(`${server.url}/api/public/v1/accounts/one`), {});
  expect((await call()).status).toBe(503);
  expect(kept()).toEqual([0, 1]);
  const reset = () => server.fetch(new Request(`${server.url}/_sandbox/reset`, { method: 'POST' }), {});
  expect((await reset()).ok).toBe(true);
  expect(kept()).toEqual([0, 0]);
  expect((await reset()).ok).toBe(true);
  expect(planted.outcomes()).toEqual([
    { words: expect.stringContaining('/api/public/v1/pix'), hasFired: false },
    { words: expect.stringContaining('/api/public/v1/accounts/*'), hasFired: true },
  ]);
  expect((await call()).status).toBe(503);
});
