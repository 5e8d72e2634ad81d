#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

/** What the machine is short of or forbids, which is no bug. */
const REFUSED = new Set([
  'EACCES',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSPC',
  'EPERM',
  'EROFS',
]);

module.enableCompileCache?.();
process.on('uncaughtException', (error) => {
  // A reader that has seen enough (`| head`) is no error.
  if (error?.code === 'EPIPE' && error.syscall === 'write') process.exit(0);
  if (REFUSED.has(error?.code) && error.syscall !== undefined) {
    process.stderr.write(
      `error The system refused it: ${error.message}.\nhint  Free some space, check the permissions, or raise the limit, for example with \`ulimit -n 1024\`.\n`,
    );
    process.exit(2);
  }
  process.stderr.write(`This is a bug of the sandbox: ${error?.stack ?? error}\n`);
  process.exit(70);
});
const texts = JSON.parse(readFileSync(new URL('../dist/texts.json', import.meta.url), 'utf8'));
const words = process.argv.slice(2).join(' ');
const { argv, env, stdout } = process;
// They were written for 80 columns.
if (Object.hasOwn(texts, words) && !(stdout.isTTY && stdout.columns < 80)) {
  const { textFor } = await import('../dist/called-as.js');
  stdout.write(textFor(texts[words], { env, script: argv[1] ?? '', cwd: process.cwd() }));
} else await import('../dist/cli.js');
