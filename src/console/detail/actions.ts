import type { Action } from '../model/actions.js';
import type { Words } from '../words/words.js';

/** Makes one more attempt for a dead letter. */
export function retryAction({ detail }: Words, id: string): Action {
  return {
    done: detail.retried,
    command: `deliveries retry ${id}`,
    run: (client) => client.post('deliveries/:id/retry', { id }),
  };
}
