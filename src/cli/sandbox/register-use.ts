import { NotReachableError, SandboxError } from '../../client/control.js';
import { socketClient } from '../../client/socket.js';
import type { UsingCommand } from '../../sandbox/using-commands.js';
import type { Io } from '../program/io.js';

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
