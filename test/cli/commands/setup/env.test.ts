import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatEnv } from '../../../../src/cli/commands/setup/env.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

describe('env', () => {
  test('prints the block as dotenv, or as requested', async () => {
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

  test('adds own variables', async () => {
    await using sandbox = await cliSandbox({ env: { PIX_URL: '{SANDBOX_URL}/api' } });
    const { env } = sandbox.server;
    expect(await sandbox.runJson('env', { options: { env: ['PIX_TOKEN=SANDBOX_TOKEN'] } })).toEqual({
      ...env,
      PIX_URL: `${env.SANDBOX_URL}/api`,
      PIX_TOKEN: env.SANDBOX_TOKEN,
    });
    const refused = await rejectionOf(sandbox.run('env', { options: { env: ['A=B'] } }), CliError);
    expect(refused.message).toContain('--env has the unknown source "B". Use one of SANDBOX_URL,');
  });

  test('suggests close formats', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(sandbox.run('env', { options: { format: 'dotnev' } }), CliError);
    expect(error.message).toBe('Unknown format dotnev.');
    expect(error.hint).toBe('Did you mean dotenv? Known: dotenv, json, shell, github.');
  });
});

test('uses the quotes that the value does not contain in dotenv', () => {
  expect(formatEnv({ A: 'a b', B: "it's", C: '#no comment', D: '$x' }, 'dotenv')).toBe(
    "A='a b'\nB=`it's`\nC='#no comment'\nD='$x'",
  );
  expect(() => formatEnv({ A: '\'"`' }, 'dotenv')).toThrow('A contains every kind of quote');
});

test('prints dotenv that Node reads back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  try {
    const values = { A: 'a b', B: "it's", C: '#x', D: '', E: 'x=y', F: ' edges ' };
    const path = join(folder, '.env');
    writeFileSync(path, formatEnv(values, 'dotenv'));
    const code = 'process.stdout.write(JSON.stringify("ABCDEF".split("").map((name) => process.env[name])))';
    const read = execFileSync(process.execPath, [`--env-file=${path}`, '-e', code], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual(Object.values(values));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('prints shell code that a shell reads back, whatever the value', () => {
  const character = fc.constantFrom("'", '"', '`', '$', '\\', ' ', '\n', '!', '#', 'a');
  const value = fc.string({ unit: character, maxLength: 20 });
  fc.assert(
    fc.property(value, (text) => {
      const script = `${formatEnv({ NAME: text }, 'shell')}\nprintf '%s' "$NAME"`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('marks the end of a multi-line value for github', () => {
  expect(formatEnv({ A: 'one\nEND' }, 'github')).toBe('A<<END_\none\nEND\nEND_');
});
