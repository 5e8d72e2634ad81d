import type { ComparedView } from '../../../http/control/schema.js';
import type { Action } from '../../model/actions.js';
import { commandLine } from '../../model/command.js';
import type { Words } from '../../words/words.js';

/** The name of the file that a state is exported to. */
export const STATE_FILE = 'state.json';

/** What can be done with saved states and with the whole state. */
export function stateActions({ saved: words }: Words) {
  return {
    save: (name: string): Action => ({
      done: words.saved(name),
      command: commandLine('state save', [name]),
      run: (client) => client.post('state/snapshots', { body: { name } }),
    }),
    restore: (name: string): Action => ({
      done: words.restored(name),
      command: commandLine('state restore', [name]),
      run: (client) => client.post('state/snapshots/:name/restore', { name }),
    }),
    drop: (name: string): Action => ({
      done: words.dropped(name),
      command: commandLine('state drop', [name]),
      run: (client) => client.delete('state/snapshots/:name', { name }),
    }),
    compare: (from: string, to: string | undefined, onResult: (result: ComparedView) => void): Action => ({
      done: words.compared(from, to ?? words.now),
      command: commandLine('state compare', to === undefined ? [from] : [from, to]),
      run: async (client) => onResult(await client.post('state/compare', { body: { from, to } })),
    }),
    reset: {
      done: words.didReset,
      command: 'reset',
      run: (client) => client.post('reset'),
    } satisfies Action as Action,
    export: (onState: (text: string) => void): Action => ({
      done: words.exported(STATE_FILE),
      command: `state export ${STATE_FILE}`,
      run: async (client) => onState(`${JSON.stringify(await client.get('state'))}\n`),
    }),
    import: (name: string, state: object): Action => ({
      done: words.imported(name),
      command: commandLine('state import', [name]),
      run: (client) => client.put('state', { body: state }),
    }),
  };
}
