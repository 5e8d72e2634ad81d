import { formatDuration } from '../../contract/time.js';
import { clockActions } from '../clock/actions.js';
import { shellQuoted } from '../../text/shell/words.js';
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

/** Sends an event again, to all that take it or to one endpoint. */
export function resendAction({ detail }: Words, id: string, endpoint: string | undefined): Action {
  return {
    done: detail.resent,
    command: `events resend ${id}${endpoint === undefined ? '' : ` --endpoint ${shellQuoted(endpoint)}`}`,
    run: (client) => client.post('events/:id/resend', { id, body: { endpoint } }),
  };
}

/** What a call that is sent again has otherwise; nothing sends it as it was. */
export interface Otherwise {
  readonly body?: string;
  readonly newCode?: boolean;
}

/** Sends a call again; `onSent` gets the id of the new one. */
export function replayAction(
  { detail }: Words,
  id: string,
  { body, newCode = false }: Otherwise,
  onSent: (id: string) => void,
): Action {
  // A terminal reads such a body from a file.
  const isTyped = body === undefined || !/^(?:@|-$)/.test(body);
  const flags = [
    ...(body === undefined ? [] : [shellQuoted(`--body=${body}`)]),
    ...(newCode ? ['--new-code'] : []),
  ];
  return {
    done: detail.replayed,
    command: isTyped ? ['calls replay', id, ...flags].join(' ') : undefined,
    run: async (client) => {
      const call = await client.post('calls/:id/replay', { id, body: { body, new_code: newCode } });
      onSent(call.id);
    },
  };
}

/** Moves the clock to an instant, and does all that falls due on the way and at it; for one that has passed, by nothing. */
export function jumpAction(words: Words, at: string, nowMs: number): Action {
  const by = formatDuration(Math.max(0, Math.ceil(Date.parse(at) - nowMs)));
  return { ...clockActions(words).advance(by), done: words.detail.jumped(words.instant(at)) };
}
