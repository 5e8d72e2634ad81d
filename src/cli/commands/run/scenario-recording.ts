import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { asFailure, StepFailure } from '../../../scenario/doors.js';
import { parseScenario } from '../../../scenario/parse.js';
import { recordedScenario, readRecording } from '../../../scenario/record.js';
import { runScenario } from '../../../scenario/run.js';
import { CliError, EXIT, notRunning, usageError } from '../../program/errors.js';
import type { Seeker } from '../../sandbox/find-sandbox.js';
import { findSandbox } from '../../sandbox/find-sandbox.js';
import { onFile } from '../../program/input-bytes.js';
import type { InvocationOf } from '../../program/declaration.js';
import { oneLine } from '../../terminal/text.js';
import type { run } from './command.js';
import { freshOptions, runningTarget, withFreshSandbox } from './scenario-target.js';

/** `sandbox run --record FILE`: writes a scenario of what happened, and reports whether it passes on a fresh sandbox. */
export async function recordScenario(invocation: InvocationOf<typeof run>, file: string): Promise<number> {
  const { io, args, options } = invocation;
  if (args.files.length > 0) {
    throw usageError(
      '--record writes a scenario and does not run one.',
      `Leave out ${args.files.join(' ')}.`,
    );
  }
  const path = resolve(io.cwd, file);
  if (existsSync(path) && !options.force) {
    throw new CliError(EXIT.usage, 'FILE_EXISTS', `${file} exists; nothing was written.`, {
      hint: 'Overwrite it with --force, or name another file.',
    });
  }
  // Throws if no sandbox is running.
  const target = (await runningTarget(invocation)) ?? noAnswer(invocation);
  const recording = await readRecording(target).catch((thrown: unknown) => {
    const error = asFailure(thrown);
    throw error instanceof StepFailure ? new CliError(EXIT.no, 'NOT_READ', error.message) : error;
  });
  const text = recordedScenario(recording);
  const { scenario } = parseScenario(text);
  if (scenario === undefined) throw new TypeError('A recorded scenario cannot be read.');
  const { passed, steps } = await withFreshSandbox(freshOptions(scenario.sandbox), (fresh) =>
    runScenario(scenario, { target: fresh, isFresh: true, signal: io.stopping }),
  );
  onFile({ verb: 'write', name: file, hint: 'Name another file with --record.' }, () =>
    writeFileSync(path, text, { flag: options.force ? 'w' : 'wx' }),
  );
  io.emit({ file: path, steps: steps.length, passes: passed });
  io.say(`${scenario.steps.length} steps written to ${file}.`);
  if (passed || io.json) return EXIT.done;
  const failed = steps.find(({ status }) => status === 'failed');
  io.note(
    `${io.colour.yellow('note')} On a fresh sandbox, step ${failed?.number} fails: ${oneLine(failed?.reasons[0] ?? '', 0)}`,
  );
  return EXIT.done;
}

function noAnswer(invocation: Seeker): never {
  findSandbox(invocation).close();
  throw notRunning('The sandbox of this project does not answer.');
}
