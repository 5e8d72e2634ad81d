import type { Surroundings } from '../../../check/hooks.js';
import { probeBy } from '../../../check/hooks.js';
import { ProbeError } from '../../../check/probe.js';
import type { Ability, Runner, RunOptions, RunResult } from '../../../explore/explore.js';
import type { ProbePayment } from '../../../explore/observe.js';
import { observe } from '../../../explore/observe.js';
import { endpointsSeen } from '../../../sandbox/endpoints-seen.js';
import { controlOf, plant } from '../../faults/faults.js';
import type { InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { forwardWhile, surrounding } from '../exec/exec-sandbox.js';
import { seedByScenarios } from '../start/open-server.js';
import { runChild } from './child.js';
import type { explore } from './command.js';
import type { ChildPlan } from './plan.js';

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

/** Asks the probe for a payment. One that cannot be asked is a mistake of the command line, unless a fault may be why. */
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
