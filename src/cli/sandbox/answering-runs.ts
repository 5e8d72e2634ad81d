import type { RunFile } from '../../client/run-file.js';
import { removeRunFile, runFilesOf } from '../../client/run-file.js';
import { isRunning } from '../../client/is-running.js';
import { socketClient } from '../../client/socket.js';
import type { Io } from '../program/io.js';
import { untilAborted } from '../../delivery/abort.js';
import { readiness } from './find-sandbox.js';

const PATIENCE_MS = 2_000;

/**
 * The sandboxes of a project that answer, beside the one of this instance, in the order in which commands find them. Removes what
 * a crashed one left behind.
 */
export async function answeringRuns(
  folder: string,
  { env, stopping }: Pick<Io, 'env' | 'stopping'>,
  instanceId?: string,
): Promise<readonly RunFile[]> {
  const runs = runFilesOf(folder, env).filter((run) => run.instance_id !== instanceId);
  if (runs.length === 0) return [];
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]);
  const answering = await Promise.all(runs.map((run) => answers(run, signal)));
  stopping.throwIfAborted();
  return runs.filter((run, index) => {
    if (answering[index] === true) return true;
    if (!isRunning(run)) removeRunFile(run, env);
    return false;
  });
}

/** Whether it is this sandbox that answers at its address. */
async function answers(
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
    `${colour.yellow('warning')} This project has another sandbox at ${placesText(others)}. Commands find the newest one and, when that has stopped, the one before; \`--url ${first.url}\` reaches the other now.`,
  );
}
