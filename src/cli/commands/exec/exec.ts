import { setTimeout as pause } from 'node:timers/promises';
import { advanceWhenIdle, skipWaits } from '../../../sandbox/time/auto-advance.js';
import { wantsPort } from '../../faults/restarts.js';
import { plant } from '../../faults/faults.js';
import { ChildGroup } from './child-group.js';
import { EXIT, usageError } from '../../program/errors.js';
import { drained, forwardWhile, type Surrounding, surrounding } from './exec-sandbox.js';
import { judge, noteFaults, report } from './verdict.js';
import { watch } from './findings.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { FinalCode } from '../../program/io.js';
import { faultFileOf, seedByScenarios } from '../start/open-server.js';
import type { exec } from './command.js';

type Invocation = InvocationOf<typeof exec>;

/** Exit codes above it are those of processes ended by a signal. */
const SIGNAL_CODES = 128;
/** Real time in which a command that asks nothing, such as `true`, ends. */
const DOORS_AFTER_MS = 10;

/** `sandbox exec -- <command>`: runs a sandbox while the command runs; resolves to the command's exit code. */
export const execute: BodyOf<typeof exec> = async (invocation) => {
  const { io, args, options } = invocation;
  const [command, ...words] = args.command;
  if (command === undefined) {
    throw usageError('exec needs a command to run.', 'For example: npx sandbox exec -- npm test');
  }
  const { failOn = [], port = 0 } = options;
  const file = await faultFileOf(invocation);
  await using around = await surrounding({
    io,
    options: { ...options, seed: options.seed ?? file?.seed },
    port,
    hasPort: wantsPort([...args.command, ...options.forwardTo, options.restart]),
    restart: options.restart,
  });
  const { server, own } = around;
  const { sandbox } = server;
  const watched = watch(sandbox, failOn);
  const planted = file === undefined ? undefined : await plant(server, file.faults);
  await seedByScenarios(server, invocation);
  await using forwarding = await forwardWhile({ io, options: forwardingOf(invocation, around) }, server);
  using advancing = planted === undefined ? advanceWhenIdle(sandbox) : skipWaits(sandbox);
  if (io.stopping.aborted) return EXIT.no;
  const group = await ChildGroup.start(own(command), words.map(own), {
    env: around.env,
    cwd: around.cwd,
    stdio: ['inherit', io.json ? 2 : 'inherit', 'inherit'],
  });
  try {
    // The doors are loaded while the command starts, unless it has ended by then; its calls wait for them.
    const hasEnded = group.ended.then(() => true);
    if (!(await Promise.race([hasEnded, pause(DOORS_AFTER_MS, false, { ref: false })]))) await server.open();
    const exitCode = await group.ended;
    const endedAt = sandbox.realNow();
    // Retries that are not due yet would meet an application that has ended with its tests.
    if (planted !== undefined) advancing[Symbol.dispose]();
    const awaitsRetries = failOn.includes('undelivered');
    const idle = await drained({ sandbox, stopping: io.stopping, awaitsRetries });
    await watched.forgeries.settled(io.stopping);
    const verdict = judge(watched, {
      commandExitCode: exitCode,
      isIdle: idle,
      endedAt,
      failOn,
      allowsUnused: options.allowUnused,
    });
    // What happens from here on is no part of the verdict.
    if (!idle) forwarding.abandon();
    await forwarding.leave();
    report(io, verdict, options.quiet);
    if (planted !== undefined) noteFaults(io, planted);
    // A command that was ended by a signal, or killed afterwards, gets the exit code of the signal.
    return exitCode > SIGNAL_CODES ? verdict.exitCode : new FinalCode(verdict.exitCode);
  } finally {
    await group.tearDown();
  }
};

/** Where deliveries go. Under faults the schedule is the real one, on a clock that moves whenever all is idle. */
function forwardingOf({ options }: Invocation, { own }: Surrounding) {
  const { forwardTo, retries = options.faults === undefined ? 'fast' : 'real' } = options;
  return { ...options, forwardTo: forwardTo.map(own), retries };
}
