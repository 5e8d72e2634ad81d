import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DeliveryStatus } from '../../../contract/transitions.js';
import { getErrorMessage } from '../../../text/errors.js';
import { withProgramName } from '../../../text/program-name.js';
import type { InstalledFaults } from '../../faults/faults.js';
import { EXIT_CODES } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { annotateForCi, printNote, toOneLine } from '../../terminal/text.js';
import { DRAIN_MS } from './exec-sandbox.js';
import {
  type ExecFinding,
  type FailureThreshold,
  UNUSED_SANDBOX_TEXT,
  type SandboxWatch,
} from './findings.js';

interface Verdict {
  readonly commandExitCode: number;
  readonly exitCode: number;
  readonly isIdle: boolean;
  readonly isUsed: boolean;
  readonly findings: readonly ExecFinding[];
  readonly warnings: readonly ExecFinding[];
  readonly refused: readonly string[];
  readonly deliveries: readonly { readonly status: DeliveryStatus; readonly count: number }[];
}

interface CommandOutcome {
  readonly commandExitCode: number;
  readonly isIdle: boolean;
  readonly endedAt: number;
  readonly failOn: readonly FailureThreshold[];
  readonly allowsUnused: boolean;
}

export function judgeExec(watched: SandboxWatch, ended: CommandOutcome): Verdict {
  const { commandExitCode, isIdle, endedAt, failOn, allowsUnused } = ended;
  const isUsed = watched.isUsed();
  const isDone = commandExitCode === EXIT_CODES.done;
  const unused: ExecFinding[] = isDone && !isUsed ? [{ kind: 'unused', message: UNUSED_SANDBOX_TEXT }] : [];
  const fails = failOn.length > 0 && !allowsUnused;
  const findings = [...(fails ? unused : []), ...watched.findings(failOn, { endedAt, isDone })];
  const counts = new Map<DeliveryStatus, number>();
  for (const { status } of watched.sandbox.world.deliveries.rows)
    counts.set(status, (counts.get(status) ?? 0) + 1);
  return {
    commandExitCode,
    exitCode: isDone && findings.length > 0 ? EXIT_CODES.no : commandExitCode,
    isIdle,
    isUsed,
    findings,
    warnings: fails ? [] : unused,
    refused: watched.refused,
    deliveries: Array.from(counts, ([status, count]) => ({ status, count })).toSorted((one, other) =>
      one.status.localeCompare(other.status),
    ),
  };
}

/** Prints the verdict, annotates its problems in CI, and appends the verdict to the GitHub job summary. */
export function printVerdict(io: Io, judged: Verdict, isQuiet: boolean): void {
  const named = judged.findings.map((one) => ({ ...one, message: withProgramName(one.message, io.program) }));
  const verdict = { ...judged, findings: named };
  const { commandExitCode, exitCode, findings, warnings, refused, deliveries, isIdle, isUsed } = verdict;
  const { green, red, yellow } = io.colors;
  const note = (label: string, text: string) => printNote(io, `${label} ${toOneLine(text, 0)}`);
  io.emit({
    type: 'exec',
    command_exit_code: commandExitCode,
    exit_code: exitCode,
    idle: isIdle,
    used: isUsed,
    deliveries,
    findings,
    warnings,
  });
  if (deliveries.length > 0 && !isQuiet)
    note(
      'Deliveries at the end:',
      `${deliveries.map(({ status, count }) => `${count} ${status}`).join(', ')}.`,
    );
  if (!isIdle && !io.stopping.aborted)
    note(yellow('warning'), `deliveries were still in flight after ${DRAIN_MS / 1000} s.`);
  for (const text of refused) note(green('verified'), text);
  for (const { kind, message } of warnings) {
    note(yellow('warning'), message);
    annotateForCi(io, kind, message, undefined, 'warning');
  }
  for (const { kind, message } of findings) {
    note(red(kind), message);
    annotateForCi(io, kind, message);
  }
  appendSummary(io, verdict);
}

export function printFaultOutcomes(io: Io, { outcomes }: InstalledFaults): void {
  const { green, yellow } = io.colors;
  for (const { words, hasFired } of outcomes().toSorted((a, b) => Number(b.hasFired) - Number(a.hasFired)))
    printNote(io, `${hasFired ? green('fired') : yellow('not fired')} ${toOneLine(words, 0)}`);
}

/** Appends the verdict to the GitHub job summary, if available. */
function appendSummary({ env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>, verdict: Verdict): void {
  const file = env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(resolve(cwd, file), summaryText(verdict));
  } catch (error) {
    note(`Cannot write the summary to GITHUB_STEP_SUMMARY: ${toOneLine(getErrorMessage(error), 0)}`);
  }
}

function summaryText(verdict: Verdict): string {
  const { commandExitCode, exitCode, isUsed, deliveries, refused, findings, warnings } = verdict;
  const rows = deliveries.map(({ status, count }) => `| ${status} | ${count} |`);
  const items = [
    ...findings.map(({ kind, message }) => `- **${kind}**: ${escaped(message)}`),
    ...warnings.map(({ kind, message }) => `- warning, **${kind}**: ${escaped(message)}`),
    ...refused.map((message) => `- verified: ${escaped(message)}`),
  ];
  const use = isUsed ? '' : ' Nothing used the sandbox.';
  return [
    `### pix-sandbox exec ${exitCode === 0 ? 'passed' : 'failed'}`,
    '',
    `The command exited with ${commandExitCode}; exec exited with ${exitCode}.${use}`,
    '',
    ...(rows.length === 0 ? [] : ['| Deliveries at the end | |', '|---|---|', ...rows, '']),
    ...(items.length === 0 ? [] : [...items, '']),
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return toOneLine(text, 0).replaceAll(/[\\`*_[\]<>|~&]/g, String.raw`\$&`);
}
