import { stripVTControlCharacters } from 'node:util';
import { type CommandContext, usesPort } from '../../../child.js';
import { createProbeHook } from '../../../check/hooks.js';
import { ProbeError } from '../../../check/probe.js';
import { createTimeout, raceAbort } from '../../../delivery/abort.js';
import type {
  RunnerAbility,
  RunFailure,
  Runner,
  RunnerOptions,
  RunResult,
} from '../../../explore/explore.js';
import { observeSandbox, type ProbePayment } from '../../../explore/observe.js';
import { trackEndpointUrls } from '../../../sandbox/subscribers.js';
import { skipWaits } from '../../../sandbox/time/auto-advance.js';
import { openFaultControl, installFaultFile } from '../../faults/faults.js';
import type { InvocationOf } from '../../program/declaration.js';
import { createUsageError } from '../../program/errors.js';
import { drainDeliveries, openCommandSandbox } from '../exec/exec-sandbox.js';
import { seedByScenarios } from '../start/open-server.js';
import type { exploreDeclaration } from '../../declarations/tests.js';

type Invocation = InvocationOf<typeof exploreDeclaration>;

/** Returns true if each run requires its own port, passed as PORT and `{port}`. */
export function needsPort({ args, options }: Pick<Invocation, 'args' | 'options'>): boolean {
  const { forwardTo, probe, restart, jobs = 1 } = options;
  return jobs > 1 || usesPort([...args.command, ...forwardTo, probe, restart]);
}

interface ChildRunner extends Runner {
  /** Resolves when all abandoned runs have ended. */
  readonly ended: () => Promise<void>;
}

/** Creates a runner for a command. Each run gets its own sandbox, as with `exec`. */
export function createChildRunner(invocation: Invocation): ChildRunner {
  const { restart, probe } = invocation.options;
  const running = new Set<Promise<RunResult>>();
  const can = new Set<RunnerAbility>();
  if (restart !== undefined) can.add('restart');
  if (probe !== undefined) can.add('probe');
  return {
    can,
    run: (options) => {
      const run = runOnce(invocation, options);
      running.add(run);
      void run.catch(() => undefined).finally(() => running.delete(run));
      return run;
    },
    ended: async () => {
      await Promise.allSettled(running);
    },
  };
}

/** Large enough for the failures listed at the end of a test run. */
const MOST_CHARACTERS = 200_000;

/**
 * Runs the command until it exits or the signal aborts, with a clock that advances when the sandbox is idle.
 */
