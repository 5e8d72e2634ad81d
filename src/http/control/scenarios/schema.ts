import * as is from '../../../core/resources/values.js';
import { nullable, partial } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { described, number, oneOf } from '../../../schema/values.js';

export const SCENARIO_LINE = is.resource('ScenarioLine', 'A scenario that can be run by its name.', {
  name: is.TEXT,
  description: is.TEXT,
  file: is.TEXT,
});
export type ScenarioLine = Infer<typeof SCENARIO_LINE>;

const STEP = is.shape('How a step went.', {
  number: described('From 1; 0 is the beginning.', is.COUNT),
  title: is.TEXT,
  ...partial({ note: is.TEXT }),
  status: oneOf(['passed', 'failed', 'skipped']),
  reasons: is.listOf(is.TEXT),
});

export const SCENARIO_RUN = is.resource('ScenarioRun', 'The result of a run, as `run --json` prints it.', {
  passed: is.BOOLEAN,
  sandbox: is.shape('Which sandbox it ran against.', {
    kind: oneOf(['fresh', 'running']),
    ...partial({ url: is.ADDRESS }),
  }),
  scenarios: is.listOf(
    is.shape('How a scenario went.', {
      name: is.TEXT,
      file: described('Null for a scenario that came with the request.', nullable(is.TEXT)),
      passed: is.BOOLEAN,
      duration_ms: number('milliseconds', { least: 0 }),
      notes: is.listOf(is.TEXT),
      steps: is.listOf(STEP),
    }),
  ),
});
export type ScenarioRun = Infer<typeof SCENARIO_RUN>;
