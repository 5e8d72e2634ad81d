import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../client/control.js';
import type { RunFile } from '../../client/run-file.js';
import { allRunFiles, projectFolder, removeRunFile, runFilesOf } from '../../client/run-file.js';
import { CliError, EXIT } from '../program/errors.js';
import { answeringRuns, findSandbox, isNotRunning, placesText, readiness } from '../sandbox/find-sandbox.js';
import type { Invocation } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import { isOwnProcess, isRunning } from '../../client/is-running.js';
import { socketClient } from '../../client/socket.js';
import { untilAborted } from '../../delivery/abort.js';

/** A sandbox asked to stop. `pid` may be its server's claim, so it is only shown. */
interface Stopping {
  readonly pid: number;
  readonly instanceId: string;
  readonly run: RunFile | undefined;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** `sandbox stop`: asks this project's sandbox, or the named one, to exit. */
export async function stopSandbox(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const folder = projectFolder(io.cwd);
  const runs = (options.url ?? io.env.SANDBOX_URL) ? [] : runFilesOf(folder, io.env);
  // Without one that was started for the project, this says so.
  if (runs.length === 0) return stopOne(findSandbox(invocation), askNamed, io);
  let firstError: unknown;
  for (const run of runs) {
    try {
      const client = socketClient({ url: run.url, token: run.control_token });
      await stopOne(client, () => askOwn(run, client, io), io);
      return noteRemaining(await answeringRuns(folder, io, run.instance_id), io);
    } catch (error) {
      if (!isNotRunning(error)) throw error;
      firstError ??= error;
    }
  }
  throw firstError;
}

async function stopOne(
  client: ControlClient,
  ask: (client: ControlClient, io: Io) => Promise<Stopping>,
  io: Io,
): Promise<void> {
  const { url } = client;
  const timeUp = AbortSignal.timeout(PATIENCE_MS);
  const giveUp = AbortSignal.any([io.stopping, timeUp]);
  let asked: Stopping | undefined;
  try {
    asked = await untilAborted(ask(client, io), giveUp);
    const { run } = asked;
    while ((await untilAborted(answeringInstance(client), giveUp)) === asked.instanceId) {
      await sleep(POLL_MS, undefined, { signal: giveUp });
    }
    if (run !== undefined) {
      // Its port is free by now; its data directory is released when the process ends.
      while (isRunning(run)) await sleep(POLL_MS, undefined, { signal: giveUp });
      removeRunFile(run, io.env);
    }
  } catch (error) {
    if (!timeUp.aborted || io.stopping.aborted) throw error;
    throw stillThere(url, asked);
  } finally {
    client.close();
  }
  const { pid, instanceId } = asked;
  io.emit({ stopped: true, url, pid, instance_id: instanceId });
  io.say(`The sandbox at ${url} (pid ${pid}) has stopped.`);
}

function noteRemaining(runs: readonly RunFile[], io: Io): void {
  if (runs.length === 0) return;
  io.note(
    `${io.colour.yellow('note')} This project has another sandbox at ${placesText(runs)}. ` +
      `\`${io.program} stop\` stops it, too.`,
  );
}

/** Only asks: whatever process id a server names is never signaled. */
async function askNamed(client: ControlClient, { env }: Io): Promise<Stopping> {
  const { pid, instance_id: instanceId } = await client.post('stop');
  return { pid, instanceId, run: allRunFiles(env).find((run) => run.instance_id === instanceId) };
}

/** Asks the sandbox of a run file, or signals its process if that fails. Removes the run file of an ended sandbox. */
async function askOwn(run: RunFile, client: ControlClient, io: Io): Promise<Stopping> {
  const answering = await answeringInstance(client);
  if (answering === run.instance_id) {
    await client.post('stop').catch((error: unknown) => {
      if (!signalProcess(run)) throw error;
    });
  } else if (answering !== undefined || !signalProcess(run)) {
    removeRunFile(run, io.env);
    throw notStopped(client.url, answering);
  }
  return { pid: run.pid, instanceId: run.instance_id, run };
}

/** Returns false, and signals nothing, unless it is verifiably the process of the run file. */
function signalProcess(run: RunFile): boolean {
  if (!isOwnProcess(run)) return false;
  try {
    return kill(run.pid, 'SIGTERM');
  } catch {
    return false;
  }
}

function notStopped(url: string, answering: string | undefined): CliError {
  const message =
    answering === undefined
      ? `The sandbox of this project at ${url} is no longer running.`
      : `A sandbox of another project answers at ${url}, so it was not stopped.`;
  return new CliError(EXIT.notRunning, 'NOT_RUNNING', message, {
    hint: answering === undefined ? undefined : `To stop it, use --url ${url}.`,
  });
}

function stillThere(url: string, asked: Stopping | undefined): CliError {
  const message =
    asked === undefined
      ? `The sandbox at ${url} did not answer within ${PATIENCE_MS / 1000} s.`
      : `The sandbox at ${url} (pid ${asked.pid}) is still running ${PATIENCE_MS / 1000} s after it was asked to exit.`;
  return new CliError(EXIT.timedOut, 'TIMED_OUT', message, { hint: 'End its process by hand.' });
}

async function answeringInstance(client: ControlClient): Promise<string | undefined> {
  const answer = await readiness(client);
  return typeof answer === 'string' ? undefined : answer.instance_id;
}
