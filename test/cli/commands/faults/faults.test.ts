import { expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../../src/contract/fault-kinds.js';
import { CALLED } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { listenTo, settle, TestListener } from '../../../helpers/sandbox/sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

test('add adds one and says what it is', async () => {
  await using sandbox = await cliSandbox();
  const options = { path: '/api/public/v1/pix', method: 'post', count: '1', door: 'api' };
  const { stdout } = await sandbox.run('faults add', { args: ['lose-response'], options });
  expect(stdout).toMatch(ID);
  expect(stdout).toContain(
    'lose-response on calls, door api, method POST, path /api/public/v1/pix, count 1\n',
  );
  const [fault] = sandbox.server.sandbox.world.faults.values();
  expect(fault).toMatchObject({ action: 'lose-response', count: 1, match: { on: 'call', method: 'POST' } });
});

test('add takes every word of the deliveries’ side, too', async () => {
  await using sandbox = await cliSandbox();
  const { endpoint } = new TestListener(sandbox.server.sandbox);
  const options = {
    event: 'pix.*',
    endpoint: endpoint.id,
    attempt: '2',
    copies: '3',
    probability: '0.2',
    on: 'delivery',
  };
  const body = await sandbox.runJson('faults add', { args: ['duplicate'], options });
  expect(body).toMatchObject({
    action: 'duplicate',
    event: 'pix.*',
    endpoint: endpoint.id,
    attempt: 2,
    copies: 3,
    probability: 0.2,
  });
});

test('add knows every fault', async () => {
  await using sandbox = await cliSandbox({ restart: async () => {} });
  for (const [on, words] of [['call', CALL_FAULTS] as const, ['delivery', DELIVERY_FAULTS] as const]) {
    for (const action of Object.keys(words)) {
      await sandbox.run('faults add', { args: [action], options: { on } });
    }
  }
  expect(sandbox.server.sandbox.world.faults.size).toBe(25);
});

test.for([
  ['duplikate', {}, 'There is no fault duplikate.', 'Did you mean duplicate?'],
  ['', {}, 'There is no fault "".', 'Known: status'],
  ['drop', { attempt: 'second' }, '--attempt takes a number; got second.', ''],
  ['drop', { probability: '' }, '--probability takes a number; got .', ''],
] as const)('add refuses %s %j', async ([action, options, message, hint]) => {
  await using sandbox = await cliSandbox();
  const error = await rejectionOf(sandbox.run('faults add', { args: [action], options }), CliError);
  expect([error.exitCode, error.message]).toEqual([EXIT.usage, message]);
  expect(error.hint ?? '').toContain(hint);
});

test.for([
  ['drop', { attempt: '0' }, 'attempt', '1 to 32'],
  ['drop', { path: '/x' }, 'path', 'fault on a delivery'],
  ['delay', {}, 'on', 'calls and deliveries both know delay'],
  ['reset', { door: 'back' }, 'door', 'api, identity'],
] as const)('add passes on what the sandbox says: %s %j', async ([action, options, field, words]) => {
  await using sandbox = await cliSandbox();
  const error = await rejectionOf(sandbox.run('faults add', { args: [action], options }), SandboxError);
  expect(error.body.details).toMatchObject([{ field, message: expect.stringContaining(words) }]);
});

test('list shows them with how often they fired', async () => {
  await using sandbox = await cliSandbox();
  expect((await sandbox.run('faults list')).stdout).toContain('No faults.');
  const { sandbox: core } = sandbox.server;
  listenTo(core, { schedule: 'off' });
  await sandbox.run('faults add', { args: ['answer'], options: { status: '503', count: '2' } });
  await sandbox.run('faults add', { args: ['slow'], options: { delay: '1m', probability: '0.001' } });
  for (let count = 0; count < 3; count += 1) settle(core);
  await core.idle();
  const { stdout } = await sandbox.run('faults list');
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^ID +FAULT +FIRED$/);
  expect(lines[1]).toMatch(/ {2}answer on deliveries, status 503, count 2 +2 of 3$/);
  expect(lines[2]).toMatch(/ {2}slow on deliveries, delay 1m, with probability 0\.001 +0 of 3$/);
  expect(await sandbox.runJson('faults list')).toMatchObject({ data: [{ fired: 2 }, { fired: 0 }] });
});

test('remove takes one away, or all', async () => {
  await using sandbox = await cliSandbox();
  const ids = [];
  for (const action of ['drop', 'timeout', 'reset']) {
    ids.push((await sandbox.runJson('faults add', { args: [action] })).id);
  }
  expect((await sandbox.run('faults remove', { args: [String(ids[0])] })).stdout).toBe('Removed 1.\n');
  const gone = await rejectionOf(sandbox.run('faults remove', { args: [String(ids[0])] }), SandboxError);
  expect([gone.status, gone.body.hint]).toEqual([404, `\`${CALLED} faults list\` shows those that exist.`]);
  expect((await sandbox.run('faults remove', { options: { all: true } })).stdout).toBe('Removed 2.\n');
  const error = await rejectionOf(sandbox.run('faults remove'), CliError);
  expect(error.message).toBe('Which fault? Give its id, or --all.');
});
