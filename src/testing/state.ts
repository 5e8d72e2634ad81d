import type { ControlClient } from '../client/control.js';
import type { StateFile } from '../shapes.js';

/** The sandbox as a whole. Every method rejects with SandboxError. */
export interface StateVerbs {
  /** Resets everything; connections of `forwardTo` stay. */
  readonly reset: () => Promise<void>;
  /** How everything is now, for `restore`. */
  readonly snapshot: () => Promise<StateFile>;
  /**
   * Goes back to a state, including its sandbox time; connections of `forwardTo` stay. New resources and events get the same
   * ids again, so a receiver has to forget the old ones: `receiver.clear()`.
   */
  readonly restore: (state: StateFile) => Promise<void>;
}

/** @internal */
export function stateVerbs(control: ControlClient): StateVerbs {
  return {
    reset: async () => {
      await control.post('reset');
    },
    snapshot: () => control.get('state'),
    restore: async (state) => {
      await control.put('state', { body: state });
    },
  };
}
