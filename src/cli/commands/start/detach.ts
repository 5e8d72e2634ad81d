import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { RunFile } from '../../../client/run-file.js';
import { logFilePath, makeStateDirectory, NoHomeError, projectFolder } from '../../../client/run-file.js';
import type { BackgroundMessage, ReadyMessage } from './background.js';
import { BACKGROUND_MARK } from './background.js';
import { readyText } from './ready-text.js';
import { CliError, EXIT, passedOn } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { start } from './command.js';
import type { Io } from '../../program/io.js';
import { answeringRuns, noteOthers } from '../../sandbox/answering-runs.js';
import { unwritableReason } from '../../program/system-refusal.js';
import { harmless } from '../../terminal/text.js';
import { untilAborted } from '../../../delivery/abort.js';

/** How many lines of a failed sandbox's output are shown. */
const LAST_LINES = 20;

/**
 * `sandbox start --detach`: starts the same command in the background and exits when it is ready. If that fails, this fails with
 * the same message and exit code, and leaves nothing running.
 */
export async function detach({ io, options }: InvocationOf<typeof start>): Promise<void> {
  const folder = projectFolder(io.cwd);
  const [running] = await answeringRuns(folder, io);
  if (running !== undefined) throw alreadyRunning(running);
  const { child, logFile } = beginOrRefuse(folder, io);
  try {
    const ready = await outcome(child, logFile, io);
    io.emit({ ...ready, log_file: logFile });
    io.say(readyText(io, { ...ready, forwards: options.forwardTo.length > 0, isDetached: true }));
    io.say(`\nIt runs in the background (pid ${ready.pid}) and writes to ${logFile}`);
    io.say(`\`${io.program} logs\` shows what it sees, \`${io.program} stop\` ends it.`);
    // Another one may have been starting at the same time.
    const others = (await answeringRuns(folder, io)).filter(({ pid }) => pid !== ready.pid);
    noteOthers(io, others);
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function alreadyRunning({ url, pid }: RunFile): CliError {
  return new CliError(
    EXIT.no,
    'ALREADY_RUNNING',
    `The sandbox of this project already runs at ${url} (pid ${pid}), so none was started.`,
    { hint: 'Use it as it is (`npx sandbox env`), or end it first with `npx sandbox stop`.' },
  );
}

/** Throws a CliError if its log cannot be written. */
function beginOrRefuse(folder: string, io: Io): { readonly child: ChildProcess; readonly logFile: string } {
  try {
    const logFile = logFilePath(folder, io.env);
    if (logFile === undefined) throw new NoHomeError();
    return { logFile, child: begin(logFile, io) };
  } catch (error) {
    const reason = unwritableReason(error);
    if (reason === undefined) throw error;
    throw new CliError(
      EXIT.usage,
      'SYSTEM_REFUSED',
      `The log of a background sandbox cannot be written: ${reason}.`,
      {
        hint: 'Choose another folder with XDG_STATE_HOME, or start it in the foreground, without --detach.',
      },
    );
  }
}

/** Starts a process in its own group, with its output in a new file that only its user can read. */
function begin(logFile: string, { env, cwd }: Io): ChildProcess {
  makeStateDirectory(env);
  const output = openNew(logFile);
  try {
    return fork(process.argv[1] ?? '', process.argv.slice(2), {
      cwd,
      env: { ...env, [BACKGROUND_MARK]: '1' },
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
  } finally {
    closeSync(output);
  }
}

/** Another start may make its log between the two steps. */
function openNew(logFile: string): number {
  for (;;) {
    rmSync(logFile, { force: true });
    try {
      return openSync(logFile, 'ax', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Resolves when it is ready. The process has ended when this rejects. */
async function outcome(child: ChildProcess, logFile: string, { stopping }: Io): Promise<ReadyMessage> {
  const ended = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? EXIT.bug));
    child.once('error', reject);
  });
  const told = new Promise<BackgroundMessage | undefined>((resolve) => {
    child.once('message', (message) => resolve(message as BackgroundMessage));
    child.once('disconnect', () => resolve(undefined));
  });
  try {
    const message = await untilAborted(Promise.race([told, ended.then(() => told)]), stopping);
    if (message?.type === 'ready') return message;
    const exitCode = await ended;
    if (message === undefined) throw brokeDown(exitCode, logFile);
    throw passedOn(message.exitCode, message);
  } catch (error) {
    child.kill('SIGTERM');
    await ended;
    throw error;
  }
}

function brokeDown(exitCode: number, logFile: string): CliError {
  const output = harmless(readFileSync(logFile, 'utf8')).trimEnd().split('\n').slice(-LAST_LINES);
  const message = `The sandbox ended with ${exitCode} before it was ready:\n${output.join('\n')}`;
  return new CliError(exitCode === EXIT.done ? EXIT.no : exitCode, 'NOT_STARTED', message, {
    hint: `All of its output is in ${logFile}`,
  });
}
