import { setTimeout as pause } from 'node:timers/promises';
import { advanceWhenIdle } from '../../../sandbox/time/frozen-advance.js';
import { skipWaits } from '../../../sandbox/time/quiet-advance.js';
import { wantsPort } from '../../faults/own-port.js';
import { plant } from '../../faults/planted.js';
import { ChildGroup } from './child-group.js';
import { EXIT, usageError } from '../../program/errors.js';
import { drained, DRAIN_MS } from './drain.js';
import { noteFaults } from './fired-faults.js';
import type { ExecFinding, Watched } from './findings.js';
import { findingsOf, watch } from './findings.js';
import { forwardWhile } from './forwarding.js';
import { annotate } from './github.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { FinalCode } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { faultFileOf } from '../start/faults.js';
import { seedByScenarios } from '../start/seeding.js';
import type { exec } from './command.js';
import type { Surrounding } from './surrounding.js';
import { surrounding } from './surrounding.js';

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
  if (options.probeForged && !(options.forwardTo.length > 0 && failOn.includes('unverified'))) {
    throw usageError('--probe-forged goes with --forward-to and --fail-on unverified.');
  }
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
  const watched = watch(sandbox);
  const planted = file === undefined ? undefined : await plant(server, file.faults);
  await seedByScenarios(server, invocation);
  await using _forwarding = await forwardWhile({ io, options: forwardingOf(invocation, around) }, server);
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
    const code = report(io, exitCode, idle, await judge(invocation, watched, endedAt));
    if (planted !== undefined) noteFaults(io, planted);
    // A command that was ended by a signal, or killed afterwards, gets the exit code of the signal.
    return exitCode > SIGNAL_CODES ? code : new FinalCode(code);
  } finally {
    await group.tearDown();
  }
};

/** Where deliveries go. Under faults the schedule is the real one, on a clock that moves whenever all is idle. */
function forwardingOf({ options }: Invocation, { own }: Surrounding) {
  const { forwardTo, retries = options.faults === undefined ? 'fast' : 'real' } = options;
  return { ...options, forwardTo: forwardTo.map(own), retries };
}

const untried = (program: string) =>
  `nothing forged was tried, so it is not known whether signatures are verified. With --forward-to, --probe-forged sends one forgery after the command; in a test, \`${program} faults add wrong-signature --count 1\` forges the next delivery.`;

/** What the sandbox saw, and with `--probe-forged` how receivers took a forgery. Says what is not known of signatures. */
async function judge(
  { io, options }: Invocation,
  watched: Watched,
  endedAt: number,
): Promise<readonly ExecFinding[]> {
  const { failOn = [], probeForged } = options;
  const notes = probeForged ? await probe({ io, options }, watched) : [];
  const isUntried = watched.forgeries.tried === 0 && notes.length === 0 && !io.stopping.aborted;
  if (failOn.includes('unverified') && isUntried) notes.push(untried(io.program));
  for (const note of notes) io.note(`${io.colour.yellow('unverified')} ${oneLine(note, 0)}`);
  return findingsOf(watched, failOn, endedAt);
}

/** The code that sends the forgery is loaded only when it is needed. */
async function probe(invocation: Pick<Invocation, 'io' | 'options'>, { sandbox, forgeries }: Watched) {
  return (await import('./probe.js')).probeForged(invocation, sandbox, forgeries);
}

/** Prints the findings and returns the exit code: the command's own, or 1 if the command succeeded and there are findings. */
function report(io: Io, exitCode: number, idle: boolean, findings: readonly ExecFinding[]): number {
  const code = exitCode === EXIT.done && findings.length > 0 ? EXIT.no : exitCode;
  io.emit({ type: 'exec', command_exit_code: exitCode, exit_code: code, idle, findings });
  if (!idle && !io.stopping.aborted) {
    io.note(`${io.colour.yellow('warning')} deliveries were still in flight ${DRAIN_MS / 1000} s later.`);
  }
  for (const { kind, message } of findings) {
    io.note(`${io.colour.red(kind)} ${oneLine(message, 0)}`);
    annotate(io, kind, message);
  }
  return code;
}
