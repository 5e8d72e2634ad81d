import type { ResetScope } from '../contract/reset-scopes.js';
import type { StateFile } from '../sandbox/state-file.js';
import type { ControlClient } from '../client/control.js';

/** The sandbox as a whole. Every method rejects with SandboxError. */
export function stateVerbs(control: ControlClient) {
  return {
    /** Resets everything or only these parts; connections of `forwardTo` stay. */
    reset: async (scope?: readonly ResetScope[]): Promise<void> => {
      await control.post('reset', { body: { scope } });
    },
    /** How everything is now, for `restore`; a plain JSON value that holds secrets. */
    snapshot: (): Promise<StateFile> => control.get('state'),
    /**
     * Goes back to a state, including its sandbox time; connections of `forwardTo` stay. New resources and events get the same
     * ids again, so a receiver has to forget the old ones: `receiver.clear()`.
     */
    restore: async (state: StateFile): Promise<void> => {
      await control.put('state', { body: state });
    },
  };
}
