import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { clearTimeout, setTimeout } from 'node:timers';
import { LIMITS } from './contract/limits.js';
import { createTimeout, sleep, raceAbort } from './delivery/abort.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Real-time delay between a signal and SIGKILL. */
const SIGNAL_GRACE_MS = 10_000;
const LEFTOVER_GRACE_MS = 1_000;
const POLL_MS = 20;
/** Process groups exist only on POSIX systems. */
const HAS_GROUPS = process.platform !== 'win32';
/** Larger exit codes mean that a signal ended the process. */
export const SIGNAL_CODES = 128;
const NEVER = new AbortController().signal;

export interface CommandContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ChildOptions extends Pick<SpawnOptions, 'env' | 'cwd' | 'stdio' | 'shell'> {
  readonly passesSignals?: boolean;
  /** Also terminates the group if this process is killed with `kill -9`. */
  readonly isWatched?: boolean;
}

/** Runs a command and its child processes in a separate process group, so that none is left running. */
export class ChildGroup implements AsyncDisposable {
  /** Resolves to the command's exit code, or to 128+n if signal n ended the command. */
  readonly ended: Promise<number>;
  readonly child: ChildProcess;
  readonly #release: () => void;
  #unwatch: () => void = () => undefined;
  #signals = 0;
  #killTimer: NodeJS.Timeout | undefined;
  /** Set once the group is empty, because a new group can reuse its id. */
  #isEmpty = false;

