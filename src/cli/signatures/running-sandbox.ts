import type { ControlClient } from '../../client/control.js';
import { SandboxError } from '../../client/control.js';
import { EXIT, passedOn } from '../program/errors.js';
import type { Seeker } from '../sandbox/find-sandbox.js';
import { withRunningSandbox } from '../sandbox/find-sandbox.js';

/**
 * Asks the sandbox of this project; undefined if none runs, unless `--url` named it. A refusal is a usage error, because exit 1
 * means an invalid signature.
 */
export async function askRunningSandbox<Answer>(
  invocation: Seeker,
  ask: (client: ControlClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await withRunningSandbox(invocation, ask);
  } catch (error) {
    throw error instanceof SandboxError ? passedOn(EXIT.usage, error.body) : error;
  }
}
