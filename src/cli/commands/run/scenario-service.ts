import { Refusal } from '../../../contract/refusals.js';
import type { RunInput, Scenarios, ScenarioRun } from '../../../http/control/scenarios.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { parseScenario } from '../../../scenario/parse.js';
import type { Scenario } from '../../../scenario/steps.js';
import { recordedScenario, readRecording } from '../../../scenario/record.js';
import { runScenario } from '../../../scenario/run.js';
import { inProcess } from '../../../scenario/doors.js';
import { CliError } from '../../program/errors.js';
import { builtInNames } from './built-in.js';
import { builtInScenarios, readBuiltIn } from './scenario-files.js';
import { freshOptions, withFreshSandbox } from './scenario-target.js';
import { scenarioJson } from './text.js';

const UNNAMED = 'scenario';

/** The scenarios that a started sandbox lists, runs and records over its control API. */
export function scenarioService(server: SandboxServer, controlToken: string | undefined): Scenarios {
  const running = inProcess({ ...server, controlToken });
  return {
    list: builtInScenarios,
    run: async ({ name: file = null, scenario: given, fresh: isFresh, signal }): Promise<ScenarioRun> => {
      const scenario = given === undefined ? named(file ?? '') : valid(JSON.stringify(given));
      const options = freshOptionsOf(scenario);
      const outcome = await (isFresh
        ? withFreshSandbox(options, (target) => runScenario(scenario, { target, isFresh, signal }))
        : runScenario(scenario, { target: running, isFresh, signal }));
      const name = scenario.name ?? file ?? UNNAMED;
      return {
        passed: outcome.passed,
        sandbox: isFresh ? { kind: 'fresh' } : { kind: 'running', url: server.url },
        scenarios: [{ ...scenarioJson({ name, file: file ?? '', ...outcome }), file }],
      };
    },
    record: async (name) => {
      const { $schema, ...recorded } = JSON.parse(recordedScenario(await readRecording(running))) as Scenario;
      return { $schema, ...(name === undefined ? {} : { name }), ...recorded };
    },
  };
}

function named(name: NonNullable<RunInput['name']>): Scenario {
  const names = builtInNames();
  if (names.includes(name)) return valid(readBuiltIn(name));
  const hint = `Built in: ${names.join(', ')}.`;
  throw new Refusal('NOT_FOUND', `There is no built-in scenario ${name}.`, { hint });
}

function valid(text: string): Scenario {
  const { scenario, mistakes } = parseScenario(text);
  if (scenario !== undefined) return scenario;
  const details = mistakes.map(({ path, message }) => ({ field: `scenario ${path}`.trimEnd(), message }));
  throw new Refusal('INVALID_REQUEST', 'The scenario is not valid; nothing ran.', { details });
}

/** Settings that no sandbox can start with are refused even where they would not apply. */
function freshOptionsOf({ sandbox }: Scenario) {
  try {
    return freshOptions(sandbox);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new Refusal('INVALID_REQUEST', error.message, { hint: error.hint });
  }
}
