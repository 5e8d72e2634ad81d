import type { ChildProcess, StdioOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../../client/run-file.js';
import { CliError } from '../../program/errors.js';
import { watchOver } from './watchdog.js';

/** What a shell says of a command that does not exist, and of one that may not be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Real time that the group gets to end after a signal, before it is killed. */
const SIGNAL_GRACE_MS = 10_000;
/** Real time that what the command left behind gets. */
const LEFTOVER_GRACE_MS = 1_000;
const POLL_MS = 20;
/** Groups of processes are a thing of POSIX. */
const HAS_GROUPS = process.platform !== 'win32';

export interface ChildOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdio: StdioOptions;
}

/** A command with everything that it starts: a process group of its own, so that nothing of it stays behind. */
export class ChildGroup {
  /** The exit code of the command; 128+n when a signal ended it. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #release: () => void;
  #callOff: () => void = () => undefined;
  #signals = 0;
  #killer: NodeJS.Timeout | undefined;
  /** A group that was empty once stays so, and its number may be somebody else's. */
  #isEmpty = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(this.#killer);
        this.#isAlive();
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    const onSignal = (signal: NodeJS.Signals) => this.#pass(signal);
    for (const signal of SIGNALS) process.on(signal, onSignal);
    this.#release = () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    };
  }

  /** Starts a command. Throws CliError with 127 when it does not exist and 126 when it may not be run. */
  static start(command: string, args: readonly string[], options: ChildOptions): Promise<ChildGroup> {
    const { env, cwd, stdio } = options;
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(startError(command, error));
      let child: ChildProcess;
      try {
        child = spawn(command, args, { env, cwd, stdio, detached: HAS_GROUPS });
      } catch (error) {
        fail(error as NodeJS.ErrnoException);
        return;
      }
      const group = new ChildGroup(child);
      child.once('error', (error) => {
        group.#release();
        fail(error);
      });
      child.once('spawn', () => {
        if (HAS_GROUPS && child.pid !== undefined) group.#callOff = watchOver(child.pid);
        resolve(group);
      });
    });
  }

  /** Ends what the command left running, and takes no more signals. */
  async tearDown(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      this.#send(signal);
      const rounds = LEFTOVER_GRACE_MS / POLL_MS;
      for (let round = 0; round < rounds && this.#isAlive(); round += 1) await pause(POLL_MS);
    }
    clearTimeout(this.#killer);
    this.#callOff();
    this.#release();
  }

  /** The first signal goes on to the group, which may end in its own way; the second kills it. */
  #pass(signal: NodeJS.Signals): void {
    this.#signals += 1;
    this.#send(this.#signals === 1 ? signal : 'SIGKILL');
    this.#killer ??= setTimeout(() => this.#send('SIGKILL'), SIGNAL_GRACE_MS);
  }

  #isAlive(): boolean {
    return this.#send(0);
  }

  #send(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined || this.#isEmpty) return false;
    try {
      process.kill(HAS_GROUPS ? -pid : pid, signal);
      return true;
    } catch (error) {
      // macOS answers EPERM for a group of which only zombies are left.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') this.#isEmpty = true;
      return false;
    }
  }
}

function startError(command: string, error: NodeJS.ErrnoException): CliError {
  if (error.code === 'ENOENT') {
    return new CliError(NOT_FOUND, 'COMMAND_NOT_FOUND', `There is no command ${command}.`, {
      hint: 'Commands run without a shell; for one type: npx pix-sandbox exec -- sh -c "…"',
    });
  }
  return new CliError(NOT_EXECUTABLE, 'COMMAND_NOT_STARTED', `Cannot run ${command}: ${error.message}.`);
}
