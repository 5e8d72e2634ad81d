import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { BIN } from '../helpers/e2e/e2e.js';
import { tempFolder } from '../helpers/temp-folder.js';

test.each([
  ['sandbox', 2, '', /^Usage: npx pix-sandbox <command>/m],
  ['sandbox --help', 0, /^Usage: npx pix-sandbox <command>/m, ''],
  ['sandbox --version', 0, /^\d+\.\d+\.\d+$/, ''],
  ['sandbox status', 3, '', /^error No sandbox is running .*\nhint {2}\S/],
  ['sandbox statsu', 2, '', /Did you mean status\?/],
])('%s works twice in an empty home', async (typed, exitCode, stdout, stderr) => {
  using folder = tempFolder();
  const home = join(folder.path, 'home');
  const cwd = join(folder.path, 'project');
  for (const path of [home, cwd]) mkdirSync(path);
  const run = () =>
    execa(process.execPath, [BIN, ...typed.split(' ').slice(1)], {
      cwd,
      env: { HOME: home },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
    });
  const expected = {
    exitCode,
    stdout: expect.stringMatching(stdout || /^$/),
    stderr: expect.stringMatching(stderr || /^$/),
  };
  expect(await run()).toMatchObject(expected);
  // The second run finds the cache of the first.
  expect(await run()).toMatchObject(expected);
});
