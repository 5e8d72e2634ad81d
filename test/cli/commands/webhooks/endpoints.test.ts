import { expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { EVENT_TYPES } from '../../../../src/contract/events.js';
import { cliSandbox, LOCAL } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const URL = 'http://127.0.0.1:3000/webhooks';

test('create prints the whole secret once', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { stdout, stderr } = await sandbox.run('endpoints create', {
    args: [URL],
    options: { events: 'withdrawal.failed,pix.settled', description: 'the shop' },
  });
  const [endpoint] = sandbox.server.sandbox.world.endpoints.values();
  expect(stdout.split('\n')).toEqual([
    `endpoint     ${endpoint?.id}`,
    `url          ${URL}`,
    'state        ACTIVE',
    'events       pix.settled withdrawal.failed',
    'description  the shop',
    `secret       ${endpoint?.secret}`,
    '',
  ]);
  expect(stderr).toBe('Keep the secret: it is not shown again.\n');
});

test('create subscribes to all events by default, and answers JSON with the secret', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const answer = await sandbox.runJson('endpoints create', { args: [URL] });
  expect(answer).toMatchObject({ url: URL, events: EVENT_TYPES });
  expect(answer.secret).toMatch(/^whsec_/);
});

test('create refuses unknown events and local addresses', async () => {
  await using sandbox = await cliSandbox();
  const unknown = await rejectionOf(
    sandbox.run('endpoints create', { args: [URL], options: { events: 'pix.settled,pix.refunded' } }),
    CliError,
  );
  expect(unknown.message).toBe('There is no event pix.refunded.');
  const local = await rejectionOf(sandbox.run('endpoints create', { args: [URL] }), SandboxError);
  expect(local.body.code).toBe('ENDPOINT_URL_NOT_ALLOWED');
});

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
      description: null,
      secret: 'whsec_AAAA',
      schedule: 'fast',
    },
  });
  const [endpoint] = inside.world.endpoints.values();
  const narrow = await sandbox.run('endpoints list', { columns: 80 });
  expect(narrow.stdout.split('\n')).toEqual([
    'ID                                    STATE      URL',
    `${endpoint?.id}  ACTIVE     http://127.0.0.1:3000/webhooks…`,
    `${listener.id}  connected  https://mine.listen.sandbox.lo…`,
    '',
  ]);
  const wide = await sandbox.run('endpoints list', { columns: 120 });
  expect(wide.stdout.split('\n')[2]).toBe(
    `${listener.id}  connected  https://mine.listen.san…  fast     pix.settled  0`,
  );
  for (const line of wide.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  inside.dispatch({ type: 'listener.lose', endpointId: listener.id });
  expect((await sandbox.run('endpoints list')).stdout).toContain(`${listener.id}  away `);
  expect(await sandbox.runJson('endpoints list')).toMatchObject({
    data: [{ connected: null }, { connected: false, retries: 'fast' }],
  });
});

test('disable, enable and delete', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const id = String((await sandbox.runJson('endpoints create', { args: [URL] })).id);
  const args = [id];
  expect((await sandbox.run('endpoints disable', { args })).stdout).toBe(
    `endpoint ${id} (${URL}) is DISABLED.\n`,
  );
  expect(await sandbox.runJson('endpoints enable', { args })).toMatchObject({ status: 'ACTIVE' });
  expect((await sandbox.run('endpoints delete', { args })).stdout).toBe(`endpoint ${id} is deleted.\n`);
  expect(sandbox.server.sandbox.world.endpoints.size).toBe(0);
  const gone = await rejectionOf(sandbox.run('endpoints delete', { args }), SandboxError);
  expect(gone.status).toBe(404);
});

test('rotate prints the new secret once', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { id, secret: before } = await sandbox.runJson('endpoints create', { args: [URL] });
  const { stdout, stderr } = await sandbox.run('endpoints rotate', { args: [String(id).slice(0, 6)] });
  const [endpoint] = sandbox.server.sandbox.world.endpoints.values();
  expect(endpoint?.secret).not.toBe(before);
  expect(stdout).toContain(`\nsecret    ${endpoint?.secret}\n`);
  expect(stderr).toContain('The one before it signs beside it for 24 hours.');
  expect(endpoint?.previousSecret).toBe(before);
});
