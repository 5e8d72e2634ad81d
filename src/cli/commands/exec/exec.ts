import { advanceWhenIdle } from '../../../sandbox/time/frozen-advance.js';
import { ChildGroup } from './child-group.js';
import { EXIT, usageError } from '../../program/errors.js';
import { drained, DRAIN_MS } from './drain.js';
import type { ExecFinding, Watched } from './findings.js';
import { findingsOf, watch } from './findings.js';
import { forwardWhile } from './forwarding.js';
import { annotate } from './github.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { FinalCode } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { seedByScenarios } from '../start/seeding.js';
import { openServer, sandboxOptions } from '../start/open-server.js';
import type { exec } from './command.js';

type Invocation = InvocationOf<typeof exec>;

/** Exit codes above it are those of processes ended by a signal. */
const SIGNAL_CODES = 128;

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
  const server = await openServer({ ...sandboxOptions(options), port }, io);
  const { sandbox } = server;
  const watched = watch(sandbox);
  try {
    await server.opened;
    await seedByScenarios(server, invocation);
    await using _forwarding = await forwardWhile(invocation, server);
    using _advancing = advanceWhenIdle(sandbox);
    if (io.stopping.aborted) return EXIT.no;
    const group = await ChildGroup.start(command, words, {
      env: { ...io.env, ...server.env },
      cwd: io.cwd,
      stdio: ['inherit', io.json ? 2 : 'inherit', 'inherit'],
    });
    try {
      const exitCode = await group.ended;
      const awaitsRetries = failOn.includes('undelivered');
      const idle = await drained({ sandbox, stopping: io.stopping, awaitsRetries });
      const code = report(io, exitCode, idle, await judge(invocation, watched));
      // A command that was ended by a signal, or killed afterwards, gets the exit code of the signal.
      return exitCode > SIGNAL_CODES ? code : new FinalCode(code);
    } finally {
      await group.tearDown();
    }
  } finally {
    await server.close();
  }
};

const untried = (program: string) =>
  `nothing forged was tried, so it is not known whether signatures are verified. With --forward-to, --probe-forged sends one forgery after the command; in a test, \`${program} faults add wrong-signature --count 1\` forges the next delivery.`;

/** What the sandbox saw, and with `--probe-forged` how receivers took a forgery. Says what is not known of signatures. */
async function judge({ io, options }: Invocation, watched: Watched): Promise<readonly ExecFinding[]> {
  const { failOn = [], probeForged } = options;
  const notes = probeForged ? await probe({ io, options }, watched) : [];
  const isUntried = watched.forgeries.tried === 0 && notes.length === 0 && !io.stopping.aborted;
  if (failOn.includes('unverified') && isUntried) notes.push(untried(io.program));
  for (const note of notes) io.note(`${io.colour.yellow('unverified')} ${oneLine(note, 0)}`);
  return findingsOf(watched, failOn);
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
