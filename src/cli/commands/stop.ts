import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../client/control.js';
import { isOwnProcess, isRunning } from '../../client/is-running.js';
import {
  readAllRunFiles,
  findProjectFolder,
  removeRunFile,
  type RunFile,
  runFilesOf,
} from '../../client/run-file.js';
import { createTimeout, raceAbort } from '../../delivery/abort.js';
import type { Invocation } from '../program/declaration.js';
import { CliError, EXIT_CODES } from '../program/errors.js';
import type { Io } from '../program/io.js';
import {
  findRespondingSandboxes,
  createClient,
  findSandbox,
  fetchInstanceId,
  isNotRunning,
  formatPlaces,
} from '../sandbox/find-sandbox.js';

/** Sandbox that was asked to stop. `pid` is only displayed, because it may be unverified. */
interface Stopping {
  readonly pid: number;
  readonly instanceId: string;
  readonly run: RunFile | undefined;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** Stops this project's sandbox, or the one at `--url`. */
export async function stopSandbox(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const folder = findProjectFolder(io.cwd);
  const runs = (options.url ?? io.env.SANDBOX_URL) ? [] : runFilesOf(folder, io.env);
  // `findSandbox` throws if no sandbox was started for the project.
  if (runs.length === 0) return stopOne(findSandbox(invocation), undefined, io);
  let firstError: unknown;
  for (const run of runs) {
    try {
      await stopOne(createClient(run), run, io);
      const others = await findRespondingSandboxes(folder, io, run.instance_id);
      if (others.length === 0) return;
      const note = `${io.colors.yellow('note')} This project has another sandbox at ${formatPlaces(others)}.`;
      return io.note(`${note} \`${io.program} stop\` stops that sandbox.`);
    } catch (error) {
      if (!isNotRunning(error)) throw error;
      firstError ??= error;
    }
  }
  throw firstError;
}

async function stopOne(client: ControlClient, own: RunFile | undefined, io: Io): Promise<void> {
  const { url } = client;
  const timeUp = createTimeout(PATIENCE_MS);
  const signal = AbortSignal.any([io.stopping, timeUp]);
  let asked: Stopping | undefined;
  try {
    asked = await raceAbort(own === undefined ? askNamed(client, io) : askOwn(own, client, io), signal);
    const { run } = asked;
    while ((await raceAbort(fetchInstanceId(client), signal)) === asked.instanceId) {
      await sleep(POLL_MS, undefined, { signal });
    }
    if (run !== undefined) {
      // The port is already free, but the data directory is locked until the process exits.
      while (isRunning(run)) await sleep(POLL_MS, undefined, { signal });
      removeRunFile(run, io.env);
    }
  } catch (error) {
    if (!timeUp.aborted || io.stopping.aborted) throw error;
    const limit = `${PATIENCE_MS / 1000} s`;
    const message =
      asked === undefined
        ? `The sandbox at ${url} did not respond within ${limit}.`
        : `The sandbox at ${url} (pid ${asked.pid}) is still running ${limit} after it was asked to exit.`;
    throw new CliError(EXIT_CODES.timedOut, 'TIMED_OUT', message, { hint: 'Stop its process manually.' });
  } finally {
    client.close();
  }
  const { pid, instanceId } = asked;
  io.emit({ stopped: true, url, pid, instance_id: instanceId });
  io.say(`The sandbox at ${url} (pid ${pid}) has stopped.`);
}

/** Sends only a stop request: a process id reported by a server is never signaled. */
async function askNamed(client: ControlClient, { env }: Io): Promise<Stopping> {
  const { pid, instance_id: instanceId } = await client.post('stop');
  return { pid, instanceId, run: readAllRunFiles(env).find((run) => run.instance_id === instanceId) };
}

/**
 * Sends a stop request to a run file's sandbox, or signals its process if the request fails. Removes the run
 * file of a stopped sandbox.
 */
async function askOwn(run: RunFile, client: ControlClient, io: Io): Promise<Stopping> {
  const answering = await fetchInstanceId(client);
  if (answering === run.instance_id) {
    await client.post('stop').catch((error: unknown) => {
      if (!signalProcess(run)) throw error;
    });
  } else if (answering !== undefined || !signalProcess(run)) {
    removeRunFile(run, io.env);
    const [message, hint] =
      answering === undefined
        ? [`The sandbox of this project at ${client.url} is no longer running.`]
        : [
            `A sandbox of another project responds at ${client.url}, so it was not stopped.`,
            `To stop that sandbox, use --url ${client.url}.`,
          ];
    throw new CliError(EXIT_CODES.notRunning, 'NOT_RUNNING', message, { hint });
  }
  return { pid: run.pid, instanceId: run.instance_id, run };
}

/** Signals the process of a run file. Returns false if the process cannot be verified. */
function signalProcess(run: RunFile): boolean {
  if (!isOwnProcess(run)) return false;
  try {
    return kill(run.pid, 'SIGTERM');
  } catch {
    return false;
  }
}
