import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run } from '../../src/cli/program/program.js';
import { runProgram } from '../../src/cli/program/program.js';
import { PROGRAM } from '../../src/text/program-name.js';
import { runBody } from '../helpers/cli/cli-io.js';

const BIN = join(import.meta.dirname, '../../bin/sandbox.js');

/** What the words make commander, or for `help` the command itself, print. */
async function made(words: string): Promise<string> {
  let text = '';
  const print: Run = async ({ name }, args) => {
    text += (await runBody(name, { args })).stdout;
    return 0;
  };
  const add = (more: string) => (text += more);
  const output = { out: add, err: add, program: PROGRAM };
  await runProgram([words], print, output);
  return text;
}

test.each(['--help', '-h', 'help', '--version', '-V'])(
  'what %s prints was written down at the build, and is what it would be now',
  async (words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, words], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: await made(words), stderr: '' });
  },
);
