import type { ScenarioRun } from '../../../http/control/schema.js';
import type { Action } from '../../model/actions.js';
import { commandLine } from '../../model/command.js';
import type { Words } from '../../words/words.js';

/** The name of the file that a recorded scenario is saved as. */
export const SCENARIO_FILE = 'scenario.json';

interface Asked {
  /** Of a built-in scenario, or the file that holds it. */
  readonly name: string;
  /** Undefined for a built-in one. */
  readonly scenario?: object | undefined;
  readonly fresh: boolean;
}

/** What can be done with scenarios. */
export function scenarioActions({ scenarios: words }: Words) {
  return {
    run: ({ name, scenario, fresh }: Asked, onResult: (result: ScenarioRun) => void): Action => ({
      done: words.ran(name),
      command: commandLine('run', [name], { fresh }),
      run: async (client) => {
        const body = scenario === undefined ? { name, fresh } : { scenario, fresh };
        onResult(await client.post('scenarios/run', { body }));
      },
    }),
    record: (name: string | undefined, onScenario: (text: string) => void): Action => ({
      done: words.recorded,
      command: `run --record ${SCENARIO_FILE}`,
      run: async (client) => {
        const scenario = await client.post('scenarios/record', { body: { name } });
        onScenario(`${JSON.stringify(scenario, null, 2)}\n`);
      },
    }),
  };
}
