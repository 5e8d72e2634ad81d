import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServerOptions, withFreshSandbox } from '../../../src/cli/commands/run/scenarios.js';
import type { Scenario } from '../../../src/scenario/steps.js';
import { parseScenario } from '../../../src/scenario/parse.js';
import type { ScenarioRunOptions, ScenarioOutcome } from '../../../src/scenario/run.js';
import { runScenario } from '../../../src/scenario/run.js';

export const SCENARIO_FOLDER = join(import.meta.dirname, '../../../fixtures/scenarios');
export const SCHEMA_FILE = join(SCENARIO_FOLDER, 'scenario.schema.json');

/** The built-in scenarios by their names, as texts. */
export const BUILT_INS: ReadonlyMap<string, string> = new Map(
  readdirSync(SCENARIO_FOLDER)
    .filter((name) => name.endsWith('.json') && name !== 'scenario.schema.json')
    .map((name) => [name.replace('.json', ''), readFileSync(join(SCENARIO_FOLDER, name), 'utf8')]),
);

/** A scenario of a value or a text, which has to be right. */
export function scenarioOf(source: object | string): Scenario {
  const { scenario, issues } = parseScenario(typeof source === 'string' ? source : JSON.stringify(source));
  if (scenario === undefined) throw new Error(JSON.stringify(issues, null, 2));
  return scenario;
}

/** Runs a scenario, or its steps alone, on a fresh sandbox. */
export function runFresh(
  source: object | string,
  options: Partial<ScenarioRunOptions> = {},
): Promise<ScenarioOutcome> {
  const scenario = scenarioOf(Array.isArray(source) ? { steps: source } : source);
  return withFreshSandbox(createServerOptions(scenario.sandbox), (target) =>
    runScenario(scenario, { target, isFresh: true, ...options }),
  );
}

/** Why a scenario failed: the number of the step, and the reasons. */
export function failureOf({ steps }: ScenarioOutcome): [number, ...string[]] | undefined {
  const failed = steps.find(({ status }) => status === 'failed');
  return failed === undefined ? undefined : [failed.number, ...failed.reasons];
}
