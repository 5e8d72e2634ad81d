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

/** Includes the bug tracker once the program is loaded. */
let describeBug = async (error) => String(error?.stack ?? error);
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
  void describeBug(error)
    .catch(() => String(error?.stack ?? error))
    .then((text) => process.stderr.write(`${text}\n`, () => process.exit(70)));
});
({ describeBug } = require('../dist/cli.cjs'));
