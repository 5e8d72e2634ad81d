#!/usr/bin/env node
'use strict';

/** System errors that are not bugs. */
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

/** Known once the program is loaded. */
let hint = '';
process.on('uncaughtException', (error) => {
  // A pipe closed by its reader (`| head`) is not an error.
  if (error?.code === 'EPIPE' && error.syscall === 'write') process.exit(0);
  if (REFUSED.has(error?.code) && error.syscall !== undefined) {
    process.stderr.write(
      `error The operating system reported: ${error.message}.\nhint  Free some space, check the ` +
        `permissions, or raise the limit, for example with \`ulimit -n 1024\`.\n`,
    );
    process.exit(2);
  }
  process.stderr.write(`This is a bug in the sandbox: ${error?.stack ?? error}\n${hint}`);
  process.exit(70);
});
hint = `hint  ${require('../dist/cli.cjs').BUG_HINT}\n`;
