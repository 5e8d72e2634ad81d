import type { ResetScope } from '../contract/reset-scopes.js';
import type { StateFile } from '../sandbox/state-file.js';
import type { Control } from './control.js';

/** The sandbox as a whole. Every method rejects with SandboxError. */
export function stateVerbs(control: Control) {
  return {
    /** Goes back to how it was created, or starts only these parts over; what `forwardTo` set up stays. */
    reset: async (scope?: readonly ResetScope[]): Promise<void> => {
      await control.post('reset', scope === undefined ? {} : { scope });
    },
    /** How everything is now, for `restore`; a plain JSON value that holds secrets. */
    snapshot: (): Promise<StateFile> => control.get<StateFile>('state'),
    /**
     * Goes back to how everything was, sandbox time too; what `forwardTo` set up stays. What happens from there on has the
     * same ids again, so a receiver that remembers them has to forget them: `receiver.clear()`.
     */
    restore: async (state: StateFile): Promise<void> => {
      await control.put('state', state);
    },
  };
}
