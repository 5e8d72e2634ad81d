import { inspect } from 'node:util';
import type { RunnerAbility, RunFailure, Runner, RunnerOptions, RunResult } from '../explore/explore.js';
import { observeSandbox } from '../explore/observe.js';
import { trackEndpointUrls } from '../sandbox/subscribers.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { skipWaits } from '../sandbox/time/auto-advance.js';
import { isError, getErrorMessage } from '../text/errors.js';
import { formatCaptured } from './check.js';
import { type CreateSandboxOptions, openSandbox, type TestSandbox } from './create-sandbox.js';
import type { FaultFields } from '../public-types.js';
import { readFaultsOfFile } from './verbs.js';
import { enumOf } from '../schema/values.js';
import type { OptionSchemas } from './options.js';
import {
  checkArgument,
  checkOptions,
  COUNT_OPTION,
  FUNCTION_OPTION,
  LIMIT_OPTION,
  OBJECT_OPTION,
  TEXT_OPTION,
  predicate,
} from './options.js';

/** Context passed to a scenario as the second argument. */
export interface ScenarioContext {
  /** Faults in this run, or an empty list in fault-free runs. During an outage, only the invariants count. */
  readonly faults: readonly FaultFields[];
  /** Sets the restart function for the `restart` fault, which is not tried without this function. */
  readonly restart: (again: () => unknown) => void;
  /**
   * Sets a function that returns the application's data about a payment, as text or a JSON value. The
   * function is called after the scenario has ended.
   */
  readonly probe: (held: (payment: { readonly code: string; readonly id: string }) => unknown) => void;
}

/** Tests an application in a separate sandbox. Fails by throwing. `sandbox.idle()` also waits for retries. */
export type ExploredScenario = (sandbox: TestSandbox, context: ScenarioContext) => unknown;

export interface ExploreFields {
  /** `promised` (default) tries faults that the contract allows; `all` also tries service outages. */
  readonly faults?: 'promised' | 'all' | undefined;
  /** Number of fault pairs to try after single faults, most promising first. Defaults to 200. */
  readonly pairs?: number | undefined;
  /** Determines which pairs are tried, and the ids in each sandbox. */
  readonly seed?: string | undefined;
  /** Real-time budget for all runs, in milliseconds. Defaults to five minutes. */
  readonly budgetMs?: number | undefined;
  /** Real time in milliseconds after which a run counts as hanging. */
  readonly runTimeoutMs?: number | undefined;
  /** Tries only these faults, in one run. Accepts a list, or the path of a finding's file or directory. */
  readonly only?: readonly FaultFields[] | string | undefined;
  /** New or empty directory for the results. By default, nothing is written. */
  readonly out?: string | undefined;
  /** Options for each sandbox. */
  readonly sandbox?: Omit<CreateSandboxOptions, 'seed' | 'faults' | 'restart'> | undefined;
}

/** A failure, identified by category and name. */
export interface ExploredFailure {
  readonly category: 'test' | 'invariant';
  readonly name: string;
  readonly message: string;
}

/** The smallest set of faults that breaks the application. */
export interface ExploredFinding {
  readonly faults: readonly FaultFields[];
  /** Descriptions of the faults. */
  readonly words: readonly string[];
  readonly class: 'promised' | 'outage';
  readonly failure: ExploredFailure;
  /** Suggested code change, in one or more sentences. */
  readonly fix: string;
  /** Failed and total confirming runs, e.g. `3/3`. */
  readonly confirmed: string;
  /** Number of planned runs broken by these faults. */
  readonly runs: number;
  /** Titles of the run's timeline entries. */
  readonly trace: readonly string[];
  readonly file: string | null;
  /** Line of code that reproduces the finding. */
  readonly repeat: string;
}

