import { MANUAL_REVIEW } from '../../../check/catalog.js';
import type { CheckItem, DeliveryExchange, CheckProgress, CheckReport } from '../../../check/check.js';
import { filterFailures, isUnobserved, getTone } from '../../../check/judge.js';
import { redactHeaders } from '../../../text/redaction.js';
import type { Io } from '../../program/io.js';
import { formatCommand } from '../../prompts/prompter.js';
import {
  type TextFact,
  formatFacts,
  fitText,
  toOneLine,
  formatParagraph,
  wrapText,
} from '../../terminal/text.js';
import { formatSpan } from '../../terminal/time-text.js';
import { formatResponse } from '../../../check/receiver-response.js';
import type { CheckVerdict } from '../../../check/public.js';

interface ReportFormat {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
  readonly isVerbose: boolean;
  /** Options for rerunning one check. */
  readonly again: Readonly<Record<string, unknown>>;
  /** Secret options missing from `again`. */
  readonly unnamed: string;
}

const VERDICT_WIDTH = 'unknown'.length;
const ID_WIDTH = 'accept.unknown-resource'.length;
const BODY_WIDTH = 200;

/** Formats a report for the terminal: headline, failures, unobserved checks, all checks, and notes. */
export function formatCheckReport(io: Io, report: CheckReport, shown: ReportFormat): string {
  const { checks, headline, notes } = report;
  const failed = filterFailures(checks);
  const applicable = checks.filter(({ applies }) => applies);
  const unobserved = applicable.filter(isUnobserved);
  const more = shown.isVerbose ? applicable.filter((result) => !failed.includes(result)) : [];
  // Skip notes that repeat an unobserved check's reason, because it is printed above.
  const further = notes.filter((note) => !unobserved.some(({ reason }) => reason === note));
  const blocks = [
    wrapText(headline, io.columns)
      .map((line) => paint(io, getTone(report), line))
      .join('\n'),
    textOf(io, shown.stale),
    ...failed.map((result) => formatCheckDetails(io, result, shown)),
    reasonsText(io, unobserved),
    applicable.map((result) => formatCheckLine(io, result, shown)).join('\n'),
    ...more.map((result) => formatCheckDetails(io, result, shown)),
    textOf(io, further),
    reasonsText(
      io,
      checks.filter(({ applies }) => !applies),
    ),
    textOf(io, [`Verify manually that ${MANUAL_REVIEW}.`]),
    totalText(io, report),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function textOf(io: Io, sentences: readonly string[]): string {
  return sentences.flatMap((sentence) => formatParagraph(io, sentence)).join('\n');
}

function paint({ colors }: Io, verdict: CheckVerdict, text: string): string {
  const paints = {
    pass: colors.green,
    fail: colors.red,
    warn: colors.yellow,
    unknown: colors.dim,
    gated: colors.dim,
  };
  return paints[verdict](text);
}

function formatCheckLine(
  io: Io,
  { id, verdict, expected, level }: CheckItem,
  { known }: ReportFormat,
): string {
  const note = known.has(id) && verdict !== 'pass' ? `known, ${level}` : expected;
  const head = `${verdict.padEnd(VERDICT_WIDTH)}  ${id.padEnd(ID_WIDTH)}`;
  const room = io.columns === 0 ? 0 : Math.max(io.columns - head.length - 2, 10);
  return (
    `${paint(io, verdict, verdict.padEnd(VERDICT_WIDTH))}  ${id.padEnd(ID_WIDTH)}  ` +
    io.colors.dim(fitText(note, room))
  );
}

function formatCheckDetails(io: Io, result: CheckItem, { isVerbose, again, unnamed }: ReportFormat): string {
  const { id, level, verdict, link, sent, got, expected, likely, fix, reason, exchanges } = result;
  const { bold, cyan, green } = io.colors;
  const hasFailed = verdict === 'fail' || verdict === 'warn';
  const command = `${io.program} ${formatCommand('check', [], { ...again, only: id, verbose: true })}`;
  const lines: TextFact[] = [
    ['why', reason ?? ''],
    ['sent', sent],
    ['got', got],
    ['expected', expected],
    ['likely', hasFailed ? likely : '', cyan],
    ['fix', hasFailed ? fix : '', green],
    ['contract', hasFailed ? link : ''],
    ['rerun', hasFailed ? command : '', undefined, true],
    ['with', hasFailed ? unnamed : ''],
  ];
  const head = `${paint(io, verdict, verdict)} ${bold(id)} (${level})`;
  const wire = isVerbose ? exchanges.map((one) => exchangeText(io, one)) : [];
  return [head, formatFacts(io, lines), ...wire].join('\n');
}

function exchangeText(io: Io, { method, url, headers, body, response }: DeliveryExchange): string {
  const shown = redactHeaders(headers).map(([name, value]) => `> ${name}: ${value}`);
  const text = Buffer.from(body.subarray(0, BODY_WIDTH)).toString('utf8');
  const more = body.length > BODY_WIDTH ? ` … ${body.length} bytes` : '';
  const lines = [
    `> ${method} ${url}`,
    ...shown,
    `> ${text}${more}`,
    `< ${formatResponse(response)} in ${Math.round(response.ms)} ms`,
  ];
  return io.colors.dim(lines.map((line) => fitText(toOneLine(line, 0), io.columns)).join('\n'));
}

/** Lists unobserved checks, grouped by reason. */
function reasonsText(io: Io, checks: readonly CheckItem[]): string {
  const byReason = new Map<string, string[]>();
  for (const { id, verdict, applies, reason } of checks) {
    const prefix = !applies ? '' : verdict === 'gated' ? 'Gated: ' : 'Not observed: ';
    const key = prefix + (reason ?? '');
    byReason.set(key, [...(byReason.get(key) ?? []), id]);
  }
  const blocks = Array.from(byReason, ([reason, ids]) => [
    ...formatParagraph(io, reason),
    ...formatParagraph(io, ids.join(', '), '  '),
  ]);
  return blocks.flat().join('\n');
}

/** Counts the verdicts. Repeats the ids of failed checks, because earlier output may have scrolled away. */
function totalText(io: Io, { summary, checks, durationMs, isBudgetSpent }: CheckReport): string {
  const idsOf = (wanted: CheckVerdict) =>
    wanted === 'fail' || wanted === 'warn'
      ? ` (${checks.flatMap(({ id, verdict }) => (verdict === wanted ? [id] : [])).join(', ')})`
      : '';
  const counts = (Object.entries(summary) as [CheckVerdict, number][])
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => paint(io, verdict, `${count} ${verdict}${idsOf(verdict)}`));
  return `${counts.join(', ')} in ${formatSpan(durationMs)}${isBudgetSpent ? '; the time budget ran out' : ''}.`;
}

export const WAITING_TEXT = 'waiting for the receiver to listen…';

export function formatProgress({ done, total, running }: CheckProgress): string {
  const [oldest] = running;
  return `${done} of ${total} checks${oldest === undefined ? '' : `, ${oldest}…`}`;
}
