import type { ControlClient } from '../../client/control.js';
import { NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import type { Ready } from '../../client/routes.js';

/** The sandbox that answers, or in words why none does. What a sandbox itself refuses is thrown as SandboxError. */
export async function readiness(client: ControlClient): Promise<Ready | string> {
  try {
    const answer = await client.get('readyz');
    if (isReady(answer)) return answer;
    // Whoever sends no control token is not told who it is; another route says that the token is missing.
    if (answer?.ready === true) await client.get('status');
  } catch (error) {
    if (error instanceof NotReachableError) return error.message;
    if (error instanceof SandboxError && error.code !== NOT_A_SANDBOX) throw error;
  }
  return `What answers at ${client.url} is not a sandbox.`;
}

function isReady(answer: Partial<Ready> | null): answer is Ready {
  return answer?.ready === true && typeof answer.instance_id === 'string';
}
