#!/usr/bin/env node
'use strict';
const { enableCompileCache } = require('node:module');

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
const texts = require('../dist/texts.json');
const words = process.argv.slice(2).join(' ');
const { argv, env, stdout } = process;
// They were written for 80 columns.
if (Object.hasOwn(texts, words) && !(stdout.isTTY && stdout.columns < 80)) {
  const { textFor } = require('../dist/called-as.cjs');
  stdout.write(textFor(texts[words], { env, script: argv[1] ?? '', cwd: process.cwd() }));
} else {
  // NODE_COMPILE_CACHE, the user's own choice, takes effect before this line, and Node keeps it.
  const directory = enableCompileCache && require('./compile-cache.js').privateDirectory();
  if (directory !== undefined) enableCompileCache(directory);
  require('../dist/cli.cjs');
}
