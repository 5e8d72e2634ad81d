import type { ControlClient } from '../../client/control.js';
import type { Seeker } from './find-sandbox.js';
import { findSandbox, isNotRunning } from './find-sandbox.js';

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