/** `planned` is the sum of `run`, `left`, and the lengths of `missed` and `not_run`. */
export interface ExploreResult {
  readonly seed: string;
  readonly baseline: {
    readonly runs: number;
    readonly points: number;
    /** Points that occurred only in some of these runs. */
    readonly unstable: readonly string[];
  };
  readonly planned: number;
  /** Number of runs in which each fault fired exactly once, and each incident at all. */
  readonly run: number;
  readonly failing: number;
  readonly missed: readonly { readonly faults: readonly FaultFields[]; readonly fired: readonly number[] }[];
  readonly not_run: readonly { readonly faults: readonly FaultFields[]; readonly reason: string }[];
  /** Number of planned runs not started within the budget. */
  readonly left: number;
  readonly findings: readonly ExploredFinding[];
  /** Failures that some confirming runs did not reproduce. */
  readonly flaky: readonly Omit<ExploredFinding, 'file' | 'repeat'>[];
  /** Additional fault-free runs, made only if failures could not be reproduced; otherwise null. */
  readonly recheck: { readonly runs: number; readonly failures: readonly ExploredFailure[] } | null;
  /** Numbers of outage kinds that `faults: 'all'` adds, and of fault pairs that were not tried. */
  readonly untried: { readonly outage_kinds: number; readonly pairs: number };
  readonly budget_spent: boolean;
  readonly ok: boolean;
  readonly duration_ms: number;
}

/** Thrown if faults break the scenario. */
export class ExploreError extends Error {
  static override readonly name = 'ExploreError';
  readonly report: ExploreResult;

  constructor(message: string, report: ExploreResult) {
    super(message);
    this.name = ExploreError.name;
    this.report = report;
  }
}

const FIELD_KINDS: OptionSchemas<ExploreFields> = {
  faults: enumOf(['promised', 'all']),
  pairs: COUNT_OPTION,
  seed: TEXT_OPTION,
  budgetMs: LIMIT_OPTION,
  runTimeoutMs: LIMIT_OPTION,
  only: predicate(
    'a list of faults, or a file path',
    (value) => Array.isArray(value) || typeof value === 'string',
  ),
  out: TEXT_OPTION,
  sandbox: OBJECT_OPTION,
};

/**
 * Runs a scenario repeatedly, each time in a new sandbox with different faults. Finds the faults that break
 * the scenario or an invariant: no run hangs, one intent creates one charge, forged events are rejected,
 * every event arrives, and the application knows all settled payments. Rejects with ExploreError for
 * findings, with Error if the scenario fails without faults, and with TypeError for unknown options.
 */
export async function explore(
  scenario: ExploredScenario,
  fields: ExploreFields = {},
): Promise<ExploreResult> {
  checkArgument('explore', scenario, FUNCTION_OPTION);
  const { only, out, sandbox = {}, ...given } = checkOptions('explore', fields, FIELD_KINDS);
  const [engine, results] = await Promise.all([
    import('../explore/search.js'),
    import('../explore/report.js'),
  ]);
  const { formatFinding, formatFlakySuite, toExploreJson, formatSummary, formatUntried } = results;
  const { seed = '1', faults = 'promised', pairs = 200, budgetMs = 300_000, runTimeoutMs } = given;
  const cwd = process.cwd();
  try {
    if (out !== undefined) results.createResultsDirectory({ cwd, now: Date.now(), seed, out });
  } catch (error) {
    throw new TypeError(`explore: ${getErrorMessage(error)} Use another directory for out.`, {
      cause: error,
    });
  }
  const search = {
    seed,
    faults,
    pairs,
    budgetMs,
    runTimeoutMs,
    only: typeof only === 'string' ? readFaultsOfFile(only).faults : only,
  };
  const report = await engine.searchFaults(runnerOf(scenario, sandbox), search).catch((error: unknown) => {
    if (out !== undefined) results.removeResultsDirectory(cwd, out);
    throw error;
  });
  const files = out === undefined ? [] : results.listFaultFiles(out, report);
  const repeats = report.findings.map((finding, index) => {
    const file = files[index] ?? null;
    const repeated = JSON.stringify(file ?? finding.faults);
    return { file, repeat: `await explore(scenario, { seed: ${JSON.stringify(seed)}, only: ${repeated} })` };
  });
  // The control API accepted these faults, so they have the published type.
  const explored = toExploreJson(report, repeats) as unknown as ExploreResult;
  if (out !== undefined) results.writeResults(cwd, out, report, explored);
  const flakySuite = formatFlakySuite(report);
  if (report.findings.length === 0) {
    if (flakySuite !== '') throw new Error(flakySuite);
    return explored;
  }
  const findings = report.findings.map(
    (finding, index) => `${formatFinding(finding)}\n  To reproduce it: ${repeats[index]?.repeat ?? ''}`,
  );
  const untried = formatUntried(report, { all: "`faults: 'all'`", more: 'a larger `pairs`' });
  const texts = [formatSummary(report), ...findings, ...untried, flakySuite];
  throw new ExploreError(texts.filter((part) => part !== '').join('\n\n'), explored);
}

