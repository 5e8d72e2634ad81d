import { ControlError, NotReachableError } from '../client/control-client.js';
import type { ControlClient } from '../client/control-client.js';
import type { Ready } from './wait-ready.js';

/** The instance that answers; undefined when none does, or when what answers is no sandbox. */
export async function answeringInstance(client: ControlClient): Promise<string | undefined> {
  try {
    return (await client.get<Ready>('readyz')).instance_id;
  } catch (error) {
    if (error instanceof NotReachableError) return undefined;
    if (error instanceof ControlError && error.body.code === 'NOT_A_SANDBOX') return undefined;
    throw error;
  }
}
