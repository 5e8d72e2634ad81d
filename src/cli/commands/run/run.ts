import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createHttpSender } from '../../../delivery/http-attempt.js';
import type { ForwardHandler } from '../../../scenario/receiver.js';
import { type RunScenario, runScenario, toScenariosJunit } from '../../../scenario/run.js';
import { CliError, EXIT_CODES, createNotRunningError, createUsageError } from '../../program/errors.js';
import { withFileErrors, writeReport } from '../../program/input-bytes.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { parseForwardTarget } from '../listen/plan.js';
import { toOneLine, formatTable } from '../../terminal/text.js';
import type { LoadedScenario, RunningTarget } from './scenarios.js';
import {
  annotateFailure,
  listBuiltInNames,
  readBuiltInScenarios,
  createServerOptions,
  loadScenarios,
  findRunningTarget,
  toScenarioJson,
  formatScenario,
  formatTotals,
  withFreshSandbox,
} from './scenarios.js';
import type { run } from '../../declarations/tests.js';
import { StepFailure, toStepFailure } from '../../../scenario/api-clients.js';
import { parseScenario } from '../../../scenario/parse.js';
import { fetchRecording, formatRecording } from '../../../scenario/record.js';
import { findSandbox, type SandboxSearch } from '../../sandbox/find-sandbox.js';
import type { PromptFlow } from '../../prompts/prompter.js';

type Invocation = InvocationOf<typeof run>;

const STDOUT = '-';

/** Runs `sandbox run FILE…`. Exits with 1 if a scenario fails, or with 2 if a file is invalid. */
export async function runScenarios(given: Invocation): Promise<number> {
  const { args, options } = given;
  const { record, junit, fresh: isFresh } = options;
  if (options.list) return list(given.io);
  if (record !== undefined) return recordScenario(given, record);
  const invocation = { ...given, io: redirectOutput(given.io, junit) };
  const { io } = invocation;
  if (args.files.length === 0) {
    throw createUsageError(
      'Specify scenario files or names of built-in scenarios.',
      `Built-in scenarios: ${listBuiltInNames().join(', ')}.`,
    );
  }
  if (isFresh && options.url !== undefined) {
    throw createUsageError('--fresh cannot be combined with --url.', 'Remove one of the two options.');
  }
  const scenarios = await loadScenarios(io, args.files);
  // Fail on an unwritable report file before running anything.
  if (junit !== undefined && junit !== STDOUT) writeReport(io, '--junit', junit, toScenariosJunit([]));
  const running = isFresh ? undefined : await findRunningTarget(invocation);
  if (!io.json)
    io.note(
      running === undefined
        ? 'Running each scenario in a new sandbox.'
        : `Running against the sandbox at ${running.url}.`,
    );
  const results = await runAll(invocation, scenarios, running);
  if (junit === STDOUT) given.io.say(toScenariosJunit(results).trimEnd());
  else if (junit !== undefined) writeReport(io, '--junit', junit, toScenariosJunit(results));
  const passed = results.every((result) => result.passed);
  io.emit({
    passed,
    sandbox: running === undefined ? { kind: 'fresh' } : { kind: 'running', url: running.url },
    scenarios: results.map(toScenarioJson),
  });
  io.say(formatTotals(io, results));
  return passed ? EXIT_CODES.done : EXIT_CODES.no;
}

/** Sends all other output to stderr if `--junit -` writes the report to stdout. */
function redirectOutput(io: Io, junit: string | undefined): Io {
  if (junit !== STDOUT) return io;
  if (!io.json) return { ...io, say: io.note };
  throw createUsageError('--json and --junit - both write to stdout.', 'Pass a file to --junit.');
}

