import type { ControlClient } from '../../client/control.js';
import { NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import type { Ready } from '../../client/routes.js';

/** The sandbox that answers, or the reason why none does. A sandbox's own refusal is thrown as SandboxError. */
export async function readiness(client: ControlClient): Promise<Ready | string> {
  try {
    const answer = await client.get('readyz');
    if (isReady(answer)) return answer;
    // Without a control token the answer has no identity; another route reports the missing token.
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
