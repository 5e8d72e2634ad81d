import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlClient, NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import { isRunning } from '../../client/is-running.js';
import type { Ready } from '../../client/routes.js';
import {
  allRunFiles,
  foreignState,
  projectFolder,
  readRunFile,
  removeRunFile,
  type RunFile,
  runFilesOf,
} from '../../client/run-file.js';
import { socketClient } from '../../client/socket.js';
import { untilAborted } from '../../delivery/abort.js';
import type { UsingCommand } from '../../contract/enums.js';
import { withoutUrlSecrets } from '../../text/redaction.js';
import { isSandboxUrl } from '../../text/urls.js';
import { CliError, EXIT, notRunning, START_ONE, usageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import type { Duration } from '../program/options.js';

const PATIENCE_MS = 2_000;

/**
 * The sandboxes of a project that answer, beside the one of this instance, in the order in which commands
 * find them. Removes what a crashed one left behind.
 */
export async function answeringRuns(
  folder: string,
  { env, stopping }: Pick<Io, 'env' | 'stopping'>,
  instanceId?: string,
): Promise<readonly RunFile[]> {
  const runs = runFilesOf(folder, env).filter((run) => run.instance_id !== instanceId);
  if (runs.length === 0) return [];
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]);
  const answering = await Promise.all(runs.map((run) => isAnswering(run, signal)));
  stopping.throwIfAborted();
  return runs.filter((run, index) => {
    if (answering[index] === true) return true;
    if (!isRunning(run)) removeRunFile(run, env);
    return false;
  });
}