  private constructor(child: ChildProcess, passesSignals: boolean) {
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(this.#killTimer);
        this.send(0);
        resolve(code ?? SIGNAL_CODES + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    const passed = passesSignals ? SIGNALS : [];
    const onSignal = (signal: NodeJS.Signals) => this.#pass(signal);
    for (const signal of passed) process.on(signal, onSignal);
    this.#release = () => {
      for (const signal of passed) process.off(signal, onSignal);
    };
  }

  /** Starts a command. Rejects with the system error if the command does not exist or is not executable. */
  static async start(
    command: string,
    args: readonly string[],
    { passesSignals = false, isWatched = false, ...options }: ChildOptions,
  ): Promise<ChildGroup> {
    const child = spawn(command, args, { ...options, detached: HAS_GROUPS });
    const group = new ChildGroup(child, passesSignals);
    try {
      await once(child, 'spawn');
    } catch (error) {
      group.#release();
      throw error;
    }
    if (isWatched && HAS_GROUPS && child.pid !== undefined) group.#unwatch = watchOver(child.pid);
    return group;
  }

  onOutput(receive: (text: string, name: 'stdout' | 'stderr') => void): void {
    for (const name of ['stdout', 'stderr'] as const) {
      this.child[name]?.setEncoding('utf8').on('data', (text: string) => receive(text, name));
    }
  }

  /** Terminates remaining processes and stops handling signals. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      this.send(signal);
      const rounds = LEFTOVER_GRACE_MS / POLL_MS;
      for (let round = 0; round < rounds && this.send(0); round += 1) await sleep(POLL_MS, NEVER);
    }
    clearTimeout(this.#killTimer);
    this.#unwatch();
    this.#release();
  }

  /**
   * Sends a signal to the group. Signal 0 only checks for running processes. Returns false if the group is
   * empty.
   */
  send(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.child;
    if (pid === undefined || this.#isEmpty) return false;
    try {
      process.kill(HAS_GROUPS ? -pid : pid, signal);
      return true;
    } catch (error) {
      // macOS reports EPERM for a group that contains only zombies.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') this.#isEmpty = true;
      return false;
    }
  }

  /**
   * Forwards the first signal so that the group can shut down cleanly. Kills the group on the second signal.
   */
  #pass(signal: NodeJS.Signals): void {
    this.#signals += 1;
    this.send(this.#signals === 1 ? signal : 'SIGKILL');
    this.#killTimer ??= setTimeout(() => this.send('SIGKILL'), SIGNAL_GRACE_MS);
  }
}

/** Waits for stdin to close, which happens when this process ends for any reason. */
const SCRIPT = 'read -r _ || { kill -s TERM -- "-$0"; sleep 1; kill -s KILL -- "-$0"; }';

/**
 * Starts a watchdog that terminates a process group if this process is killed. Returns a function that stops
 * the watchdog. Requires `sh`.
 */
function watchOver(groupId: number): () => void {
  const watchdog = spawn('sh', ['-c', SCRIPT, String(groupId)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.once('error', () => undefined);
  return () => watchdog.kill('SIGKILL');
}

const MOST_CHARACTERS = 1_000_000;

export interface ShellResult {
  /** Null if the command timed out and was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell command and its child processes to completion. Rejects if the signal aborts. */
export async function runShell(
  command: string,
  where: CommandContext,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<ShellResult> {
  signal.throwIfAborted();
  const group = await ChildGroup.start(command, [], {
    ...where,
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(group.child, 'close');
  const output = { stdout: '', stderr: '' };
  group.onOutput((text, name) => {
    output[name] = (output[name] + text).slice(0, MOST_CHARACTERS);
  });
  const timeout = createTimeout(limitMs);
  try {
    await raceAbort(closed, AbortSignal.any([signal, timeout]));
    return { code: await group.ended, ...output };
  } catch (error) {
    group.send('SIGKILL');
    if (signal.aborted || !timeout.aborted) throw error;
    return { code: null, ...output };
  }
}

/** Thrown if the restart command fails. */
export class RestartError extends Error {}

/**
 * Runs a restart command to completion. Processes started by the command continue to run. Rejects with
 * RestartError on failure.
 */
export async function runRestart(command: string, where: CommandContext): Promise<void> {
  const group = await ChildGroup.start(command, [], { ...where, shell: true, stdio: 'ignore' }).catch(
    (error: Error) => {
      throw new RestartError(`The restart command cannot be run: ${error.message}`);
    },
  );
  group.child.unref();
  const code = await group.ended;
  if (code > 0 && code < SIGNAL_CODES)
    throw new RestartError(`The restart command exited with code ${code}.`);
}

/** Real-time delay after which an application with an unknown address counts as restarted. */
const STARTED_MS = 2_000;
const CONNECT_MS = 1_000;

/** Runs a restart command and terminates all started processes on disposal. */
export class RestartRunner implements AsyncDisposable {
  readonly #command: string;
  readonly #where: () => CommandContext;
  readonly #groups: ChildGroup[] = [];
  readonly #over = new AbortController();

  /**
   * Calls `where` at each restart, because the environment block is known only after the sandbox has started.
   */
  constructor(command: string, where: () => CommandContext) {
    this.#command = command;
    this.#where = where;
  }

  /** Resolves when the application accepts connections again. Rejects on timeout. */
  readonly restart = async (signal: AbortSignal, target?: URL): Promise<void> => {
    if (this.#over.signal.aborted) return;
    const options = { ...this.#where(), shell: true, stdio: 'ignore', isWatched: true } as const;
    const group = await ChildGroup.start(this.#command, [], options);
    this.#groups.push(group);
    const stopping = AbortSignal.any([signal, this.#over.signal]);
    if (target !== undefined) return waitForPort(target, group.ended, stopping);
    await Promise.race([group.ended, sleep(STARTED_MS, stopping).catch(() => undefined)]);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#groups.map((group) => group[Symbol.asyncDispose]()));
  }
}

/**
 * Resolves when the restarted application accepts connections: after the command has ended or, if the command
 * is the application itself, after the port was briefly closed. Also resolves when the signal aborts.
 */
export async function waitForPort(
  target: URL,
  commandEnded: Promise<unknown>,
  stopping: AbortSignal,
): Promise<void> {
  const timeout = createTimeout(LIMITS.restartMs);
  const giveUp = AbortSignal.any([stopping, timeout]);
  let isRestarted = false;
  void commandEnded.then(() => {
    isRestarted = true;
  });
  for (;;) {
    const isUp = await isListening(target, giveUp);
    if (isUp && isRestarted) return;
    // A closed port means that the previous application has ended.
    if (!isUp) isRestarted = true;
    await sleep(POLL_MS, giveUp).catch(() => undefined);
    if (stopping.aborted || (timeout.aborted && isUp)) return;
    if (!timeout.aborted) continue;
    const { host, port } = placeOf(target);
    const seconds = LIMITS.restartMs / 1000;
    throw new Error(
      `Nothing is listening on ${host}:${port} ${seconds} s after the restart command started.`,
    );
  }
}

function placeOf({ protocol, hostname, port }: URL) {
  const host = hostname.replaceAll(/[[\]]/g, '');
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Checks whether a URL's host and port accept connections. */
export async function isListening(target: URL, signal: AbortSignal): Promise<boolean> {
  const socket = connect(placeOf(target));
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, createTimeout(CONNECT_MS)]) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

const PORT_PLACEHOLDER = '{port}';

export function usesPort(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text?.includes(PORT_PLACEHOLDER));
}

export function withPort(text: string, port: number | undefined): string {
  return port === undefined ? text : text.replaceAll(PORT_PLACEHOLDER, String(port));
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
