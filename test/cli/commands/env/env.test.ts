import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

describe('env', () => {
  test('prints the block as dotenv, or as asked', async () => {
    await using sandbox = await cliSandbox();
    const { env } = sandbox.server;
    const dotenv = await sandbox.run('env');
    expect(dotenv.stdout.split('\n').slice(0, 2)).toEqual([
      `SANDBOX_URL=${env.SANDBOX_URL}`,
      `SANDBOX_BASE_URL=${env.SANDBOX_BASE_URL}`,
    ]);
    expect(dotenv.stdout.trimEnd().split('\n')).toHaveLength(Object.keys(env).length);
    expect(dotenv.stderr).toBe('');
    const shell = await sandbox.run('env', { options: { format: 'shell' } });
    expect(shell.stdout).toContain(`export SANDBOX_TOKEN='${env.SANDBOX_TOKEN}'\n`);
    const json = await sandbox.run('env', { options: { format: 'json' } });
    expect(JSON.parse(json.stdout)).toEqual(env);
    expect(await sandbox.runJson('env')).toEqual(env);
  });

  test('names the close formats', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(sandbox.run('env', { options: { format: 'dotnev' } }), CliError);
    expect(error.message).toBe('There is no format dotnev.');
    expect(error.hint).toBe('Did you mean dotenv? Known: dotenv, json, shell, github.');
  });
});
