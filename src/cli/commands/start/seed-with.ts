import { runScenario } from '../../../scenario/run.js';
import type { Target } from '../../../scenario/doors.js';
import { CliError, EXIT } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { annotateFailure, loadScenarios } from '../run/scenarios.js';
import { oneLine } from '../../terminal/text.js';

/**
 * Runs the steps of a scenario, named by its file or a built-in name, in a sandbox that was just started: `inProcess(server)`.
 * Throws CliError: exit 2 for an invalid file, exit 1 with the reasons for a failed step.
 */
export async function seedWith(target: Target, file: string, io: Io): Promise<void> {
  const [loaded] = await loadScenarios(io, [file]);
  if (loaded === undefined) return;
  const ignored = Object.keys(loaded.scenario.sandbox ?? {}).map((name) => `sandbox.${name}`);
  if (ignored.length > 0)
    io.note(`The options say how this sandbox begins; not applied: ${ignored.join(', ')}.`);
  const { passed, steps } = await runScenario(loaded.scenario, {
    target,
    name: loaded.name,
    isFresh: true,
    signal: io.stopping,
  });
  if (passed) return;
  annotateFailure(io, loaded, { steps });
  const failed = steps.filter(({ status }) => status === 'failed');
  throw new CliError(EXIT.no, 'SCENARIO_FAILED', `The scenario ${oneLine(loaded.name, 0)} failed.`, {
    details: failed.flatMap(({ number, title, reasons }) =>
      reasons.map((reason) => ({
        field: `step ${number}, ${oneLine(title, 0)}`,
        message: oneLine(reason, 0),
      })),
    ),
    hint: `\`npx sandbox run ${oneLine(file, 0)} --fresh\` shows each step.`,
  });
}
