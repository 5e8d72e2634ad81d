import type { ControlClient } from '../../client/control-client.js';
import { ControlError, NotReachableError } from '../../client/control-client.js';
import { CliError, EXIT } from '../errors.js';
import type { Invocation } from '../io.js';
import { withSandbox } from '../with-sandbox.js';

/**
 * Asks the sandbox of this project, where one runs; undefined where none does, unless `--url` named it. What it refuses
 * is a usage error, because exit 1 says that a signature does not hold.
 */
export async function askRunningSandbox<Answer>(
  invocation: Pick<Invocation, 'io' | 'options'>,
  ask: (client: ControlClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await withSandbox(invocation, ask);
  } catch (error) {
    if (error instanceof ControlError) {
      const { code, message, hint, details } = error.body;
      throw new CliError(EXIT.usage, code, message, { hint, details });
    }
    if (invocation.options.text('url') === undefined && isNotRunning(error)) return undefined;
    throw error;
  }
}

function isNotRunning(error: unknown): boolean {
  return (
    error instanceof NotReachableError || (error instanceof CliError && error.exitCode === EXIT.notRunning)
  );
}
