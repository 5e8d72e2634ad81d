import type { ControlClient } from '../client/control-client.js';
import { findSandbox } from './find-sandbox.js';
import type { Invocation } from './io.js';

/** Works with the sandbox that a command is meant for, and hangs up afterwards. */
export async function withSandbox<Result>(
  invocation: Pick<Invocation, 'io' | 'options'>,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  const client = findSandbox(invocation);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
