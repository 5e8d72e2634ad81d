import { setTimeout as pause } from 'node:timers/promises';
import { SIGNAL_CODES, usesPort } from '../../../child.js';
import { advanceWhenIdle, skipWaits } from '../../../sandbox/time/auto-advance.js';
import { installFaultFile } from '../../faults/faults.js';
import type { BodyOf } from '../../program/declaration.js';
import { EXIT_CODES, createUsageError } from '../../program/errors.js';
import { ExitCode } from '../../program/io.js';
import { readFaultOption, seedByScenarios } from '../start/open-server.js';
import type { exec } from '../../declarations/tests.js';
import { drainDeliveries, openCommandSandbox } from './exec-sandbox.js';
import { watchSandbox } from './findings.js';
import { judgeExec, printFaultOutcomes, printVerdict } from './verdict.js';

/** Long enough for a command such as `true` to exit (real time). */
const SURFACES_AFTER_MS = 10;

/** Runs `sandbox exec`: starts a sandbox, runs the command, and resolves to the command's exit code. */
export const runExec: BodyOf<typeof exec> = async (invocation) => {
  const { io, args, options } = invocation;
  const { failOn = [], port = 0, forwardTo, restart } = options;
  if (args.command.length === 0) {
    throw createUsageError('exec requires a command.', 'For example: npx sandbox exec -- npm test');
  }
  const file = await readFaultOption(invocation);
  await using around = await openCommandSandbox({
    io,
    options: { ...options, seed: options.seed ?? file?.seed },
    port,
    hasPort: usesPort([...args.command, ...forwardTo, restart]),
  });
  const { server, sandbox } = around;
  const watched = watchSandbox(sandbox, failOn);
  const installedFaults = file === undefined ? undefined : await installFaultFile(server, file.faults);
  await seedByScenarios(server, invocation);
  // With faults, retries follow the real schedule, on a clock that advances when the sandbox is idle.
  const { retries = installedFaults === undefined ? 'fast' : 'real' } = options;
  await using forwarding = await around.forward({ ...options, retries });
  using advancing = installedFaults === undefined ? advanceWhenIdle(sandbox) : skipWaits(sandbox);
  if (io.stopping.aborted) return EXIT_CODES.no;
  await using group = await around.start(args.command, {
    stdio: ['inherit', io.json ? 2 : 'inherit', 'inherit'],
    passesSignals: true,
  });
  // Load the APIs while the command starts, unless the command has already exited. Early requests wait.
  const hasEnded = group.ended.then(() => true);
  if (!(await Promise.race([hasEnded, pause(SURFACES_AFTER_MS, false, { ref: false })]))) await server.open();
  const commandExitCode = await group.ended;
  const endedAt = sandbox.realNow();
  // Later retries would fail, because the application stops with its tests.
  if (installedFaults !== undefined) advancing[Symbol.dispose]();
  const awaitsRetries = failOn.includes('undelivered');
  const isIdle = await drainDeliveries(sandbox, { stopping: io.stopping, awaitsRetries });
  await watched.settled(io.stopping);
  const allowsUnused = options.allowUnused;
  const verdict = judgeExec(watched, { commandExitCode, isIdle, endedAt, failOn, allowsUnused });
  // Results that arrive later do not affect the verdict.
  if (!isIdle) forwarding.abandon();
  await forwarding.leave();
  printVerdict(io, verdict, options.quiet);
  if (installedFaults !== undefined) printFaultOutcomes(io, installedFaults);
  // If a signal ended the command, exit with the signal's code.
  return commandExitCode > SIGNAL_CODES ? verdict.exitCode : new ExitCode(verdict.exitCode);
};
