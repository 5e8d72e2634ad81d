// Builds and starts the sandbox, and again whenever src changes. Words after `--` go to `sandbox start`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An editor writes a file in several steps, and a branch is many files. */
const SETTLED_MS = 100;

process.chdir(dirname(fileURLToPath(import.meta.url)));

/** The build or the sandbox, whichever runs. */
let child;
let isChanged = false;
let isRestarting = false;
let settling;

/** Runs one of our scripts to its end; resolves to its exit code. */
async function run(...args) {
  child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  child = undefined;
  return code ?? 128 + constants.signals[signal];
}

function say(text) {
  process.stderr.write(`dev: ${text}\n`);
}

/** Until the sandbox ends by itself, as Ctrl-C and `sandbox stop` make it: resolves to its exit code. */
async function serve() {
  for (;;) {
    isChanged = false;
    isRestarting = false;
    let code = await run('build.config.js', '--only-commands');
    const isBuilt = code === 0;
    if (isBuilt && !isChanged) {
      code = await run('bin/sandbox.js', 'start', ...process.argv.slice(2));
      if (!isRestarting && (code === 0 || code > 128)) return code;
    }
    if (isChanged) continue;
    say(`${isBuilt ? 'the sandbox' : 'the build'} ended with ${code}; waiting for a change in src.`);
    await once(watcher, 'settled');
  }
}

const watcher = watch('src', { recursive: true }, () => {
  clearTimeout(settling);
  settling = setTimeout(() => {
    isChanged = true;
    // A build goes on to its end: what it wrote is not started.
    if (child?.spawnargs.includes('start')) {
      isRestarting = true;
      child.kill('SIGTERM');
    }
    watcher.emit('settled');
  }, SETTLED_MS);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A terminal's Ctrl-C reaches every process of ours by itself, and a second one would cut the sandbox's own end short.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child?.kill(signal);
    if (child === undefined) process.exit(128 + constants.signals[signal]);
    child.once('exit', () => process.exit(128 + constants.signals[signal]));
  });
}

process.exit(await serve());
