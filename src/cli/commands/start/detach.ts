import { fork, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import {
  getLogFilePath,
  makeStateDirectory,
  NoHomeError,
  findProjectFolder,
} from '../../../client/run-file.js';
import { raceAbort } from '../../../delivery/abort.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT_CODES, wrapRemoteError, describeUnwritable } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { toCliError } from '../../program/run-command.js';
import { findRespondingSandboxes, warnOtherSandboxes } from '../../sandbox/find-sandbox.js';
import { formatConsoleUrl } from '../../terminal/open-page.js';
import { formatHanging, escapeControlCharacters, indentIfFits } from '../../terminal/text.js';
import { redactUrl } from '../../../text/redaction.js';
import type { start } from '../../declarations/serve.js';
import { planListeners } from '../listen/plan.js';

/** Marks a process started by `start --detach`, which reports over IPC. */
const BACKGROUND_MARK = 'PIX_SANDBOX_IN_BACKGROUND';

interface ReadyMessage {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
}

type FailedMessage = { readonly type: 'failed' } & Pick<
  CliError,
  'exitCode' | 'code' | 'message' | 'hint' | 'details'
>;

/** Runs `sandbox start` in this process, or with `--detach` in a background process. */
export const startSandbox: BodyOf<typeof start> = async (invocation) => {
  const { io, options } = invocation;
  const isBackground = io.env[BACKGROUND_MARK] !== undefined;
  if (options.detach && !isBackground) return detach(invocation);
  const { runSandbox } = await import('./start.js');
  return isBackground ? runInBackground(runSandbox, invocation) : runSandbox(invocation);
};

/**
 * Runs `start` in the background, and reports to the parent process when the sandbox is ready or has failed.
 * Exits if the parent exits first.
 */
async function runInBackground(
  run: BodyOf<typeof start>,
  invocation: InvocationOf<typeof start>,
): ReturnType<BodyOf<typeof start>> {
  const { io } = invocation;
  const leave = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', leave);
  if (!process.connected) leave();
  const emit = (value: object) => {
    if (!('type' in value) || value.type !== 'ready') return io.emit(value);
    const ready = value as ReadyMessage;
    io.note(`PIX sandbox ${ready.version} at ${ready.url}, process ${ready.pid}`);
    void sendToParent(ready).then((isHeard) => {
      process.off('disconnect', leave);
      if (!isHeard) leave();
      else if (process.connected) process.disconnect();
    });
  };
  try {
    return await run({ ...invocation, io: { ...io, emit, say: () => undefined } });
  } catch (error) {
    const { exitCode, code, message, hint, details } = toCliError(error, io);
    await sendToParent({ type: 'failed', exitCode, code, message, hint, details });
    throw error;
  } finally {
    process.off('disconnect', leave);
  }
}

function sendToParent(message: ReadyMessage | FailedMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}

/**
 * Runs `sandbox start --detach`: starts the same command in the background, and exits when the sandbox is
 * ready. On failure, exits with the same message and code, and leaves nothing running.
 */
async function detach({ io, options }: InvocationOf<typeof start>): Promise<void> {
  const folder = findProjectFolder(io.cwd);
  const [running] = await findRespondingSandboxes(folder, io);
  if (running !== undefined) {
    const { url, pid } = running;
    const message = `This project’s sandbox is already running at ${url} (pid ${pid}); no other sandbox was started.`;
    throw new CliError(EXIT_CODES.no, 'ALREADY_RUNNING', message, {
      hint: 'Use the running sandbox (`npx sandbox env`), or stop it first with `npx sandbox stop`.',
    });
  }
  const { child, logFile } = spawnDetached(folder, io);
  try {
    const ready = await outcome(child, logFile, io);
    const targets = listTargets(options);
    io.emit({ ...ready, log_file: logFile, forward_to: targets });
    io.say(formatReady(io, { ...ready, targets, isDetached: true }));
    io.say(`\nThe sandbox runs in the background (pid ${ready.pid}) and writes to ${logFile}`);
    io.say(`\`${io.program} logs\` shows its activity, \`${io.program} stop\` stops it.`);
    // Another sandbox may have started at the same time.
    const others = (await findRespondingSandboxes(folder, io)).filter(({ pid }) => pid !== ready.pid);
    warnOtherSandboxes(io, others);
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/**
 * Starts the same command in its own process group, with its output in a new private log file. Throws a
 * CliError if the file cannot be written.
 */
function spawnDetached(folder: string, { env, cwd }: Io): { child: ChildProcess; logFile: string } {
  try {
    const logFile = getLogFilePath(folder, env);
    if (logFile === undefined) throw new NoHomeError();
    makeStateDirectory(env);
    const output = openNew(logFile);
    try {
      const child = fork(process.argv[1] ?? '', process.argv.slice(2), {
        cwd,
        env: { ...env, [BACKGROUND_MARK]: '1' },
        detached: true,
        stdio: ['ignore', output, output, 'ipc'],
      });
      return { child, logFile };
    } finally {
      closeSync(output);
    }
  } catch (error) {
    const reason = describeUnwritable(error);
    if (reason === undefined) throw error;
    const message = `The log of a background sandbox cannot be written: ${reason}.`;
    throw new CliError(EXIT_CODES.usage, 'SYSTEM_REFUSED', message, {
      hint: 'Choose another directory with XDG_STATE_HOME, or start the sandbox without --detach.',
    });
  }
}

/** Creates a private file. Retries if another start creates the same file concurrently. */
function openNew(path: string): number {
  for (;;) {
    rmSync(path, { force: true });
    try {
      return openSync(path, 'ax', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const LAST_LINES = 20;

/** Resolves when the child is ready; rejects only after the child has exited. */
async function outcome(child: ChildProcess, logFile: string, { stopping }: Io): Promise<ReadyMessage> {
  const ended = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? EXIT_CODES.bug));
    child.once('error', reject);
  });
  const told = new Promise<ReadyMessage | FailedMessage | undefined>((resolve) => {
    child.once('message', (message) => resolve(message as ReadyMessage | FailedMessage));
    child.once('disconnect', () => resolve(undefined));
  });
  try {
    const message = await raceAbort(Promise.race([told, ended.then(() => told)]), stopping);
    if (message?.type === 'ready') return message;
    const code = await ended;
    if (message !== undefined) throw wrapRemoteError(message.exitCode, message);
    const output = escapeControlCharacters(readFileSync(logFile, 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(-LAST_LINES);
    const text = `The sandbox exited with ${code} before it was ready:\n${output.join('\n')}`;
    throw new CliError(code === EXIT_CODES.done ? EXIT_CODES.no : code, 'NOT_STARTED', text, {
      hint: `The full output is in ${logFile}`,
    });
  } catch (error) {
    child.kill('SIGTERM');
    await ended;
    throw error;
  }
}

/** Lists the redacted URLs to which `--forward-to` forwards webhooks. */
export function listTargets(options: InvocationOf<typeof start>['options']): readonly string[] {
  return planListeners(options).flatMap(({ target }) => (target === undefined ? [] : redactUrl(target.href)));
}

interface ReadyText extends Pick<ReadyMessage, 'url' | 'version' | 'env'> {
  /** URLs to which webhooks are forwarded. */
  readonly targets: readonly string[];
  /** The terminal is free for the next command. */
  readonly isDetached: boolean;
  /** Mentions the test receiver key, because no receiver exists. */
  readonly offersReceiver?: boolean;
}

/**
 * Printed at startup, with the application's own variables; `env` prints all. The control token is included
 * only if required.
 */
const SHOWN = new Set([
  'SANDBOX_URL',
  'SANDBOX_ACCOUNT_ID',
  'SANDBOX_TOKEN',
  'SANDBOX_SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'SANDBOX_CONTROL_TOKEN',
]);

/** Formats the startup output of `start`: next steps, and the application's environment. */
export function formatReady(io: Pick<Io, 'colors' | 'columns' | 'program'>, ready: ReadyText): string {
  const { colors, columns, program } = io;
  const { url, version, targets, isDetached, offersReceiver = false } = ready;
  const forwarding =
    targets.length > 0 ? `Webhooks are forwarded to ${targets.join(' and ')}` : 'Webhooks are not forwarded.';
  const next = [
    ...(targets.length > 0 ? [] : [`${program} listen --forward-to localhost:3000/webhooks`]),
    `${program} trigger pix.settled`,
  ];
  return [
    formatHanging(`${colors.bold('PIX sandbox')} ${version} is ready at ${colors.bold(url)}`, columns),
    ...consoleLines(ready, columns),
    ...(isDetached ? [formatHanging(forwarding, columns)] : []),
    '',
    colors.bold(isDetached ? 'Next:' : 'Next, in another terminal:'),
    ...next.map((command) => `  ${colors.cyan(formatHanging(command, columns, '    '))}`),
    ...(offersReceiver
      ? [formatHanging('Without an application: press v (test receiver), then t.', columns)]
      : []),
    '',
    colors.bold(formatHanging(`For your application (all variables: \`${program} env\`):`, columns)),
    environmentText(io, ready),
  ].join('\n');
}

/** Prints the console URL if it requires a token. */
function consoleLines({ url, env }: ReadyText, columns: number): string[] {
  const { SANDBOX_CONTROL_TOKEN: token } = env;
  return token === undefined
    ? []
    : ['Web console:', indentIfFits(formatConsoleUrl(url, token), '  ', columns)];
}

/**
 * Formats variables as `name=value` for a pipe, or in columns for a terminal. A narrow terminal gets each
 * value on its own line.
 */
function environmentText({ colors, columns }: Pick<Io, 'colors' | 'columns'>, { env }: ReadyText): string {
  const shown = Object.entries(env).filter(([name]) => SHOWN.has(name) || !name.startsWith('SANDBOX_'));
  if (columns === 0) return shown.map(([name, value]) => `  ${name}=${value}`).join('\n');
  const left = Math.max(...shown.map(([name]) => name.length)) + 2;
  if (shown.every(([, value]) => 2 + left + value.length <= columns))
    return shown.map(([name, value]) => `  ${name.padEnd(left)}${colors.cyan(value)}`).join('\n');
  return shown
    .flatMap(([name, value]) => [`  ${name}`, indentIfFits(colors.cyan(value), '  ', columns)])
    .join('\n');
}
