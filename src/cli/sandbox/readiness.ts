import type { ControlClient } from '../../client/control-client.js';
import { ControlError, NotReachableError } from '../../client/control-client.js';

/** What `readyz` answers. */
export interface Ready {
  readonly ready: boolean;
  readonly version: string;
  readonly instance_id: string;
}

/** The sandbox that answers, or in words why none does. What a sandbox itself refuses is thrown as ControlError. */
export async function readiness(client: ControlClient): Promise<Ready | string> {
  try {
    const answer = await client.get<Partial<Ready> | null>('readyz');
    if (isReady(answer)) return answer;
    // Whoever sends no control token is not told who it is; another route says that the token is missing.
    if (answer?.ready === true) await client.get('status');
  } catch (error) {
    if (error instanceof NotReachableError) return error.message;
    if (error instanceof ControlError && error.body.code !== 'NOT_A_SANDBOX') throw error;
  }
  return `What answers at ${client.url} is not a sandbox.`;
}

function isReady(answer: Partial<Ready> | null): answer is Ready {
  return answer?.ready === true && typeof answer.instance_id === 'string';
}
