import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { on, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { tempFolder } from '../helpers/temp-folder.js';

interface Contender {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line that it says. */
  readonly line: () => Promise<string>;
}

async function contender(script: string, directory: string): Promise<Contender> {
  const child = spawn(process.execPath, [script, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = on(createInterface({ input: child.stdout }), 'line');
  const line = async () => String((await lines.next()).value);
  expect(await line()).toBe('ready');
  return { process: child, line };
}

async function ask({ process: child, line }: Contender): Promise<string> {
  child.stdin.write('go\n');
  return await line();
}

async function kill({ process: child }: Contender): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('exactly one of 8 racing processes owns a directory, even after the last owner was killed', async () => {
  using folder = tempFolder();
  const script = join(folder.path, 'owner.mjs');
  await build({
    input: 'test/helpers/store/store-owner.ts',
    platform: 'node',
    logLevel: 'silent',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    output: { file: script, format: 'esm' },
  });
  const directory = join(folder.path, 'data');
  const contenders: Contender[] = [];
  try {
    for (let round = 0; round < 2; round += 1) {
      const racing = await Promise.all(Array.from({ length: 8 }, () => contender(script, directory)));
      contenders.push(...racing);
      const answers = await Promise.all(racing.map(ask));
      const owner = racing[answers.indexOf('owner')];
      expect(answers.filter((answer) => answer === 'owner')).toHaveLength(1);
      const uses = `locked by process ${owner?.process.pid} on this host`;
      expect(answers.filter((answer) => answer.includes(uses))).toHaveLength(7);
      expect(readdirSync(directory)).toEqual(['lock']);
      if (owner !== undefined) await kill(owner);
    }
  } finally {
    await Promise.all(contenders.map(kill));
  }
}, 60_000);