/** Whether it is this sandbox that answers at its address. */
export async function isAnswering(
  { url, control_token: token, instance_id: id }: RunFile,
  signal: AbortSignal,
): Promise<boolean> {
  const client = socketClient({ url, token });
  try {
    const answer = await untilAborted(readiness(client), signal);
    return typeof answer !== 'string' && answer.instance_id === id;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

/** Such as `http://127.0.0.1:7490 (pid 7) and http://127.0.0.1:7491 (pid 8)`. */
export function placesText(runs: readonly RunFile[]): string {
  return runs.map(({ url, pid }) => `${url} (pid ${pid})`).join(' and ');
}

/** Says that sandboxes of this project were started before this one. */
export function noteOthers({ colour, note }: Pick<Io, 'colour' | 'note'>, others: readonly RunFile[]): void {
  const [first] = others;
  if (first === undefined) return;
  note(
    `${colour.yellow('warning')} This project has another sandbox at ${placesText(others)}. ` +
      `Commands find the newest one and, when that has stopped, the one before; \`--url ` +
      `${first.url}\` reaches the other now.`,
  );
}

/** The longest that a sandbox may take, which has nothing to wait for. */
const MOST_MS = 2_000;

/** Registers a command with the sandbox of SANDBOX_URL, if there is one, so that an `exec` around it counts as used. */
export async function registerUse({ env }: Pick<Io, 'env'>, command: UsingCommand): Promise<void> {
  const { SANDBOX_URL: url, SANDBOX_CONTROL_TOKEN: token } = env;
  if (url === undefined || !/^http:\/\/[^/\s@?#]+\/?$/.test(url)) return;
  const client = socketClient({ url, token });
  const signal = AbortSignal.timeout(MOST_MS);
  try {
    await client.post('uses', { body: { command }, signal });
  } catch (error) {
    const isGone = signal.aborted || error instanceof SandboxError || error instanceof NotReachableError;
    if (!isGone) throw error;
  } finally {
    client.close();
  }
}

const POLL_MS = 100;
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Polls until a sandbox answers; it may be started meanwhile. On a timeout in real time, throws a CliError
 * that says what was still missing.
 */
export async function waitUntilReady(invocation: Seeker & { readonly io: Io }, timeout: Duration) {
  const { stopping } = invocation.io;
  const timeUp = AbortSignal.timeout(Math.min(timeout.ms, LONGEST_TIMER_MS));
  const giveUp = AbortSignal.any([stopping, timeUp]);
  let missing = 'nothing answered.';
  try {
    for (;;) {
      const found = await look(invocation, giveUp);
      if (typeof found !== 'string') return found;
      missing = found;
      await sleep(POLL_MS, undefined, { signal: giveUp });
    }
  } catch (error) {
    if (!timeUp.aborted || stopping.aborted) throw error;
    throw new CliError(
      EXIT.timedOut,
      'TIMED_OUT',
      `No sandbox was ready within ${timeout.text}: ${missing}`,
      { hint: START_ONE },
    );
  }
}

async function look(invocation: Seeker, giveUp: AbortSignal) {
  try {
    return await withSandbox(invocation, async (client) => {
      const answer = await untilAborted(readiness(client), giveUp);
      return typeof answer === 'string' ? answer : { url: client.url, answer };
    });
  } catch (error) {
    if (error instanceof CliError && error.code === 'NOT_RUNNING') return error.message;
    throw error;
  }
}

/** The sandbox that answers, or the reason why none does. A sandbox's own refusal is thrown as SandboxError. */
export async function readiness(client: ControlClient): Promise<Ready | string> {
  try {
    const answer = await client.get('readyz');
    if (isReady(answer)) return answer;
    // Without a control token the answer has no identity; another route reports the missing token.
    if (answer?.ready === true) await client.get('status');
  } catch (error) {
    if (error instanceof NotReachableError) return error.message;
    if (error instanceof SandboxError && error.code !== NOT_A_SANDBOX) throw error;
  }
  return `What answers at ${client.url} is not a sandbox.`;
}

function isReady(answer: Partial<Ready> | null): answer is Ready {
  return answer?.ready === true && typeof answer.instance_id === 'string';
}

/** Where to look for a sandbox, and with which `--url`. */
export interface Seeker {
  readonly io: Pick<Io, 'env' | 'cwd'>;
  readonly options: { readonly url: string | undefined };
}

/** A client of the command's sandbox: from `--url`, then SANDBOX_URL, then the project's run file. */
export function findSandbox({ io, options }: Seeker): ControlClient {
  const chosen = options.url ?? io.env.SANDBOX_URL;
  const folder = projectFolder(io.cwd);
  if (chosen !== undefined && chosen !== '') {
    if (!isSandboxUrl(chosen)) {
      throw usageError(
        `The sandbox's URL must look like http://127.0.0.1:7490; got ${withoutUrlSecrets(chosen)}.`,
      );
    }
    return socketClient({ url: chosen, token: io.env.SANDBOX_CONTROL_TOKEN });
  }
  const run = readRunFile(folder, io.env);
  if (run !== undefined) return socketClient({ url: run.url, token: run.control_token });
  throw noneFor(folder, io.env);
}

function noneFor(folder: string, env: Io['env']): CliError {
  const foreign = foreignState(env);
  if (foreign !== undefined) {
    return notRunning(
      `No sandbox is found for ${folder}: ${foreign.message}, so its run files are not read.`,
      'Make it yours, choose another with XDG_STATE_HOME, or name the sandbox with --url.',
    );
  }
  const elsewhere = allRunFiles(env)
    .map((run) => `${run.url} (${run.folder})`)
    .slice(0, 3);
  const others =
    elsewhere.length === 0 ? '' : ` Others were started at ${elsewhere.join(', ')}: choose one with --url.`;
  return notRunning(`No sandbox is running for ${folder}.`, START_ONE + others);
}

export function isNotRunning(error: unknown): boolean {
  return (
    error instanceof NotReachableError || (error instanceof CliError && error.exitCode === EXIT.notRunning)
  );
}

/** Works with the command's sandbox, and closes the connection afterwards. */
export async function withSandbox<Result>(
  invocation: Seeker,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  const client = findSandbox(invocation);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** The same, but resolves to undefined if no sandbox is running, unless `--url` named one. */
export async function withRunningSandbox<Result>(
  invocation: Seeker,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await withSandbox(invocation, work);
  } catch (error) {
    if (invocation.options.url === undefined && isNotRunning(error)) return undefined;
    throw error;
  }
}
