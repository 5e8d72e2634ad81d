import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../../text/errors.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import type { Verdict } from './verdict.js';

/** Appends a verdict to the summary of a GitHub Actions job, where there is one. */
export function appendSummary({ env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>, verdict: Verdict): void {
  const file = env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(resolve(cwd, file), summaryText(verdict));
  } catch (error) {
    note(`The summary cannot be written to GITHUB_STEP_SUMMARY: ${oneLine(messageOf(error), 0)}`);
  }
}

/** A verdict as Markdown. */
export function summaryText(verdict: Verdict): string {
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

/** A text that Markdown shows as it is, on one line. */
function escaped(text: string): string {
  return oneLine(text, 0).replaceAll(/[\\`*_[\]<>|~&]/g, String.raw`\$&`);
}
