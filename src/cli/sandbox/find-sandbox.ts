import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlClient, NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import { isRunning } from '../../client/is-running.js';
import type { ReadyResponse } from '../../client/routes.js';
import {
  readAllRunFiles,
  findForeignState,
  findProjectFolder,
  readRunFile,
  removeRunFile,
  type RunFile,
  runFilesOf,
} from '../../client/run-file.js';
import { createSocketClient } from '../../client/socket.js';
import { createTimeout, raceAbort } from '../../delivery/abort.js';
import type { RunnerCommand } from '../../contract/enums.js';
import { redactUrl } from '../../text/redaction.js';
import { isSandboxUrl } from '../../text/urls.js';
import {
  CliError,
  EXIT_CODES,
  createNotRunningError,
  START_HINT,
  createUsageError,
} from '../program/errors.js';
import type { Io } from '../program/io.js';
import type { DeliveryView } from '../../http/control/exchanges.js';

/** Response timeout, sufficient for an idle sandbox. */
const RESPONSE_TIMEOUT_MS = 2_000;

/**
 * Lists a project's responding sandboxes in lookup order, excluding this instance. Removes the run files of
 * crashed sandboxes.
 */
export async function findRespondingSandboxes(
  folder: string,
  { env, stopping }: Pick<Io, 'env' | 'stopping'>,
  instanceId?: string,
): Promise<readonly RunFile[]> {
  const runs = runFilesOf(folder, env).filter((run) => run.instance_id !== instanceId);
  const signal = AbortSignal.any([stopping, createTimeout(RESPONSE_TIMEOUT_MS)]);
  const instances = await Promise.all(
    runs.map((run) =>
      closing(createClient(run), (client) => raceAbort(fetchInstanceId(client), signal)).catch(
        () => undefined,
      ),
    ),
  );
  stopping.throwIfAborted();
  return runs.filter((run, index) => {
    if (instances[index] === run.instance_id) return true;
    if (!isRunning(run)) removeRunFile(run, env);
    return false;
  });
}

export function createClient({ url, control_token: token }: RunFile): ControlClient {
  return createSocketClient({ url, token });
}

