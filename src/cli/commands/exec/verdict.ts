import type { DeliveryStatus } from '../../../contract/transitions.js';
import { EXIT } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { DRAIN_MS } from './drain.js';
import type { ExecFinding, FailOn, Watched } from './findings.js';
import { findingsOf } from './findings.js';
import { annotate, annotateWarning } from './github.js';
import { appendSummary } from './step-summary.js';
import { UNUSED } from './usage.js';

/** What is known when a command has ended and its deliveries have come to rest. */
export interface Verdict {
  readonly commandExitCode: number;
  readonly exitCode: number;
  /** Whether nothing was in flight any more. */
  readonly isIdle: boolean;
  readonly isUsed: boolean;
  readonly findings: readonly ExecFinding[];
  readonly warnings: readonly ExecFinding[];
  /** Receivers that refused the forged copy. */
  readonly refused: readonly string[];
  /** Deliveries of the world at the end, by status. */
  readonly deliveries: readonly { readonly status: DeliveryStatus; readonly count: number }[];
}

interface Ended {
  readonly commandExitCode: number;
  readonly isIdle: boolean;
  /** Real time at which the command ended. */
  readonly endedAt: number;
  readonly failOn: readonly FailOn[];
  readonly allowsUnused: boolean;
}

/** The verdict on a command, from what the sandbox saw. */
export function judge(watched: Watched, ended: Ended): Verdict {
  const { commandExitCode, isIdle, endedAt, failOn, allowsUnused } = ended;
  const { isUsed } = watched.usage;
  const isDone = commandExitCode === EXIT.done;
  const unused: ExecFinding[] = isDone && !isUsed ? [{ kind: 'unused', message: UNUSED }] : [];
  const fails = failOn.length > 0 && !allowsUnused;
  const findings = [...(fails ? unused : []), ...findingsOf(watched, failOn, { endedAt, isDone })];
  return {
    commandExitCode,
    exitCode: isDone && findings.length > 0 ? EXIT.no : commandExitCode,
    isIdle,
    isUsed,
    findings,
    warnings: fails ? [] : unused,
    refused: watched.forgeries.refused,
    deliveries: deliveriesOf(watched),
  };
}

function deliveriesOf({ sandbox }: Watched): Verdict['deliveries'] {
  const counts = new Map<DeliveryStatus, number>();
  for (const { status } of sandbox.world.deliveries.rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .map(([status, count]) => ({ status, count }))
    .toSorted((one, other) => one.status.localeCompare(other.status));
}

/** Prints a verdict, marks its problems on GitHub, and appends it to the summary of the job. */
export function report(io: Io, verdict: Verdict, isQuiet: boolean): void {
  const { findings, warnings, refused, deliveries, isIdle, isUsed } = verdict;
  io.emit({
    type: 'exec',
    command_exit_code: verdict.commandExitCode,
    exit_code: verdict.exitCode,
    idle: isIdle,
    used: isUsed,
    deliveries,
    findings,
    warnings,
  });
  if (deliveries.length > 0 && !isQuiet) io.note(deliveriesText(deliveries));
  if (!isIdle && !io.stopping.aborted) {
    io.note(`${io.colour.yellow('warning')} deliveries were still in flight ${DRAIN_MS / 1000} s later.`);
  }
  for (const text of refused) io.note(`${io.colour.green('verified')} ${oneLine(text, 0)}`);
  for (const { kind, message } of warnings) {
    io.note(`${io.colour.yellow('warning')} ${oneLine(message, 0)}`);
    annotateWarning(io, kind, message);
  }
  for (const { kind, message } of findings) {
    io.note(`${io.colour.red(kind)} ${oneLine(message, 0)}`);
    annotate(io, kind, message);
  }
  appendSummary(io, verdict);
}

/** Such as `Deliveries at the end: 3 DELIVERED, 1 FAILED.` */
export function deliveriesText(deliveries: Verdict['deliveries']): string {
  return `Deliveries at the end: ${deliveries.map(({ status, count }) => `${count} ${status}`).join(', ')}.`;
}
