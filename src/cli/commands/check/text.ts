import { REVIEW_BY_HAND } from '../../../check/catalogue/catalogue.js';
import type { CheckResult, Exchange, Report, Verdict } from '../../../check/check.js';
import { answerText } from '../../../check/plan/bench.js';
import { withoutHeaderSecrets } from '../../../text/redaction.js';
import { commandText } from '../../prompts/command-text.js';
import type { Io } from '../../program/io.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { fit, oneLine, wrap } from '../../terminal/text.js';
import { spanText } from '../../terminal/when.js';

/** What a report in the terminal shows beside the report. */
export interface Shown {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
  readonly isVerbose: boolean;
  /** The options with which a single check can be run again. */
  readonly again: Readonly<Record<string, unknown>>;
}

const VERDICT_WIDTH = 'unknown'.length;
const ID_WIDTH = 'accept.unknown-resource'.length;
const BODY_WIDTH = 200;

/** A report for the terminal: a line for each check, then what failed, then what could not be judged. */
export function reportText(io: Io, report: Report, shown: Shown): string {
  const { checks, notes } = report;
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const details = shown.isVerbose ? checks : failed;
  const blocks = [
    [...notes, ...shown.stale].flatMap((note) => wrap(oneLine(note, 0), io.columns)).join('\n'),
    checks.map((result) => lineOf(io, result, shown)).join('\n'),
    ...details.map((result) => detailsOf(io, result, shown)),
    reasonsText(io, checks),
    wrap(`To review by hand: ${REVIEW_BY_HAND}.`, io.columns).join('\n'),
    totalText(io, report),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function paint({ colour }: Io, verdict: Verdict, text: string): string {
  const paints = {
    pass: colour.green,
    fail: colour.red,
    warn: colour.yellow,
    unknown: colour.dim,
    gated: colour.dim,
  };
  return paints[verdict](text);
}

function lineOf(io: Io, { id, verdict, expected, level }: CheckResult, { known }: Shown): string {
  const note = known.has(id) && verdict !== 'pass' ? `known, ${level}` : expected;
  const head = `${verdict.padEnd(VERDICT_WIDTH)}  ${id.padEnd(ID_WIDTH)}`;
  const room = io.columns === 0 ? 0 : Math.max(io.columns - head.length - 2, 10);
  return `${paint(io, verdict, verdict.padEnd(VERDICT_WIDTH))}  ${id.padEnd(ID_WIDTH)}  ${io.colour.dim(fit(note, room))}`;
}

function detailsOf(io: Io, result: CheckResult, { isVerbose, again }: Shown): string {
  const { id, level, verdict, link, sent, got, expected, likely, fix, reason, exchanges } = result;
  const { bold, cyan, green } = io.colour;
  const hasFailed = verdict === 'fail' || verdict === 'warn';
  const command = `${io.program} ${commandText('check', [], { ...again, only: id, verbose: true })}`;
  const lines: Fact[] = [
    ['why', reason ?? ''],
    ['sent', sent],
    ['got', got],
    ['expected', expected],
    ['likely', hasFailed ? likely : '', cyan],
    ['fix', hasFailed ? fix : '', green],
    ['written', hasFailed ? link : ''],
    ['again', hasFailed ? command : '', undefined, true],
  ];
  const head = `${paint(io, verdict, verdict)} ${bold(id)} (${level})`;
  const wire = isVerbose ? exchanges.map((one) => exchangeText(io, one)) : [];
  return [head, facts(io, lines), ...wire].join('\n');
}

/** A request and its answer; secrets in headers are hidden. */
function exchangeText(io: Io, { method, url, headers, body, answer }: Exchange): string {
  const shown = withoutHeaderSecrets(headers).map(([name, value]) => `> ${name}: ${value}`);
  const text = Buffer.from(body.subarray(0, BODY_WIDTH)).toString('utf8');
  const more = body.length > BODY_WIDTH ? ` … ${body.length} bytes` : '';
  const lines = [
    `> ${method} ${url}`,
    ...shown,
    `> ${text}${more}`,
    `< ${answerText(answer)} in ${Math.round(answer.ms)} ms`,
  ];
  return io.colour.dim(lines.map((line) => fit(oneLine(line, 0), io.columns)).join('\n'));
}

/** Why checks are unknown or gated, each reason once. */
function reasonsText(io: Io, checks: readonly CheckResult[]): string {
  const byReason = new Map<string, string[]>();
  for (const { id, verdict, reason } of checks) {
    if (verdict !== 'unknown' && verdict !== 'gated') continue;
    const key = `${verdict}: ${reason ?? ''}`;
    byReason.set(key, [...(byReason.get(key) ?? []), id]);
  }
  return Array.from(byReason, ([reason, ids]) => {
    const width = io.columns === 0 ? 0 : io.columns - 2;
    return [
      ...wrap(oneLine(reason, 0), io.columns),
      ...wrap(ids.join(', '), width).map((line) => `  ${line}`),
    ].join('\n');
  }).join('\n');
}

function totalText(io: Io, { summary, durationMs, isBudgetSpent }: Report): string {
  const counts = (Object.entries(summary) as [Verdict, number][])
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => paint(io, verdict, `${count} ${verdict}`));
  return `${counts.join(', ')} in ${spanText(durationMs)}${isBudgetSpent ? '; the budget was spent' : ''}.`;
}
