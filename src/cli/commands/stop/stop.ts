import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import type { RunFile } from '../../../client/run-file.js';
import { projectFolder, removeRunFile, runFilesOf } from '../../../client/run-file.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { answeringRuns, placesText } from '../../sandbox/answering-runs.js';
import { findSandbox, isNotRunning } from '../../sandbox/find-sandbox.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { isLoopback } from '../../sandbox/loopback.js';
import { isRunning } from '../../../client/is-running.js';
import { socketClient } from '../../../client/socket.js';
import { readiness } from '../../sandbox/readiness.js';
import { untilAborted } from '../../program/until-aborted.js';
import type { stop } from './command.js';

interface Target {
  readonly pid: number;
  readonly instanceId: string;
  readonly run?: RunFile;
}

/** Real time that a sandbox has to answer and to exit. */
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** `sandbox stop`: asks the process of this project's sandbox, or of the named one on this machine, to exit. */
export const stopSandbox: BodyOf<typeof stop> = async (invocation) => {
  const { io, options } = invocation;
  const folder = projectFolder(io.cwd);
  const runs = (options.url ?? io.env.SANDBOX_URL) ? [] : runFilesOf(folder, io.env);
  // Without one that was started for the project, this says so.
  if (runs.length === 0) return stopOne(findSandbox(invocation), namedTarget, io);
  let firstError: unknown;
  for (const run of runs) {
    try {
      const client = socketClient({ url: run.url, token: run.control_token });
      await stopOne(client, () => targetOf(run, client, io), io);
      return noteRemaining(await answeringRuns(folder, io, run.instance_id), io);
    } catch (error) {
      if (!isNotRunning(error)) throw error;
      firstError ??= error;
    }
  }
  throw firstError;
};

async function stopOne(
  client: ControlClient,
  find: (client: ControlClient) => Promise<Target>,
  io: Io,
): Promise<void> {
  const { url } = client;
  const timeUp = AbortSignal.timeout(PATIENCE_MS);
  const giveUp = AbortSignal.any([io.stopping, timeUp]);
  let target: Target | undefined;
  try {
    target = await untilAborted(find(client), giveUp);
    ask(target, url);
    while ((await untilAborted(answeringInstance(client), giveUp)) === target.instanceId) {
      await sleep(POLL_MS, undefined, { signal: giveUp });
    }
    // Its port is free by now; its data directory is released when the process ends.
    while (isRunning(target.pid)) await sleep(POLL_MS, undefined, { signal: giveUp });
    if (target.run !== undefined) removeRunFile(target.run, io.env);
  } catch (error) {
    if (!timeUp.aborted || io.stopping.aborted) throw error;
    throw stillThere(url, target);
  } finally {
    client.close();
  }
  const { pid, instanceId } = target;
  io.emit({ stopped: true, url, pid, instance_id: instanceId });
  io.say(`The sandbox at ${url} (pid ${pid}) has stopped.`);
}

function noteRemaining(runs: readonly RunFile[], io: Io): void {
  if (runs.length === 0) return;
  io.note(
    `${io.colour.yellow('note')} This project has another sandbox at ${placesText(runs)}. \`${io.program} stop\` stops it, too.`,
  );
}

/** A process id means something on its own machine only, so the URL has to be loopback. */
async function namedTarget(client: ControlClient): Promise<Target> {
  if (!isLoopback(new URL(client.url))) {
    throw usageError(
      `Only a sandbox on this machine can be stopped; ${client.url} may be on another.`,
      'Stop it where it was started, with Ctrl-C or `npx sandbox stop`.',
    );
  }
  const { pid, instance_id } = await client.get('status');
  return { pid, instanceId: instance_id };
}

/** The instance of a run file, if it is the one that answers. A run file without a running sandbox is removed. */
async function targetOf(run: RunFile, client: ControlClient, io: Io): Promise<Target> {
  const answering = await answeringInstance(client);
  if (answering === run.instance_id) return { pid: run.pid, instanceId: run.instance_id, run };
  removeRunFile(run, io.env);
  const message =
    answering === undefined
      ? `The sandbox of this project at ${client.url} is no longer running.`
      : `A sandbox of another project answers at ${client.url}, so it was not stopped.`;
  throw new CliError(EXIT.notRunning, 'NOT_RUNNING', message, {
    hint: answering === undefined ? undefined : `To stop it, use --url ${client.url}.`,
  });
}

function ask({ pid }: Target, url: string): void {
  try {
    kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EPERM' ? 'belongs to another user' : 'is not on this machine';
    throw new CliError(EXIT.no, 'NOT_STOPPED', `The process ${pid} of the sandbox at ${url} ${reason}.`, {
      hint: 'Stop it where it was started.',
    });
  }
}

function stillThere(url: string, target: Target | undefined): CliError {
  const message =
    target === undefined
      ? `The sandbox at ${url} did not answer within ${PATIENCE_MS / 1000} s.`
      : `The sandbox at ${url} (pid ${target.pid}) is still running ${PATIENCE_MS / 1000} s after it was asked to exit.`;
  return new CliError(EXIT.timedOut, 'TIMED_OUT', message, { hint: 'End its process by hand.' });
}

async function answeringInstance(client: ControlClient): Promise<string | undefined> {
  const answer = await readiness(client);
  return typeof answer === 'string' ? undefined : answer.instance_id;
}
