#!/usr/bin/env node
import module from 'node:module';

module.enableCompileCache?.();
process.on('uncaughtException', (error) => {
  process.stderr.write(`This is a bug of the sandbox: ${error?.stack ?? error}\n`);
  process.exit(70);
});
await import('../dist/cli.js');
