import type { Ability, Failure, RunOptions, RunResult, Runner } from '../../../explore/explore.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { skipWaits } from '../../../sandbox/time/auto-advance.js';
import { untilAborted } from '../../../delivery/abort.js';
import { ChildGroup, type ChildOptions } from '../exec/child-group.js';
import { drained, forwardWhile, surrounding } from '../exec/exec-sandbox.js';
import { probeBy, type Surroundings } from '../../../check/hooks.js';
import { ProbeError } from '../../../check/probe.js';
import { observe, type ProbePayment } from '../../../explore/observe.js';
import { endpointsSeen } from '../../../sandbox/subscribers.js';
import { controlOf, plant } from '../../faults/faults.js';
import type { InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { seedByScenarios } from '../start/open-server.js';
import type { explore } from './command.js';
import type { ChildPlan } from './explore.js';
import { stripVTControlCharacters } from 'node:util';

/** Enough of the output for the failures that a test runner lists at its end. */
const MOST_CHARACTERS = 200_000;
/** Most names of failed tests that a message lists. */
const MOST_NAMES = 5;

interface ChildRun extends Pick<ChildOptions, 'cwd' | 'env'> {
  readonly words: readonly string[];
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Looks at what the command left running, before that is ended. */
  readonly meanwhile: (ended: { readonly endedAfter: number }) => Promise<void>;
}

/**
 * Runs a command to its end, with all that it started, on a clock that moves whenever all is idle. Resolves
 * to what failed, or to null; also when the signal ends it.
 */
async function runChild({ words, sandbox, signal, meanwhile, ...where }: ChildRun): Promise<Failure | null> {
  const [command = '', ...args] = words;
  let output = '';
  const group = await ChildGroup.start(command, args, {
    ...where,
    stdio: ['ignore', 'pipe', 'pipe'],
    passesSignals: false,
  });
  group.onOutput((text) => {
    output = (output + text).slice(-MOST_CHARACTERS);
  });
  let code: number | undefined;
  try {
    {
      using _skipping = skipWaits(sandbox);
      code = await untilAborted(group.ended, signal).catch(() => undefined);
    }
    const endedAfter = sandbox.timeline.ring.newest;
    // Retries that are not due yet would meet an application that has ended with its tests.
    if (code !== undefined) await drained({ sandbox, stopping: signal, awaitsRetries: false });
    await meanwhile({ endedAfter });
  } finally {
    await group.tearDown();
  }
  return code === 0 ? null : failureOf(words.join(' '), code, output);
}

function failureOf(command: string, code: number | undefined, output: string): Failure {
  const telling = tellingLines(output);
  if (code === undefined)
    return { category: 'test', name: `${command} did not end`, message: telling.join('\n') };
  const names = failedTests(output);
  const [first] = names;
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  const failed = first === undefined ? '' : `: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  const message = [`${command} ended with ${code}${failed}`, ...telling].join('\n');
  return { category: 'test', name: first ?? `exit ${code}`, message };
}

/** Real time for all that one question of the probe takes. */
const PROBE_MS = 6_000;

type Invocation = InvocationOf<typeof explore>;

export interface ChildRunner extends Runner {
  /** Resolves when nothing is left of the runs that were given up. */
  readonly ended: () => Promise<void>;
}

/** Runs a command as `exec` does, each time with a sandbox and, where it asks for one, a port of its own. */
export function childRunner(invocation: Invocation, plan: ChildPlan): ChildRunner {
  const running = new Set<Promise<RunResult>>();
  const can = new Set<Ability>();
  if (plan.restart !== undefined) can.add('restart');
  if (plan.probe !== undefined) can.add('probe');
  return {
    can,
    run: (options) => {
      const run = runOnce(invocation, plan, options);
      running.add(run);
      void run.catch(() => undefined).finally(() => running.delete(run));
      return run;
    },
    ended: async () => {
      await Promise.allSettled(running);
    },
  };
}

async function runOnce(
  invocation: Invocation,
  plan: ChildPlan,
  { faults, seed, signal }: RunOptions,
): Promise<RunResult> {
  const io = { ...invocation.io, note: () => undefined };
  const options = { ...invocation.options, seed, strict: false, quiet: true };
  await using around = await surrounding({
    io,
    options,
    port: 0,
    hasPort: plan.hasPort,
    restart: plan.restart,
  });
  const { server, own } = around;
  await server.open();
  const control = controlOf(server);
  await plant(server, faults);
  const gone = endpointsSeen(server.sandbox);
  await seedByScenarios(server, { io, options });
  const forwardTo = plan.forwardTo.map(own);
  await using _forwarding = await forwardWhile(
    { io, options: { ...options, forwardTo, retries: 'real', simulate: undefined } },
    server,
  );
  const probe = plan.probe === undefined ? undefined : probing(own(plan.probe), around, faults.length > 0);
  let observed: Omit<RunResult, 'failure'> | undefined;
  const failure = await runChild({
    cwd: around.cwd,
    env: around.env,
    words: plan.words.map(own),
    sandbox: server.sandbox,
    signal,
    meanwhile: async ({ endedAfter }) => {
      // A hanging application would not respond to its probe, either.
      const asked = signal.aborted ? undefined : probe;
      observed = await observe(control, { faults, probe: asked, gone, endedAfter });
    },
  });
  if (observed === undefined) throw new TypeError('A run ended before it was looked at.');
  return { failure, ...observed };
}

/**
 * Asks the probe for a payment. One that cannot be asked is a mistake of the command line, unless a fault may
 * be why.
 */
function probing(command: string, where: Surroundings, isFaulty: boolean): ProbePayment {
  const probe = probeBy(command, where);
  return async (payment) => {
    try {
      return await probe(payment, AbortSignal.timeout(PROBE_MS));
    } catch (error) {
      if (!(error instanceof ProbeError)) throw error;
      if (isFaulty) return error.message;
      throw usageError(error.message, 'Correct --probe, or leave it out.');
    }
  };
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

/** Tests that may fail, and a heading of node's. */
const NO_FAILURE = /# (?:TODO|SKIP)|^failing tests:$/;
const DURATION = / \(?[\d.]{1,20} ?m?s\)?$/;

/** The names of the tests that failed, from the output of any of the usual test runners: sorted, each once. */
export function failedTests(output: string): readonly string[] {
  const names = linesOf(output).flatMap((line) => nameIn(line) ?? []);
  return [...new Set(names)].toSorted();
}

/** Enough for the values of an assertion. */
const MOST_LINES = 40;

/**
 * The lines that say most of why a command failed: from the last failed test on, or in TAP from the first,
 * because the tests around it follow there; without any, the last lines.
 */
export function tellingLines(output: string): readonly string[] {
  const lines = linesOf(output).filter((line) => line !== '');
  const isFailed = (line: string) => nameIn(line) !== undefined;
  const first = lines.findIndex((line) => isFailed(line));
  if (first < 0) return lines.slice(-MOST_LINES);
  const isTap = lines[first]?.trimStart().startsWith('not ok ') === true;
  const start = isTap ? first : lines.findLastIndex((line) => isFailed(line));
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
