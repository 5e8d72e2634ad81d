// Processes of the gate: each in a group of its own, with an end, and none outlives the gate.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';

/** Real time that any one command gets. */
const LIMIT_MS = 120_000;
/** Lines of output that tell why a command failed. */
const LINES_SHOWN = 40;
/** Groups of processes are a thing of POSIX. */
const HAS_GROUPS = process.platform !== 'win32';

const running = new Set();
process.on('exit', () => {
  for (const child of running) kill(child);
});

function kill(child) {
  try {
    if (HAS_GROUPS) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * How a command is run.
 * @typedef {object} CommandOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env All of its environment.
 * @property {string} [input]
 */

/**
 * @param {readonly string[]} command with its arguments
 * @param {CommandOptions} options
 */
function spawn([file, ...args], { cwd, env, input }) {
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    detached: HAS_GROUPS,
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
  });
  if (child.pid === undefined) return child;
  running.add(child);
  const timer = setTimeout(() => kill(child), LIMIT_MS);
  child.once('exit', () => {
    // What it left behind in its group would keep its pipes open.
    kill(child);
    clearTimeout(timer);
    running.delete(child);
  });
  return child;
}

/** What a command ended with, in words. */
function ending({ exitCode, signal, originalMessage }) {
  if (exitCode !== undefined) return `${exitCode}`;
  return signal === undefined ? (originalMessage ?? 'no exit code') : signal;
}

/**
 * Runs a command to its end; resolves to its stdout. Throws Error, with what it said, when it ends with another exit code.
 * @param {readonly string[]} command with its arguments
 * @param {CommandOptions} options
 * @param {number} [exitCode] the one that is expected
 */
export async function run(command, options, exitCode = 0) {
  const ran = await spawn(command, options);
  if (ran.exitCode === exitCode) return ran.stdout;
  const said = `${ran.stdout}\n${ran.stderr}`.trim().split('\n').slice(-LINES_SHOWN).join('\n');
  throw new Error(`Expected \`${command.join(' ')}\` to end with ${exitCode}; got ${ending(ran)}:\n${said}`);
}

/**
 * Runs a command to its end, whatever its exit code; SIGTERM ends it when it prints a text.
 * @param {readonly string[]} command with its arguments
 * @param {CommandOptions} options
 * @param {string} [ready] Without it, the command ends by itself.
 */
export async function observe(command, options, ready) {
  const child = spawn(command, options);
  let printed = '';
  child.stdout?.on('data', (bytes) => {
    const wasReady = ready !== undefined && printed.includes(ready);
    printed += bytes;
    // Once: a second signal ends a command immediately.
    if (ready !== undefined && !wasReady && printed.includes(ready)) child.kill('SIGTERM');
  });
  const { exitCode, stdout, stderr } = await child;
  return { exitCode, stdout, stderr };
}

/**
 * Starts a command that says something, line by line.
 * @param {readonly string[]} command with its arguments
 * @param {CommandOptions} options
 */
export function start(command, options) {
  const child = spawn(command, options);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next line; throws Error when the command has ended. */
  const line = async () => {
    const { value, done } = await lines.next();
    if (!done) return value;
    const ran = await child;
    throw new Error(
      `Expected a line of \`${command.join(' ')}\`; it ended with ${ending(ran)}:\n${ran.stderr}`,
    );
  };
  return {
    /** The next line, which is JSON. */
    next: async () => {
      const text = await line();
      return { text, value: JSON.parse(text) };
    },
    /** The next line that holds a text; those before it are passed over. */
    heard: async (text) => {
      for (;;) {
        const said = await line();
        if (said.includes(text)) return said;
      }
    },
    /** Resolves when the command has ended by itself. */
    ended: async () => {
      await child;
    },
    stop: async () => {
      if (!running.has(child)) return;
      const exited = once(child, 'exit');
      kill(child);
      await exited;
    },
  };
}
