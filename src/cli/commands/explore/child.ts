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

/** True if each run gets a port, as PORT and in place of `{port}`. */
export function needsPort({ args, options }: Pick<Invocation, 'args' | 'options'>): boolean {
  const { forwardTo, probe, restart, jobs = 1 } = options;
  return jobs > 1 || usesPort([...args.command, ...forwardTo, probe, restart]);
}

interface ChildRunner extends Runner {
  /** Resolves when all abandoned runs have ended. */
  readonly ended: () => Promise<void>;
}

/** Runs a command as `exec` does, each time with its own sandbox. */
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

/** Enough output to include the failures listed at a test runner's end. */
const MOST_CHARACTERS = 200_000;

/** Runs the command to its end, on a clock that moves whenever all is idle; also ends when the signal aborts. */
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
  // Later retries would only reach an application already stopped with its tests.
  if (code !== undefined) await drainDeliveries(sandbox, { stopping: signal, awaitsRetries: false });
  // A hanging application would not respond to its probe, either.
  const isAsked = options.probe !== undefined && !signal.aborted;
  const probe = isAsked ? probing(withOwnPort(options.probe ?? ''), context, faults.length > 0) : undefined;
  const observed = await observeSandbox(control, { faults, probe, gone, endedAfter });
  return { failure: failureOf(command.map(withOwnPort).join(' '), code, output), ...observed };
}

/** Real time limit of one probe query. */
const PROBE_MS = 6_000;

/** Asks the probe for a payment. Its failure is a usage error, unless a fault may be the cause. */
function probing(command: string, context: CommandContext, isFaulty: boolean): ProbePayment {
  const probe = createProbeHook(command, context);
  return async (payment) => {
    try {
      return await probe(payment, createTimeout(PROBE_MS));
    } catch (error) {
      if (!(error instanceof ProbeError)) throw error;
      if (isFaulty) return error.message;
      throw createUsageError(error.message, 'Correct --probe, or leave it out.');
    }
  };
}

/** Most failed tests named in a message. */
const MOST_NAMES = 5;

function failureOf(command: string, code: number | undefined, output: string): RunFailure | null {
  if (code === 0) return null;
  const lines = findDecisiveLines(output);
  if (code === undefined)
    return { category: 'test', name: `${command} did not end`, message: lines.join('\n') };
  const names = findFailedTests(output);
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  const failed = names.length === 0 ? '' : `: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  const message = [`${command} ended with ${code}${failed}`, ...lines].join('\n');
  return { category: 'test', name: names[0] ?? `exit ${code}`, message };
}

/** Lines of test runners about a failed test, with its name in the first group. */
const FAILED: readonly RegExp[] = [
  // TAP: node --test, tap, ava.
  /^ *not ok \d{1,9} - (.+)$/,
  // node --test, vitest and others while they run.
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

/** Tests allowed to fail, and a heading of node's. */
const NO_FAILURE = /# (?:TODO|SKIP)|^failing tests:$/;
const DURATION = / \(?[\d.]{1,20} ?m?s\)?$/;

/** The names of the failed tests in the output of any of the usual test runners: sorted, each once. */
export function findFailedTests(output: string): readonly string[] {
  return [...new Set(linesOf(output).flatMap((line) => nameIn(line) ?? []))].toSorted();
}

const MOST_LINES = 40;

/**
 * The lines that explain a failed command: from the last failed test on, or in TAP from the first, because
 * the tests around it follow there; without any, the last lines.
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
