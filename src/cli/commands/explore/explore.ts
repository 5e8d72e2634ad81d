import { usesPort } from '../../../child.js';
import { formatIsoTime } from '../../../contract/time.js';
import type { ExploreReport, RunFailure, ExploreProgress } from '../../../explore/explore.js';
import { toExploreJunit, toExploreJson } from '../../../explore/report.js';
import {
  createResultsDirectory,
  listFaultFiles,
  removeResultsDirectory,
  ResultsError,
  writeResults,
} from '../../../explore/report.js';
import { BaselineError, isSuiteFlaky } from '../../../explore/search.js';
import { searchFaults } from '../../../explore/search.js';
import { quoteForShell } from '../../../text/shell/words.js';
import { type NamedFaultFile, readFaultFile } from '../../faults/faults.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { omitConfigured } from '../../program/configured-options.js';
import { CliError, EXIT_CODES, createUsageError } from '../../program/errors.js';
import { withFileErrors, prepareReport, writeReport } from '../../program/input-bytes.js';
import { formatCommand, toCommandOptions } from '../../prompts/prompter.js';
import { reportUsage } from '../../sandbox/find-sandbox.js';
import { annotateForCi, toOneLine, createProgressLine } from '../../terminal/text.js';
import { checkPlaceholders, type exploreDeclaration as declared } from '../../declarations/tests.js';
import { planListeners } from '../listen/plan.js';
import { createChildRunner } from './child.js';
import { formatFaults, isSandboxUnused, formatExploreReport } from './text.js';

type Invocation = InvocationOf<typeof declared>;

const BUDGET_MS = 300_000;
const SEED = '1';
const OTHER_DIRECTORY = 'Specify another directory with --out.';

/** Runs `sandbox explore`. Exits with 1 if a fault breaks a command that passes without faults. */
export const exploreCommand: BodyOf<typeof declared> = async (given) => {
  const invocation = { ...given, args: { command: chooseCommand(given) } };
  const { io, options } = invocation;
  checkExploreOptions(invocation);
  const { only, junit, restart } = options;
  const file = only === undefined ? undefined : readFaultFile(io, only, restart !== undefined);
  if (junit !== undefined) prepareReport(io, '--junit', junit);
  await reportUsage(io, 'explore');
  const directory = openResults(invocation, file);
  let report: ExploreReport | undefined;
  try {
    report = await search(invocation, file);
  } finally {
    if (report === undefined && directory !== undefined) removeResultsDirectory(io.cwd, directory);
  }
  if (report === undefined) return EXIT_CODES.no;
  const files = directory === undefined ? [] : listFaultFiles(directory, report);
  const repeats = report.findings.map(({ failure }, index) => {
    const found = files[index] ?? only ?? '';
    return {
      file: found,
      repeat: `${io.program} ${createReproduction(found, failure, invocation)}`,
    };
  });
  const json = { directory: directory ?? null, ...toExploreJson(report, repeats) };
  if (directory !== undefined)
    withFileErrors({ verb: 'write', name: directory, hint: OTHER_DIRECTORY }, () =>
      writeResults(io.cwd, directory, report, json),
    );
  if (junit !== undefined) {
    const findings = [...report.findings, ...report.flaky];
    const counted = options.strict ? { ...report, findings, flaky: [] } : report;
    writeReport(io, '--junit', junit, toExploreJunit(counted));
  }
  io.emit(json);
  io.say(formatExploreReport(io, report, repeats, directory));
  for (const [index, { faults, failure }] of report.findings.entries()) {
    annotateForCi(io, 'explore', `${failure.name}: ${formatFaults(faults)} (${repeats[index]?.file})`);
  }
  return getExitCode(report, options.strict);
};

/** Returns the passed command, or a shell that runs the setting. */
function chooseCommand({ io, args, options: { command } }: Invocation): readonly string[] {
  if (args.command.length > 0 || command === undefined) return args.command;
  if (!io.json) io.note('No command was passed; using explore.command.');
  return ['sh', '-c', command];
}

/** Throws a usage error for an invalid command or invalid options. */
export function checkExploreOptions({ args, options }: Pick<Invocation, 'args' | 'options'>): void {
  const { forwardTo, probe, jobs = 1, events } = options;
  if (args.command.length === 0) {
    throw createUsageError(
      'explore requires a command.',
      'Pass one, e.g. `npx sandbox explore -- npm test`, or set explore.command in sandbox.config.json.',
    );
  }
  checkPlaceholders({ probe });
  // Any port works for validating the target.
  const targets = forwardTo.map((target) => target.replaceAll('{port}', '3000'));
  planListeners({ forwardTo: targets, events, name: undefined });
  const fixed = forwardTo.find((target) => !usesPort([target]));
  if (jobs > 1 && fixed !== undefined) {
    throw createUsageError(
      `With --jobs, each run has its own application, but --forward-to ${fixed} is the same for all runs.`,
      'Use {port} as the port, e.g. --forward-to {port}/webhooks; the command receives the port as PORT.',
    );
  }
}

