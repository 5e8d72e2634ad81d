import { expect, test } from 'vitest';
import { cliSandbox, LOCAL } from '../../helpers/cli/cli-sandbox.js';

const URL = 'http://127.0.0.1:3000/webhooks';

test('list shows endpoints and listeners, wide and narrow', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  expect((await sandbox.run('endpoints list')).stdout).toBe('No endpoints.\n');
  await sandbox.run('endpoints create', {
    args: [`${URL}/${'x'.repeat(60)}`],
    options: { description: 'shop' },
  });
  const { sandbox: inside } = sandbox.server;
  const [app] = inside.world.apps.rows;
  const { endpoint: listener } = inside.dispatch({
    type: 'listener.connect',
    appId: app?.id ?? '',
    listener: {
      name: 'mine',
      events: ['pix.settled'],
      description: 'mine → http://localhost:3000/webhooks',
      secret: 'whsec_AAAA',
      schedule: 'fast',
    },
  });
  const [endpoint] = inside.world.endpoints.values();
  const narrow = await sandbox.run('endpoints list', { columns: 80 });
  expect(narrow.stdout.split('\n')).toEqual([
    'ID                                    STATE',
    '  URL',
    `${endpoint?.id}  ACTIVE`,
    `  ${`${URL}/${'x'.repeat(60)}`.slice(0, 77)}…`,
    `${listener.id}  connected`,
    '  mine → http://localhost:3000/webhooks',
    '',
  ]);
  const wide = await sandbox.run('endpoints list', { columns: 120 });
  expect(wide.stdout.split('\n')[2]).toBe(
    `${listener.id}  connected  mine → http://localhost:3000/webhooks${' '.repeat(14)}fast     pix.settled`,
  );
  for (const line of wide.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  inside.dispatch({ type: 'listener.lose', endpointId: listener.id });
  expect((await sandbox.run('endpoints list')).stdout).toContain(`${listener.id}  away `);
  expect(await sandbox.runJson('endpoints list')).toMatchObject({
    data: [{ connected: null }, { connected: false, retries: 'fast' }],
  });
});
