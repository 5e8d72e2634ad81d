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
import { CliError, EXIT, wrapRemoteError, describeUnwritable } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { toCliError } from '../../program/run-command.js';
import { findRespondingSandboxes, warnOtherSandboxes } from '../../sandbox/find-sandbox.js';
import { formatHanging, escapeControlCharacters, indentIfFits } from '../../terminal/text.js';
import type { start } from '../../declarations/serve.js';

/** Set for a process started by `start --detach`, which reports over its IPC channel. */
const BACKGROUND_MARK = 'PIX_SANDBOX_IN_BACKGROUND';

interface ReadyMessage {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type FailedMessage = { readonly type: 'failed' } & Pick<
  CliError,
  'exitCode' | 'code' | 'message' | 'hint' | 'details'
>;

/** `sandbox start`: in this process, or with `--detach` in a background process. */
export const startSandbox: BodyOf<typeof start> = async (invocation) => {
  const { io, options } = invocation;
  const isBackground = io.env[BACKGROUND_MARK] !== undefined;
  if (options.detach && !isBackground) return detach(invocation);
  const { runSandbox } = await import('./start.js');
  return isBackground ? runInBackground(runSandbox, invocation) : runSandbox(invocation);
};

/**
 * Runs `start` for a waiting process: reports readiness or the reason for failing. If the waiting process
 * exits first, this one ends, too.
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
    void tell(ready).then((isHeard) => {
      process.off('disconnect', leave);
      if (!isHeard) leave();
      else if (process.connected) process.disconnect();
    });
  };
  try {
    return await run({ ...invocation, io: { ...io, emit, say: () => undefined } });
  } catch (error) {
    const { exitCode, code, message, hint, details } = toCliError(error, io);
    await tell({ type: 'failed', exitCode, code, message, hint, details });
    throw error;
  } finally {
    process.off('disconnect', leave);
  }
}

function tell(message: ReadyMessage | FailedMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}

/**
 * `sandbox start --detach`: starts the same command in the background and exits when it is ready. If that
 * fails, this fails with the same message and exit code, and leaves nothing running.
 */
async function detach({ io, options }: InvocationOf<typeof start>): Promise<void> {
  const folder = findProjectFolder(io.cwd);
  const [running] = await findRespondingSandboxes(folder, io);
  if (running !== undefined) {
    const { url, pid } = running;
    const message = `The sandbox of this project already runs at ${url} (pid ${pid}), so none was started.`;
    throw new CliError(EXIT.no, 'ALREADY_RUNNING', message, {
      hint: 'Use it as it is (`npx sandbox env`), or end it first with `npx sandbox stop`.',
    });
  }
  const { child, logFile } = spawnDetached(folder, io);
  try {
    const ready = await outcome(child, logFile, io);
    io.emit({ ...ready, log_file: logFile });
    io.say(formatReady(io, { ...ready, forwards: options.forwardTo.length > 0, isDetached: true }));
    io.say(`\nIt runs in the background (pid ${ready.pid}) and writes to ${logFile}`);
    io.say(`\`${io.program} logs\` shows what it sees, \`${io.program} stop\` ends it.`);
    // Another one may have been starting at the same time.
    const others = (await findRespondingSandboxes(folder, io)).filter(({ pid }) => pid !== ready.pid);
    warnOtherSandboxes(io, others);
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/**
 * Starts the same command in its own process group, with its output in a new private file. Throws a CliError
 * if the file cannot be written.
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
    throw new CliError(EXIT.usage, 'SYSTEM_REFUSED', message, {
      hint: 'Choose another folder with XDG_STATE_HOME, or start it in the foreground, without --detach.',
    });
  }
}

/** Opens a file for its user only. Another start may make the same file at this moment, and is followed. */
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

/** Resolves when the child is ready; it has ended when this rejects. */
async function outcome(child: ChildProcess, logFile: string, { stopping }: Io): Promise<ReadyMessage> {
  const ended = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? EXIT.bug));
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
    const text = `The sandbox ended with ${code} before it was ready:\n${output.join('\n')}`;
    throw new CliError(code === EXIT.done ? EXIT.no : code, 'NOT_STARTED', text, {
      hint: `All of its output is in ${logFile}`,
    });
  } catch (error) {
    child.kill('SIGTERM');
    await ended;
    throw error;
  }
}

interface ReadyText extends Pick<ReadyMessage, 'url' | 'version' | 'env'> {
  readonly forwards: boolean;
  /** True if this terminal is free for the next command. */
  readonly isDetached: boolean;
  /** True if a key turns on the test receiver, because no receiver exists. */
  readonly offersReceiver?: boolean;
}

/** Variables shown to a person; `env` prints all. The control token is shown only where required. */
const SHOWN = [
  'SANDBOX_URL',
  'SANDBOX_ACCOUNT_ID',
  'SANDBOX_TOKEN',
  'SANDBOX_SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'SANDBOX_CONTROL_TOKEN',
];

/** Formats the output of `start` once ready: next steps, and the environment of the application. */
export function formatReady(io: Pick<Io, 'colors' | 'columns' | 'program'>, ready: ReadyText): string {
  const { colors, columns, program } = io;
  const { url, version, forwards, isDetached, offersReceiver = false } = ready;
  const next = [
    ...(forwards ? [] : [`${program} listen --forward-to localhost:3000/webhooks`]),
    `${program} trigger pix.settled`,
  ];
  return [
    formatHanging(`${colors.bold('PIX sandbox')} ${version} is ready at ${colors.bold(url)}`, columns),
    ...consoleLines(ready, columns),
    '',
    colors.bold(isDetached ? 'Next:' : 'Next, in another terminal:'),
    ...next.map((command) => `  ${colors.cyan(formatHanging(command, columns, '    '))}`),
    ...(offersReceiver
      ? [formatHanging('Without an application: v turns on the test receiver, then t.', columns)]
      : []),
    '',
    colors.bold(formatHanging(`For your application (all of it: \`${program} env\`):`, columns)),
    environmentText(io, ready),
  ].join('\n');
}

/** If the control API needs a token, so does the console; browsers never send the part after the `#`. */
function consoleLines({ url, env }: ReadyText, columns: number): string[] {
  const { SANDBOX_CONTROL_TOKEN: token } = env;
  return token === undefined
    ? []
    : [
        'Its console, in a browser of yours:',
        indentIfFits(`${url}/#token=${encodeURIComponent(token)}`, '  ', columns),
      ];
}

/** Lines for a file on a pipe; columns on a terminal, or values below their names where it is narrow. */
function environmentText({ colors, columns }: Pick<Io, 'colors' | 'columns'>, { env }: ReadyText): string {
  const shown = SHOWN.map((name) => [name, env[name] ?? ''] as const).filter(([, value]) => value !== '');
  if (columns === 0) return shown.map(([name, value]) => `  ${name}=${value}`).join('\n');
  const left = Math.max(...shown.map(([name]) => name.length)) + 2;
  if (shown.every(([, value]) => 2 + left + value.length <= columns))
    return shown.map(([name, value]) => `  ${name.padEnd(left)}${colors.cyan(value)}`).join('\n');
  return shown
    .flatMap(([name, value]) => [`  ${name}`, indentIfFits(colors.cyan(value), '  ', columns)])
    .join('\n');
}