async function runOnce(invocation: Invocation, { faults, seed, signal }: RunnerOptions): Promise<RunResult> {
  const io = { ...invocation.io, note: () => undefined };
  const options = { ...invocation.options, seed, strict: false, quiet: true };
  await using around = await openCommandSandbox({ io, options, port: 0, hasPort: needsPort(invocation) });
  const { server, sandbox, context, withOwnPort } = around;
  await server.open();
  const control = openFaultControl(server);
  await installFaultFile(server, faults);
  const gone = trackEndpointUrls(sandbox);
  await seedByScenarios(server, { io, options });
  await using _forwarding = await around.forward({ ...options, retries: 'real', simulate: undefined });
  const { command } = invocation.args;
  await using group = await around.start(command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  group.onOutput((text) => {
    output = (output + text).slice(-MOST_CHARACTERS);
  });
  let code: number | undefined;
  {
    using _skipping = skipWaits(sandbox);
    code = await raceAbort(group.ended, signal).catch(() => undefined);
  }
  const endedAfter = sandbox.timeline.ring.newest;
  // Later retries would fail, because the application stops with its tests.
  if (code !== undefined) await drainDeliveries(sandbox, { stopping: signal, awaitsRetries: false });
  // After an abort, skip the probe: a hanging application would not respond.
  const isAsked = options.probe !== undefined && !signal.aborted;
  const probe = isAsked
    ? createPaymentProbe(withOwnPort(options.probe ?? ''), context, faults.length > 0)
    : undefined;
  const observed = await observeSandbox(control, { faults, probe, gone, endedAfter });
  return { failure: failureOf(command.map(withOwnPort).join(' '), code, output), ...observed };
}

/** Real-time limit per probe. */
const PROBE_MS = 6_000;

/**
 * Creates a probe for payments. Throws a usage error for a failing probe, unless a fault may be the cause.
 */
function createPaymentProbe(command: string, context: CommandContext, isFaulty: boolean): ProbePayment {
  const probe = createProbeHook(command, context);
  return async (payment) => {
    try {
      return await probe(payment, createTimeout(PROBE_MS));
    } catch (error) {
      if (!(error instanceof ProbeError)) throw error;
      if (isFaulty) return error.message;
      throw createUsageError(error.message, 'Fix the --probe command, or omit the option.');
    }
  };
}

/** Limits the failed tests named in a message. */
const MOST_NAMES = 5;

function failureOf(command: string, code: number | undefined, output: string): RunFailure | null {
  if (code === 0) return null;
  const lines = findDecisiveLines(output);
  if (code === undefined)
    return { category: 'test', name: `${command} did not exit`, message: lines.join('\n') };
  const names = findFailedTests(output);
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  const failed = names.length === 0 ? '' : `: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  const message = [`${command} exited with ${code}${failed}`, ...lines].join('\n');
  return { category: 'test', name: names[0] ?? `exit ${code}`, message };
}

/** Matches a test runner's output line for a failed test; group 1 is the test name. */
const FAILED: readonly RegExp[] = [
  // TAP: node --test, tap, ava.
  /^ *not ok \d{1,9} - (.+)$/,
  // Progress lines from node --test, vitest and others.
  /^ *[✖×✘] (.+)$/,
  // vitest, then jest.
  /^ *FAIL {1,2}(\S+ > .+)$/,
  /^ *● (.+)$/,
  // pytest, then unittest.
  /^FAILED ([^ :]+::(?:[^-]|-(?! ))+)/,
  /^(?:FAIL|ERROR): (\w+ \(.+\))$/,
  // Go, RSpec, Cargo and dotnet.
  /^ *--- FAIL: (\S+)/,
  /^rspec \S+ # (.+)$/,
  /^test (\S+) \.\.\. FAILED$/,
  /^ {2}Failed (\S+) \[/,
  // PHPUnit and mocha.
  /^ *\d{1,9}\) (.+)$/,
];

/** Excludes tests that are allowed to fail, and a `node --test` heading. */
const NO_FAILURE = /# (?:TODO|SKIP)|^failing tests:$/;
const DURATION = / \(?[\d.]{1,20} ?m?s\)?$/;

/** Finds the names of failed tests in the output of common test runners, sorted and without duplicates. */
export function findFailedTests(output: string): readonly string[] {
  return [...new Set(linesOf(output).flatMap((line) => nameIn(line) ?? []))].toSorted();
}

const MOST_LINES = 40;

/**
 * Finds the lines that explain a failed command, starting at the last failed test. In TAP output, starts at
 * the first failed test, because parent tests follow their children. Without a failed test, returns the last
 * lines.
 */
export function findDecisiveLines(output: string): readonly string[] {
  const lines = linesOf(output).filter((line) => line !== '');
  const isFailed = (line: string) => nameIn(line) !== undefined;
  const first = lines.findIndex(isFailed);
  if (first < 0) return lines.slice(-MOST_LINES);
  const isTap = lines[first]?.trimStart().startsWith('not ok ') === true;
  const start = isTap ? first : lines.findLastIndex(isFailed);
  return lines.slice(start, start + MOST_LINES);
}

function nameIn(line: string): string | undefined {
  for (const pattern of FAILED) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return NO_FAILURE.test(name) ? undefined : name.replace(DURATION, '').trimEnd();
  }
  return undefined;
}

function linesOf(output: string): readonly string[] {
  return stripVTControlCharacters(output)
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
}
