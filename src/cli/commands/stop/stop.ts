import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import type { RunFile } from '../../../client/run-file.js';
import { projectFolder, readRunFile, removeRunFile } from '../../../client/run-file.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { findSandbox } from '../../sandbox/find-sandbox.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import { isLoopback } from '../../sandbox/loopback.js';
import { isRunning } from '../../sandbox/is-running.js';
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
  const named = options.url ?? io.env.SANDBOX_URL;
  const client = findSandbox(invocation);
  const { url } = client;
  const timeUp = AbortSignal.timeout(PATIENCE_MS);
  const giveUp = AbortSignal.any([io.stopping, timeUp]);
  let target: Target | undefined;
  try {
    target = await untilAborted(named ? namedTarget(client) : targetOfProject(client, invocation), giveUp);
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
};

/** A process id means something on its own machine only, so the URL has to be loopback. */
async function namedTarget(client: ControlClient): Promise<Target> {
  if (!isLoopback(new URL(client.url))) {
    throw usageError(
      `Only a sandbox on this machine can be stopped; ${client.url} may be on another.`,
      'Stop it where it was started, with Ctrl-C or `npx pix-sandbox stop`.',
    );
  }
  const { pid, instance_id } = await client.get('status');
  return { pid, instanceId: instance_id };
}

/** The instance of the run file, if it is the one that answers. A run file without a running sandbox is removed. */
async function targetOfProject(client: ControlClient, { io }: Invocation): Promise<Target> {
  const run = readRunFile(projectFolder(io.cwd), io.env);
  const answering = await answeringInstance(client);
  if (run !== undefined && answering === run.instance_id) {
    return { pid: run.pid, instanceId: run.instance_id, run };
  }
  if (run !== undefined) removeRunFile(run, io.env);
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
