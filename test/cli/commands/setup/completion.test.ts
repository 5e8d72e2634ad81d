import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SHELLS } from '../../../../src/cli/program/shared-options.js';
import { runBody } from '../../../helpers/cli/cli-io.js';

test.each(SHELLS)('%s: prints the script, and how to install it', async (shell) => {
  const { stdout, stderr } = await runBody('completion', { args: [shell] });
  expect(stdout).toContain(`sandbox completion ${shell} >`);
  expect(stdout.replaceAll(/[',]/g, '')).toContain(`__complete ${shell}`);
  expect(stderr).toBe('');
  const json = await runBody('completion', { args: [shell], json: true });
  const { script } = JSON.parse(json.stdout) as { script: string };
  expect(script.trimEnd()).toBe(stdout.trimEnd());
});

test('bash can read the script for bash', async () => {
  const { stdout } = await runBody('completion', { args: ['bash'] });
  expect(execFileSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })).toBe('');
});

test('the script for PowerShell is balanced, plain ASCII, and runs no other program', async () => {
  const { stdout } = await runBody('completion', { args: ['powershell'] });
  // Windows PowerShell reads a profile without a mark as ANSI.
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
  const code = stdout.replaceAll(/^\s*#.*$/gm, '').replaceAll(/'(?:[^']|'')*'|"[^"]*"/g, 'text');
  let brackets = code.replaceAll(/[^(){}[\]]/g, '');
  for (let before = ''; before !== brackets;) {
    before = brackets;
    brackets = brackets.replaceAll(/\(\)|\{\}|\[\]/g, '');
  }
  expect(brackets).toBe('');
  expect(code).not.toMatch(/['"`]/);
  expect(stdout).toContain(
    'Register-ArgumentCompleter -Native -CommandName sandbox, pix-sandbox, npx -ScriptBlock {',
  );
  expect(stdout).toContain(String.raw`-match '(^|[\\/])npx(\.cmd|\.ps1)?$'`);
  expect(stdout).toContain(String.raw`-match '[^\w:./=+-]'`);
  expect(stdout).toContain(String.raw`-replace "(['\u2018-\u201b])", '$1$1'`);
  expect(stdout).not.toContain('Invoke-Expression');
});
