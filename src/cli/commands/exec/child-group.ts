import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { systemErrorOf } from '../../../text/system-errors.js';
import { CliError } from '../../program/errors.js';

/** The shell's exit codes for a command that does not exist, and for one that cannot be executed. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Real time between a signal and killing the group. */
const SIGNAL_GRACE_MS = 10_000;
const LEFTOVER_GRACE_MS = 1_000;
const POLL_MS = 20;
/** Only POSIX has process groups. */
const HAS_GROUPS = process.platform !== 'win32';

export interface ChildOptions extends Pick<SpawnOptions, 'env' | 'cwd' | 'stdio' | 'shell'> {
  readonly passesSignals?: boolean;
}

/** A command and everything it starts, in its own process group, so that nothing is left behind. */
export class ChildGroup {
  /** The exit code of the command; 128+n when a signal ended it. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #release: () => void;
  #callOff: () => void = () => undefined;
  #signals = 0;
  #killer: NodeJS.Timeout | undefined;
  /** Once a group is empty, its id may be reused by another process. */
  #isEmpty = false;

  private constructor(child: ChildProcess, passesSignals: boolean) {
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(this.#killer);
        this.#isAlive();
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    const onSignal = (signal: NodeJS.Signals) => this.#pass(signal);
    const passed = passesSignals ? SIGNALS : [];
    for (const signal of passed) process.on(signal, onSignal);
    this.#release = () => {
      for (const signal of passed) process.off(signal, onSignal);
    };
  }

  /**
   * Starts a command, and passes signals on to it unless `passesSignals` is false. Throws CliError with 127
   * when it does not exist and 126 when it cannot be executed.
   */
  static start(
    command: string,
    args: readonly string[],
    { passesSignals = true, ...options }: ChildOptions,
  ): Promise<ChildGroup> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(startError(command, error));
      let child: ChildProcess;
      try {
        child = spawn(command, args, { ...options, detached: HAS_GROUPS });
      } catch (error) {
        fail(error as NodeJS.ErrnoException);
        return;
      }
      const group = new ChildGroup(child, passesSignals);
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

  onOutput(take: (text: string) => void): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', take);
    }
  }

  /** Ends what the command left running, and stops handling signals. */
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

  /** The first signal is passed on to the group, which may shut down cleanly; the second kills it. */
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
      // macOS answers EPERM for a group that has only zombies left.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') this.#isEmpty = true;
      return false;
    }
  }
}

function startError(command: string, error: NodeJS.ErrnoException): CliError {
  if (error.code === 'ENOENT') {
    return new CliError(NOT_FOUND, 'COMMAND_NOT_FOUND', `There is no command ${command}.`, {
      hint: 'Commands run without a shell; for one type: npx sandbox exec -- sh -c "…"',
    });
  }
  return new CliError(NOT_EXECUTABLE, 'COMMAND_NOT_STARTED', `Cannot run ${command}: ${error.message}.`, {
    hint: systemErrorOf(error.code)?.remedy,
  });
}

/** Waits for the end of its input, which comes when the process on the other side ends for any reason. */
const SCRIPT = 'read -r _ || { kill -s TERM -- "-$0"; sleep 1; kill -s KILL -- "-$0"; }';

/**
 * Ends a process group when this process is killed without a chance to do so, such as by `kill -9`. Returns a
 * function that cancels it. Does nothing without `sh`.
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
