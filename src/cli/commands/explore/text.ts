import type { ExploreReport, PlannedFault, ExploreFinding } from '../../../explore/explore.js';
import { formatFault } from '../../../explore/kinds.js';
import {
  formatFlakySuite,
  type Reproduction,
  formatSummary,
  formatUntried,
} from '../../../explore/report.js';
import type { Io } from '../../program/io.js';
import {
  type TextFact,
  formatFacts,
  fitText,
  indent,
  toOneLine,
  formatParagraph,
  wrapText,
} from '../../terminal/text.js';
import { formatSpan } from '../../terminal/time-text.js';

interface Shown extends ExploreFinding, Reproduction {
  readonly number: string;
}

const NO_REPEAT: Reproduction = { file: null, repeat: '' };
/** Limits the printed lines per section; the JSON report contains all lines. */
const MOST_LINES = 12;
const INDENT = '  ';

const CLASSES = { promised: 'allowed by the contract', outage: 'outage' } as const;

/** Formats a report for the terminal: findings, flaky findings, untried faults and the summary. */
export function formatExploreReport(
  io: Io,
  report: ExploreReport,
  repeats: readonly Reproduction[],
  directory?: string,
): string {
  const { findings } = report;
  const blocks = [
    ...findings.map((finding, index) =>
      findingText(io, {
        ...finding,
        ...(repeats[index] ?? NO_REPEAT),
        number: `${index + 1} of ${findings.length}`,
      }),
    ),
    ...report.flaky.map((finding) => flakyText(io, finding)),
    untriedText(io, report),
    directory === undefined ? '' : formatFacts(io, [['results', directory, undefined, true]]),
    totalText(io, report),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function findingText(io: Io, finding: Shown): string {
  const { bold, red, cyan } = io.colors;
  const { faults, failure, fix, trace, confirmed, file, repeat, number } = finding;
  const { category } = failure;
  const [message = '', ...output] = failure.message.split('\n');
  const lines: TextFact[] = [
    ['result', category === 'test' ? message : `${failure.name}: ${message}`, red],
    ['fix', fix],
    ['confirmed', `${confirmed} runs`],
    ['file', file ?? '', undefined, true],
    ['reproduce', repeat, cyan, true],
  ];
  return [
    `${red('failure scenario')} ${bold(number)} (${CLASSES[finding.class]})`,
    ...faults.flatMap((fault) => formatParagraph(io, formatFault(fault), INDENT).map((line) => bold(line))),
    formatFacts(io, lines),
    ...section(io, 'what happened', elideMiddle(trace)),
    ...formatBlock(io, 'output', output),
  ].join('\n');
}

function flakyText(io: Io, { faults, failure, confirmed }: ExploreFinding): string {
  const [message = ''] = failure.message.split('\n');
  return [
    `${io.colors.yellow('flaky')} failed again in ${confirmed} runs, so the cause may be different`,
    ...faults.flatMap((fault) => formatParagraph(io, formatFault(fault), INDENT)),
    formatFacts(io, [['result', failure.category === 'test' ? message : `${failure.name}: ${message}`]]),
  ].join('\n');
}

function untriedText(io: Io, { baseline, missed, notRun }: ExploreReport): string {
  const reasons = new Map<string, number>();
  for (const { reason } of notRun) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [
    ...section(io, 'skipped: not present in every run without faults', elideMiddle(baseline.unstable)),
    ...section(
      io,
      'missed, because a fault did not fire exactly once',
      elideMiddle(missed.map(({ faults, fired }) => `${formatFaults(faults)} (${fired.join(', ')} times)`)),
    ),
    ...section(
      io,
      'not run',
      [...reasons].map(([reason, count]) => `${count}: ${reason}`),
    ),
  ].join('\n');
}

export function formatFaults(faults: readonly PlannedFault[]): string {
  return faults.map(formatFault).join(', and ');
}

function section(io: Io, title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const width = io.columns === 0 ? 0 : io.columns - INDENT.length;
  return [title, ...lines.map((line) => io.colors.dim(`${INDENT}${fitText(toOneLine(line, 0), width)}`))];
}

function formatBlock({ columns, colors }: Io, title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [title, colors.dim(INDENT + indent(lines.join('\n'), INDENT, columns))];
}

function elideMiddle(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} more`, ...lines.slice(-half)];
}

/** Returns true if the command did not use its sandbox, which leaves no fault to try. */
export function isSandboxUnused({ runs, points }: ExploreReport['baseline']): boolean {
  return runs > 0 && points === 0;
}

const UNUSED =
  ' No fault was tried: the command sent no API request to its sandbox and received no ' +
  'event. Use the environment block, or `connectSandbox()`.';

function totalText({ colors, columns }: Io, report: ExploreReport): string {
  const { findings, isBudgetSpent, ok, durationMs, baseline } = report;
  const nothing = isSandboxUnused(baseline) ? UNUSED : ' No failures were found.';
  const verdict = findings.length > 0 ? '' : nothing;
  const spent = isBudgetSpent ? ' The time budget ran out; increase --budget.' : '';
  const isRed = findings.length > 0 || isSandboxUnused(baseline);
  const paint = isRed ? colors.red : ok ? colors.green : colors.yellow;
  const sum = `${formatSummary(report)}, in ${formatSpan(durationMs)}.${verdict}${spent}`;
  const text = [sum, formatFlakySuite(report)].join(' ').trimEnd();
  const untried = formatUntried(report, {
    all: '`--faults all`',
    more: 'a longer `--budget` or more `--pairs`',
  });
  return [
    ...wrapText(text, columns).map((line) => paint(line)),
    ...untried.flatMap((line) => wrapText(line, columns)),
  ].join('\n');
}