async function closing<Result>(client: ControlClient, work: (client: ControlClient) => Promise<Result>) {
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** Formats sandboxes, e.g. `http://127.0.0.1:7490 (pid 7) and http://127.0.0.1:7491 (pid 8)`. */
export function formatPlaces(runs: readonly RunFile[]): string {
  return runs.map(({ url, pid }) => `${url} (pid ${pid})`).join(' and ');
}

/** Warns about this project's previously started sandboxes. */
export function warnOtherSandboxes(
  { colors, note }: Pick<Io, 'colors' | 'note'>,
  others: readonly RunFile[],
): void {
  const [first] = others;
  if (first === undefined) return;
  note(
    `${colors.yellow('warning')} This project has another sandbox at ${formatPlaces(others)}. ` +
      `Commands use the newest running sandbox. To use another sandbox, pass \`--url ` +
      `${first.url}\`.`,
  );
}

/**
 * Reports a command to the sandbox at SANDBOX_URL, if any, so that an enclosing `exec` knows that its sandbox
 * was used.
 */
export async function reportUsage({ env }: Pick<Io, 'env'>, command: RunnerCommand): Promise<void> {
  const { SANDBOX_URL: url, SANDBOX_CONTROL_TOKEN: token } = env;
  if (url === undefined || !/^http:\/\/[^/\s@?#]+\/?$/.test(url)) return;
  const signal = createTimeout(RESPONSE_TIMEOUT_MS);
  try {
    await closing(createSocketClient({ url, token }), (client) =>
      client.post('uses', { body: { command }, signal }),
    );
  } catch (error) {
    const isGone = signal.aborted || error instanceof SandboxError || error instanceof NotReachableError;
    if (!isGone) throw error;
  }
}

const POLL_MS = 100;
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Polls until a sandbox is ready, even if the sandbox starts while polling. After a real-time timeout, throws
 * a CliError with the unmet condition.
 */
export async function waitUntilReady(
  invocation: SandboxSearch & { readonly io: Io },
  timeout: { readonly text: string; readonly ms: number },
) {
  const { stopping } = invocation.io;
  const timeUp = createTimeout(Math.min(timeout.ms, LONGEST_TIMER_MS));
  const signal = AbortSignal.any([stopping, timeUp]);
  const look = () =>
    withSandbox(invocation, async (client) => {
      const response = await raceAbort(checkReadiness(client), signal);
      return typeof response === 'string' ? response : { url: client.url, response };
    });
  let missing = 'no response.';
  try {
    for (;;) {
      const found = await look().catch((error: unknown) => {
        if (error instanceof CliError && error.code === 'NOT_RUNNING') return error.message;
        throw error;
      });
      if (typeof found !== 'string') return found;
      missing = found;
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (!timeUp.aborted || stopping.aborted) throw error;
    const message = `No sandbox was ready within ${timeout.text}: ${missing}`;
    throw new CliError(EXIT_CODES.timedOut, 'TIMED_OUT', message, { hint: START_HINT });
  }
}

/**
 * Returns the `readyz` response, or the reason why the sandbox is not ready. Throws a SandboxError if the
 * sandbox refuses the request.
 */
async function checkReadiness(client: ControlClient): Promise<ReadyResponse | string> {
  try {
    const response = await client.get('readyz');
    if (response?.ready && typeof response.instance_id === 'string') return response as ReadyResponse;
    // Without a control token, the response lacks the instance id. The `status` request then reports the
    // missing token.
    if (response?.ready) await client.get('status');
  } catch (error) {
    if (error instanceof NotReachableError) return error.message;
    if (error instanceof SandboxError && error.code !== NOT_A_SANDBOX) throw error;
  }
  return `${client.url} responds, but it is not a sandbox.`;
}

/** Fetches the sandbox's instance id. Returns undefined if the sandbox is not ready. */
export async function fetchInstanceId(client: ControlClient): Promise<string | undefined> {
  const response = await checkReadiness(client);
  return typeof response === 'string' ? undefined : response.instance_id;
}

/** Input for finding a sandbox. */
export interface SandboxSearch {
  readonly io: Pick<Io, 'env' | 'cwd'>;
  readonly options: { readonly url: string | undefined };
}

/**
 * Creates a client for the command's sandbox: from `--url`, SANDBOX_URL or the project's run file, in this
 * order.
 */
export function findSandbox({ io: { env, cwd }, options }: SandboxSearch): ControlClient {
  const chosen = options.url ?? env.SANDBOX_URL;
  if (chosen !== undefined && chosen !== '') {
    if (isSandboxUrl(chosen)) return createSocketClient({ url: chosen, token: env.SANDBOX_CONTROL_TOKEN });
    throw createUsageError(
      `The sandbox's URL must look like http://127.0.0.1:7490; got ${redactUrl(chosen)}.`,
    );
  }
  const folder = findProjectFolder(cwd);
  const run = readRunFile(folder, env);
  if (run !== undefined) return createClient(run);
  const foreign = findForeignState(env);
  if (foreign !== undefined) {
    throw createNotRunningError(
      `No sandbox was found for ${folder}: ${foreign.message}, so its run files are ignored.`,
      'Change the owner, choose another directory with XDG_STATE_HOME, or pass the sandbox URL with --url.',
    );
  }
  const elsewhere = readAllRunFiles(env).map((other) => `${other.url} (${other.folder})`);
  const others =
    elsewhere.length === 0
      ? ''
      : ` Other sandboxes were started at ${elsewhere.slice(0, 3).join(', ')}: choose one with --url.`;
  throw createNotRunningError(`No sandbox is running for ${folder}.`, START_HINT + others);
}

export function isNotRunning(error: unknown): boolean {
  return (
    error instanceof NotReachableError ||
    (error instanceof CliError && error.exitCode === EXIT_CODES.notRunning)
  );
}

/** Runs `work` with the command's sandbox, then closes the connection. */
export async function withSandbox<Result>(
  invocation: SandboxSearch,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  return closing(findSandbox(invocation), work);
}

/**
 * Works like `withSandbox`, but resolves to undefined if no sandbox is running and `--url` was not passed.
 */
export async function withRunningSandbox<Result>(
  invocation: SandboxSearch,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result | undefined> {
  return withSandbox(invocation, work).catch((error: unknown) => {
    if (invocation.options.url === undefined && isNotRunning(error)) return undefined;
    throw error;
  });
}

/** Fetches a delivery by id, id prefix, `latest` or payment code. */
export async function fetchDelivery(client: ControlClient, id: string): Promise<DeliveryView> {
  return client.get('deliveries/:id', { id });
}

export type FoundAttempt = DeliveryView['attempt_log'][number];

/** Finds an attempt by number, or the last attempt. Throws a usage error that lists the existing numbers. */
export function fetchAttempt({ attempt_log: log, id }: DeliveryView, number?: number): FoundAttempt {
  const found = number === undefined ? log.at(-1) : log.find((attempt) => attempt.number === number);
  if (found !== undefined) return found;
  if (log.length === 0)
    throw createUsageError(`Delivery ${id} has no attempts yet.`, 'See `npx sandbox deliveries show`.');
  const known = log.map((attempt) => attempt.number).join(', ');
  throw createUsageError(`Delivery ${id} has no attempt ${number}.`, `Existing attempts: ${known}.`);
}
