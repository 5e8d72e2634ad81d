import type { NewFault } from '../../../client/routes.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../contract/fault-kinds.js';
import type { Action } from '../../model/actions.js';
import { commandLine } from '../../model/command.js';
import type { Words } from '../../words/words.js';

/** Whether calls and deliveries both know a fault, so that a command has to say which of them it means. */
function isOfBoth(action: string): boolean {
  return action in CALL_FAULTS && action in DELIVERY_FAULTS;
}

/** What can be done with faults. */
export function faultActions({ faults: words }: Words) {
  return {
    add: (fault: NewFault): Action => {
      const { action, on, ...rest } = fault;
      const options = { on: isOfBoth(action) ? on : undefined, ...rest };
      return {
        done: words.created(action),
        command: commandLine('faults add', [action], options),
        run: (client) => client.post('faults', { body: fault }),
      };
    },
    remove: (id: string): Action => ({
      done: words.removed,
      command: commandLine('faults remove', [id]),
      run: (client) => client.delete('faults/:id', { id }),
    }),
    removeAll: {
      done: words.removedAll,
      command: 'faults remove --all',
      run: (client) => client.delete('faults'),
    } as Action,
  };
}
