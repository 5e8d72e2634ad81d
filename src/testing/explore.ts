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

/** The second argument of a scenario. */
export interface ScenarioContext {
  /**
   * The faults of this run; empty in the runs without. Under an outage only the invariants count, unless the
   * scenario asserts more.
   */
  readonly faults: readonly FaultFields[];
  /** Says how to restart the application, which the fault `restart` does; without it that fault is not tried. */
  readonly restart: (again: () => unknown) => void;
  /**
   * Says what the application holds for a payment: text, or a value for JSON. It is asked when the scenario
   * has ended.
   */
  readonly probe: (held: (payment: { readonly code: string; readonly id: string }) => unknown) => void;
}

/**
 * Tests of an application in a sandbox of their own; what it throws is a failure. `sandbox.idle()` waits for
 * retries, too.
 */
export type ExploredScenario = (sandbox: TestSandbox, context: ScenarioContext) => unknown;

export interface ExploreFields {
  /**
   * `promised` (the default) tries the faults promised by the contract, `all` also outages of the service.
   */
  readonly faults?: 'promised' | 'all' | undefined;
  /** Number of pairs of faults to try after the single ones, most promising first; by default 200. */
  readonly pairs?: number | undefined;
  /** Decides which pairs are tried, and the ids in each sandbox. */
  readonly seed?: string | undefined;
  /** Real time for all; by default five minutes. */
  readonly budgetMs?: number | undefined;
  /** Real time after which a run is taken for one that hangs. */
  readonly runTimeoutMs?: number | undefined;
  /**
   * Only these faults, in one run: from an earlier finding, as a list or as the path of its file or
   * directory.
   */
  readonly only?: readonly FaultFields[] | string | undefined;
  /** A directory for the results, which does not exist or is empty; without it nothing is written. */
  readonly out?: string | undefined;
  /** Options of each sandbox. */
  readonly sandbox?: Omit<CreateSandboxOptions, 'seed' | 'faults' | 'restart'> | undefined;
}

/** The same category and name is the same failure. */
export interface ExploredFailure {
  readonly category: 'test' | 'invariant';
  readonly name: string;
  readonly message: string;
}

/** The smallest faults under which the application breaks. */
export interface ExploredFinding {
  readonly faults: readonly FaultFields[];
  /** The faults in words. */
  readonly words: readonly string[];
  readonly class: 'promised' | 'outage';
  readonly failure: ExploredFailure;
  /** The change to the code, in a sentence or more. */
  readonly fix: string;
  /** Failures among the confirming runs, such as `3/3`. */
  readonly confirmed: string;
  /** Number of planned runs broken by it. */
  readonly runs: number;
  /** The events of the run. */
  readonly trace: readonly string[];
  readonly file: string | null;
  /** The line that reproduces it. */
  readonly repeat: string;
}

/** `planned` is the sum of `run`, missed, not run, and `left`. */
export interface ExploreResult {
  readonly seed: string;
  readonly baseline: {
    readonly runs: number;
    readonly points: number;
    /** Points of some of these runs and not of others. */
    readonly unstable: readonly string[];
  };
  readonly planned: number;
  /** Runs in which each fault fired exactly once. */
  readonly run: number;
  readonly failing: number;
  readonly missed: readonly { readonly faults: readonly FaultFields[]; readonly fired: readonly number[] }[];
  readonly not_run: readonly { readonly faults: readonly FaultFields[]; readonly reason: string }[];
  /** Number of planned runs beyond the budget. */
  readonly left: number;
  readonly findings: readonly ExploredFinding[];
  /** Failures not reproduced in every confirming run. */
  readonly flaky: readonly Omit<ExploredFinding, 'file' | 'repeat'>[];
  /** Further runs without faults, made when failures could not be reproduced; null where they were not needed. */
  readonly recheck: { readonly runs: number; readonly failures: readonly ExploredFailure[] } | null;
  /** Kinds of outages that `faults: 'all'` adds, and pairs of faults beyond those planned. */
  readonly untried: { readonly outage_kinds: number; readonly pairs: number };
  readonly budget_spent: boolean;
  readonly ok: boolean;
  readonly duration_ms: number;
}

/** Faults were found under which the scenario fails. */
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
    'a list of faults, or the name of a file',
    (value) => Array.isArray(value) || typeof value === 'string',
  ),
  out: TEXT_OPTION,
  sandbox: OBJECT_OPTION,
};

/**
 * Runs a scenario again and again, each time in a sandbox of its own and under other faults, and finds the
 * faults under which it fails, or under which an invariant does not hold: no run hangs, one intent is one
 * charge, no forged event is accepted, every event arrives, settled payments are known to the application.
 * Rejects with ExploreError if it finds some, with Error if the scenario fails without faults, and with
 * TypeError for unknown options.
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
    throw new TypeError(`explore: ${getErrorMessage(error)} Name another directory as out.`, {
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

/** Runs a scenario in this process. */
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
        // A hanging application would not respond to its probe, either.
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

/** Returns why the scenario failed; it continues unobserved when the signal ends it. */
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

/** Real time for what is still in flight when the scenario has ended. */
const AFTERWARDS_MS = 1_000;

/** Parts of the paths of third-party code. */
const FOREIGN = ['node:', 'node_modules'];

/**
 * A failure of a scenario, named by the line that threw, because messages hold what differs from run to run.
 * @internal
 */
export function toFailure(error: unknown): RunFailure {
  const message = getErrorMessage(error);
  const kind = isError(error) ? error.name : 'thrown';
  const place = isError(error) ? placeIn(error.stack ?? '', message) : undefined;
  const name = place === undefined ? `${kind}: ${message.split('\n')[0]}` : `${kind} at ${place}`;
  return { category: 'test', name, message: [message, ...valuesOf(error, message)].join('\n') };
}

/** Returns the values of an assertion whose message truncates them. */
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

/** `file:line` of the first frame in the user's code. */
function placeIn(stack: string, message: string): string | undefined {
  // The message may have been changed after the stack was written.
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
