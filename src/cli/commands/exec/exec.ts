import type { SandboxServer } from '../../../http/server/start.js';
import { ChildGroup } from './child-group.js';
import { EXIT, usageError } from '../../program/errors.js';
import type { ExecFinding } from './findings.js';
import { findingsOf } from './findings.js';
import { forwardWhile } from './forwarding.js';
import { annotate } from './github.js';
import { untilAborted } from '../../program/until-aborted.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { FinalCode } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { UnmatchedCalls } from './unmatched-calls.js';
import { seedByScenarios } from '../start/seeding.js';
import { openServer, sandboxOptions } from '../start/open-server.js';
import type { exec } from './command.js';

/** Exit codes above it are those of processes ended by a signal. */
const SIGNAL_CODES = 128;
/** Real time that deliveries have to end after the command. */
const DRAIN_MS = 15_000;

/** `sandbox exec -- <command>`: runs a sandbox while the command runs; resolves to the command's exit code. */
export const execute: BodyOf<typeof exec> = async (invocation) => {
  const { io, args, options } = invocation;
  const [command, ...words] = args.command;
  if (command === undefined) {
    throw usageError('exec needs a command to run.', 'For example: npx pix-sandbox exec -- npm test');
  }
  const { failOn = [], port = 0 } = options;
  const server = await openServer({ ...sandboxOptions(options), port }, io);
  const unmatched = new UnmatchedCalls(server.sandbox.calls);
  try {
    await server.opened;
    await seedByScenarios(server, invocation);
    await using _forwarding = await forwardWhile(invocation, server);
    if (io.stopping.aborted) return EXIT.no;
    const group = await ChildGroup.start(command, words, {
      env: { ...io.env, ...server.env },
      cwd: io.cwd,
      stdio: ['inherit', io.json ? 2 : 'inherit', 'inherit'],
    });
    try {
      const exitCode = await group.ended;
      const idle = await drained(server, io);
      const findings = findingsOf(server.sandbox.world, unmatched, failOn);
      const code = report(io, exitCode, idle, findings);
      // A command that was ended by a signal, or killed afterwards, gets the exit code of the signal.
      return exitCode > SIGNAL_CODES ? code : new FinalCode(code);
    } finally {
      await group.tearDown();
    }
  } finally {
    await server.close();
  }
};

/** Resolves to true when nothing is in flight, to false on a timeout or a signal. */
async function drained({ sandbox }: SandboxServer, { stopping }: Io): Promise<boolean> {
  const giveUp = AbortSignal.any([stopping, AbortSignal.timeout(DRAIN_MS)]);
  await untilAborted(sandbox.idle(), giveUp).catch(() => undefined);
  return sandbox.isIdle();
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