async function runAll(
  { io, options }: Invocation,
  scenarios: readonly LoadedScenario[],
  running: RunningTarget | undefined,
): Promise<readonly RunScenario[]> {
  const url = options.forwardTo === undefined ? undefined : parseForwardTarget(options.forwardTo).href;
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  // The application's response becomes the receiver's response.
  const forward: ForwardHandler | undefined =
    url === undefined
      ? undefined
      : ({ headers, body, timeoutMs }) => sender.send({ url, headers: { ...headers }, body, timeoutMs });
  const common = { forward, signal: io.stopping };
  const results: RunScenario[] = [];
  try {
    for (const loaded of scenarios) {
      const { name, file, scenario, fresh } = loaded;
      const named = { name, ...common };
      const outcome = await (running === undefined
        ? withFreshSandbox({ ...fresh, program: io.program }, (target) =>
            runScenario(scenario, { target, isFresh: true, ...named }),
          )
        : runScenario(scenario, { target: running, isFresh: false, ...named }));
      const result = { name, file, ...outcome };
      results.push(result);
      if (!io.json) for (const note of result.notes) io.note(`${io.colors.yellow('note')} ${note}`);
      io.say(formatScenario(io, result));
      if (result.passed) continue;
      annotateFailure(io, loaded, outcome);
      if (options.bail) break;
    }
  } finally {
    sender.close();
  }
  return results;
}

function list(io: Io): number {
  const scenarios = readBuiltInScenarios();
  io.emit({ scenarios });
  io.say(
    formatTable(io, scenarios, [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'SHOWS', value: ({ description }) => description, wraps: true },
    ]),
  );
  return EXIT_CODES.done;
}

/**
 * Runs `sandbox run --record FILE`: writes a scenario from the sandbox's history, and reports whether it
 * passes in a fresh sandbox.
 */
async function recordScenario(invocation: InvocationOf<typeof run>, file: string): Promise<number> {
  const { io, args, options } = invocation;
  if (args.files.length > 0) {
    throw createUsageError(
      '--record writes a scenario instead of running one.',
      `Omit ${args.files.join(' ')}.`,
    );
  }
  const path = resolve(io.cwd, file);
  if (existsSync(path) && !options.force) {
    throw new CliError(EXIT_CODES.usage, 'FILE_EXISTS', `${file} exists; nothing was written.`, {
      hint: 'Overwrite the file with --force, or choose another file.',
    });
  }
  // Throws if no sandbox is running.
  const target = (await findRunningTarget(invocation)) ?? noAnswer(invocation);
  const recording = await fetchRecording(target).catch((thrown: unknown) => {
    const error = toStepFailure(thrown);
    throw error instanceof StepFailure ? new CliError(EXIT_CODES.no, 'NOT_READ', error.message) : error;
  });
  const text = formatRecording(recording);
  const { scenario } = parseScenario(text);
  if (scenario === undefined) throw new TypeError('A recorded scenario cannot be read.');
  const { passed, steps } = await withFreshSandbox(createServerOptions(scenario.sandbox), (fresh) =>
    runScenario(scenario, { target: fresh, isFresh: true, signal: io.stopping }),
  );
  withFileErrors({ verb: 'write', name: file, hint: 'Choose another file with --record.' }, () =>
    writeFileSync(path, text, { flag: options.force ? 'w' : 'wx' }),
  );
  io.emit({ file: path, steps: steps.length, passes: passed });
  io.say(`${scenario.steps.length} steps written to ${file}.`);
  if (passed || io.json) return EXIT_CODES.done;
  const failed = steps.find(({ status }) => status === 'failed');
  io.note(
    `${io.colors.yellow('note')} On a fresh sandbox, step ${failed?.number} fails: ` +
      toOneLine(failed?.reasons[0] ?? '', 0),
  );
  return EXIT_CODES.done;
}

function noAnswer(invocation: SandboxSearch): never {
  findSandbox(invocation).close();
  throw createNotRunningError('The sandbox of this project does not respond.');
}

export const runQuestions: PromptFlow<InvocationOf<typeof run>> = async (_, asker) => {
  const choices = readBuiltInScenarios().map(({ name, description }) => {
    return { value: name, name, description: toOneLine(description, 0) };
  });
  return { args: [await asker.choose('Which scenario?', choices)] };
};