/** Creates a runner that runs scenarios in this process. */
function runnerOf(scenario: ExploredScenario, options: CreateSandboxOptions): Runner {
  const can = new Set<RunnerAbility>();
  const run = async ({ faults: wanted, seed, signal }: RunnerOptions): Promise<RunResult> => {
    const faults = wanted as readonly FaultFields[];
    const hooks: { restart?: () => unknown; probe?: Parameters<ScenarioContext['probe']>[0] } = {};
    const restart = async () => void (await hooks.restart?.());
    const { verbs, sandbox, control } = await openSandbox({ ...options, seed, faults, restart });
    const gone = trackEndpointUrls(sandbox);
    const context: ScenarioContext = {
      faults,
      restart: (again) => {
        hooks.restart = again;
        can.add('restart');
      },
      probe: (held) => {
        hooks.probe = held;
        can.add('probe');
      },
    };
    try {
      const failure = await play(() => scenario(verbs, context), sandbox, signal);
      await control.get('idle', { timeout: `${AFTERWARDS_MS}ms` });
      const { probe } = hooks;
      const observed = await observeSandbox(control, {
        faults,
        gone,
        // A hanging application would not respond to the probe either.
        probe: signal.aborted
          ? undefined
          : probe && (async (payment) => formatCaptured(await probe(payment))),
      });
      return { failure, ...observed };
    } finally {
      await verbs.close();
    }
  };
  return { can, run };
}

/** Runs the scenario and returns its failure. After an abort, the scenario continues unobserved. */
async function play(
  scenario: () => unknown,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<RunFailure | null> {
  using _skipping = skipWaits(sandbox);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await Promise.race([scenario(), ended]);
    return null;
  } catch (error) {
    return toFailure(error);
  }
}

/** Real time to wait for in-flight work after the scenario has ended. */
const AFTERWARDS_MS = 1_000;

/** Path fragments of third-party code. */
const FOREIGN = ['node:', 'node_modules'];

/** Converts an error to a failure named after its line, because messages differ from run to run. @internal */
export function toFailure(error: unknown): RunFailure {
  const message = getErrorMessage(error);
  const kind = isError(error) ? error.name : 'thrown';
  const place = isError(error) ? placeIn(error.stack ?? '', message) : undefined;
  const name = place === undefined ? `${kind}: ${message.split('\n')[0]}` : `${kind} at ${place}`;
  return { category: 'test', name, message: [message, ...valuesOf(error, message)].join('\n') };
}

/** Returns an assertion's values if the message truncates them. */
function valuesOf(error: unknown, message: string): string[] {
  if (!isError(error) || !('actual' in error) || !('expected' in error)) return [];
  const texts = [`expected: ${valueText(error.expected)}`, `actual: ${valueText(error.actual)}`];
  const isShown = [error.expected, error.actual].every((value) => message.includes(valueText(value)));
  return isShown ? [] : texts;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: 100 });
}

/** Returns `file:line` of the first frame in the user's code. */
function placeIn(stack: string, message: string): string | undefined {
  // The message could have changed after the stack was captured.
  const start = Math.max(stack.indexOf(message), 0);
  const frames = stack.slice(start === 0 ? 0 : start + message.length).split('\n');
  const own = frames.find(
    (frame) => frame.includes('    at ') && !FOREIGN.some((part) => frame.includes(part)),
  );
  const [file, line] =
    own
      ?.split(/[/\\(]/)
      .at(-1)
      ?.split(':') ?? [];
  return line === undefined ? undefined : `${file}:${line}`;
}
