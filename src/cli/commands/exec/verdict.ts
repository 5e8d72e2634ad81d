import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DeliveryStatus } from '../../../contract/transitions.js';
import { messageOf } from '../../../text/errors.js';
import type { Planted } from '../../faults/faults.js';
import { EXIT } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { DRAIN_MS } from './exec-sandbox.js';
import { type ExecFinding, type FailOn, findingsOf, UNUSED, type Watched } from './findings.js';
import { annotate } from './github.js';

/** Appends a verdict to the summary of a GitHub Actions job, where there is one. */
function appendSummary({ env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>, verdict: Verdict): void {
  const file = env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(resolve(cwd, file), summaryText(verdict));
  } catch (error) {
    note(`The summary cannot be written to GITHUB_STEP_SUMMARY: ${oneLine(messageOf(error), 0)}`);
  }
}

function summaryText(verdict: Verdict): string {
  const { commandExitCode, exitCode, isUsed, deliveries, refused, findings, warnings } = verdict;
  const outcome = exitCode === 0 ? 'passed' : 'failed';
  const rows = deliveries.map(({ status, count }) => `| ${status} | ${count} |`);
  const table = ['| Deliveries at the end | |', '|---|---|', ...rows, ''];
  const items = [
    ...findings.map(({ kind, message }) => `- **${kind}**: ${escaped(message)}`),
    ...warnings.map(({ kind, message }) => `- warning, **${kind}**: ${escaped(message)}`),
    ...refused.map((message) => `- verified: ${escaped(message)}`),
  ];
  return [
    `### pix-sandbox exec ${outcome}`,
    '',
    `The command ended with ${commandExitCode}, exec with ${exitCode}.${isUsed ? '' : ' Nothing used the sandbox.'}`,
    '',
    ...(rows.length === 0 ? [] : table),
    ...(items.length === 0 ? [] : [...items, '']),
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return oneLine(text, 0).replaceAll(/[\\`*_[\]<>|~&]/g, String.raw`\$&`);
}

/** Prints which faults of `--faults` fired, and then which did not. */
export function noteFaults(io: Io, { outcomes }: Planted): void {
  const { green, yellow } = io.colour;
  const all = outcomes();
  for (const { words } of all.filter(({ hasFired }) => hasFired))
    io.note(`${green('fired')} ${oneLine(words, 0)}`);
  for (const { words } of all.filter(({ hasFired }) => !hasFired))
    io.note(`${yellow('not fired')} ${oneLine(words, 0)}`);
}

/** What is known when a command has ended and its deliveries have come to rest. */
export interface Verdict {
  readonly commandExitCode: number;
  readonly exitCode: number;
  readonly isIdle: boolean;
  readonly isUsed: boolean;
  readonly findings: readonly ExecFinding[];
  readonly warnings: readonly ExecFinding[];
  readonly refused: readonly string[];
  readonly deliveries: readonly { readonly status: DeliveryStatus; readonly count: number }[];
}

interface Ended {
  readonly commandExitCode: number;
  readonly isIdle: boolean;
  readonly endedAt: number;
  readonly failOn: readonly FailOn[];
  readonly allowsUnused: boolean;
}

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
    annotate(io, kind, message, undefined, 'warning');
  }
  for (const { kind, message } of findings) {
    io.note(`${io.colour.red(kind)} ${oneLine(message, 0)}`);
    annotate(io, kind, message);
  }
  appendSummary(io, verdict);
}

export function deliveriesText(deliveries: Verdict['deliveries']): string {
  return `Deliveries at the end: ${deliveries.map(({ status, count }) => `${count} ${status}`).join(', ')}.`;
}