/** Creates the results directory, if needed. Throws a usage error on failure. */
function openResults({ io, options }: Invocation, file: NamedFaultFile | undefined): string | undefined {
  const { only, out, seed = file?.seed ?? SEED } = options;
  if (only !== undefined && out === undefined) return undefined;
  const place = { cwd: io.cwd, out, seed, now: Date.now() };
  const name = out ?? 'a directory for the results';
  try {
    return withFileErrors({ verb: 'write', name, hint: OTHER_DIRECTORY }, () =>
      createResultsDirectory(place),
    );
  } catch (error) {
    throw error instanceof ResultsError ? createUsageError(error.message, OTHER_DIRECTORY) : error;
  }
}

/**
 * Returns the exit code: 1 for findings (with `--strict` also flaky ones) or an unused sandbox, 2 for a flaky
 * suite, 4 if the budget ran out without findings.
 */
export function getExitCode(
  report: Pick<ExploreReport, 'findings' | 'flaky' | 'recheck' | 'isBudgetSpent' | 'baseline'>,
  isStrict: boolean,
): number {
  const { findings, flaky, isBudgetSpent, baseline } = report;
  if (isSandboxUnused(baseline) || findings.length > 0 || (isStrict && flaky.length > 0))
    return EXIT_CODES.no;
  if (isSuiteFlaky(report)) return EXIT_CODES.usage;
  return isBudgetSpent ? EXIT_CODES.timedOut : EXIT_CODES.done;
}

/** Runs the search; returns undefined if the user stopped it. */
async function search(
  invocation: Invocation,
  file: NamedFaultFile | undefined,
): Promise<ExploreReport | undefined> {
  const { io, args, options } = invocation;
  const { budget, faults = 'promised', pairs, jobs, seed = file?.seed ?? SEED } = options;
  const command = args.command.join(' ');
  const runner = createChildRunner(invocation);
  if (!io.json) io.note(`Exploring ${toOneLine(command, 0)}`);
  const progress = createProgressLine(io, 'running without faults…');
  try {
    return await searchFaults(runner, {
      faults,
      only: file?.faults,
      pairs,
      seed,
      budgetMs: budget?.ms ?? BUDGET_MS,
      jobs,
      signal: io.stopping,
      onProgress: (news) => progress.show(progressText(news)),
    });
  } catch (error) {
    if (io.stopping.aborted) return undefined;
    throw error instanceof BaselineError ? createBaselineFailure(error, command) : error;
  } finally {
    progress.end();
    await runner.ended();
  }
}

function progressText({ doing, done, total, failing }: ExploreProgress): string {
  if (doing === 'baseline') return `without faults: ${done} of ${total}`;
  const count = failing === 0 ? '' : `, ${failing} failing`;
  return doing === 'shrinking' ? `minimizing the failures${count}` : `${done} of ${total}${count}`;
}

function createBaselineFailure(
  { kind, failures, runs, message: says }: BaselineError,
  command: string,
): CliError {
  if (kind === 'unknown') {
    const hint = `Increase --budget; run \`npx sandbox exec\` to see the output of ${command}.`;
    return new CliError(EXIT_CODES.timedOut, 'TIMED_OUT', says, { hint });
  }
  const [{ name, message } = { name: '', message: '' }] = failures;
  const when =
    kind === 'red' ? 'in each run' : `in ${failures.length} of ${runs} runs, so it is flaky: ${name}`;
  return new CliError(EXIT_CODES.usage, 'NOT_GREEN', `${command} fails without faults ${when}.\n${message}`, {
    hint: 'Make the command pass reliably first; `npx sandbox exec` runs the command once.',
  });
}

/** Options excluded from the reproduction command. */
const SEARCH_ONLY_OPTIONS = new Set([
  'budget',
  'faults',
  'only',
  'pairs',
  'seed',
  'probe',
  'jobs',
  'out',
  'junit',
  'strict',
  'url',
  'command',
]);

/**
 * Builds the command that reproduces a failure from a fault file, quoted for a POSIX shell, without the
 * program name and the options in the settings file. Uses `exec` for a failing test, and `explore` for a
 * failing invariant, because `explore` also runs the command without faults.
 */
export function createReproduction(
  file: string,
  { category }: RunFailure,
  { io, args, options }: Invocation,
): string {
  const isTest = category === 'test';
  const { probe, freeze } = options;
  const command = isTest ? 'exec' : 'explore';
  const others = Object.entries({
    ...options,
    freeze: freeze === undefined ? undefined : formatIsoTime(freeze),
  });
  const given = {
    ...(isTest ? { faults: file } : { only: file, probe }),
    ...toCommandOptions(Object.fromEntries(others.filter(([name]) => !SEARCH_ONLY_OPTIONS.has(name)))),
  };
  const line = formatCommand(command, [], omitConfigured(command, given, io));
  return `${line} -- ${args.command.map(quoteForShell).join(' ')}`;
}
