import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SHELLS } from '../../../../src/cli/program/shared-options.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

test.each(SHELLS)('%s: prints the script, and how to keep it', async (shell) => {
  const { stdout, stderr } = await runBody('completion', { args: [shell] });
  expect(stdout).toContain(`sandbox completion ${shell} >`);
  expect(stdout).toContain(`__complete ${shell}`);
  expect(stderr).toBe('');
  const json = await runBody('completion', { args: [shell], json: true });
  const { script } = JSON.parse(json.stdout) as { script: string };
  expect(script.trimEnd()).toBe(stdout.trimEnd());
});

test('the script for bash is one that bash can read', async () => {
  const { stdout } = await runBody('completion', { args: ['bash'] });
  expect(execFileSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })).toBe('');
});

test('names the shells', async () => {
  const error = await rejectionOf(
    Promise.resolve().then(() => runBody('completion', { args: ['fich'] })),
    CliError,
  );
  expect(error).toMatchObject({ exitCode: 2, message: 'There is no shell fich.' });
  expect(error.hint).toBe('Did you mean fish? Known: bash, zsh, fish.');
});
