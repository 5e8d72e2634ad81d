import { harmless } from '../text/harmless.js';
import type { CheckEntry, CheckResult, Exchange, Report, Summary, Verdict } from './check.js';

/** What a plan found. */
export interface Finding {
  readonly outcome: 'holds' | 'fails' | 'unknown' | 'gated';
  readonly sent: string;
  readonly got: string;
  readonly reason?: string | undefined;
  /** It failed by a crash, which has another cause than the catalogue's likely one. */
  readonly hasCrashed?: boolean | undefined;
}

const CRASH = {
  likely: 'the verification throws, and nothing catches it',
  fix: 'answer 400 for whatever keeps the verification from holding, also an error',
};

const LONGEST_SHOWN = 100;
const CONTRACT = 'INTERFACE.md';
const LINKS: Readonly<Record<string, string>> = {
  'Standard Webhooks':
    'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  'RFC 9110 §9.3.1': 'https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1',
  'RFC 9112 §7.1': 'https://www.rfc-editor.org/rfc/rfc9112#section-7.1',
};

/** Foreign text on one line, cut. */
export function oneLineOf(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN - 1)}…` : line;
}

/** Where a clause can be read: a section of the contract, or an address. */
export function linkOf(clause: string): string {
  return LINKS[clause] ?? `${CONTRACT} ${clause}`;
}

function verdictOf({ level }: CheckEntry, { outcome }: Finding): Verdict {
  if (outcome === 'holds') return 'pass';
  if (outcome === 'fails') return level === 'must' ? 'fail' : 'warn';
  return outcome;
}

/** The result of a check. */
export function resultOf(
  entry: CheckEntry,
  finding: Finding,
  { exchanges = [], durationMs = 0 }: { exchanges?: readonly Exchange[]; durationMs?: number } = {},
): CheckResult {
  const { id, level, clause, passes } = entry;
  const { sent, got, reason = null, hasCrashed = false } = finding;
  const { likely, fix } = hasCrashed ? CRASH : entry;
  const verdict = verdictOf(entry, finding);
  const told = { sent, got, expected: passes, likely, fix, reason };
  return { id, level, verdict, clause, link: linkOf(clause), ...told, durationMs, exchanges };
}

export function isFailure({ verdict }: Pick<CheckResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

export function summaryOf(results: readonly Pick<CheckResult, 'verdict'>[]): Summary {
  const summary = { pass: 0, fail: 0, warn: 0, unknown: 0, gated: 0 };
  for (const { verdict } of results) summary[verdict] += 1;
  return summary;
}

/** Which results keep a run from being right: a *must* that failed; strictly, all that did not pass; never those that are `known`. */
export interface Strictness {
  readonly isStrict: boolean;
  readonly known: ReadonlySet<string>;
}

export function counts(
  { id, verdict }: Pick<CheckResult, 'id' | 'verdict'>,
  { isStrict, known }: Strictness,
): boolean {
  return !known.has(id) && (verdict === 'fail' || (isStrict && verdict !== 'pass'));
}

/** Whether a run is right. */
export function isOk(
  { checks, isAnswering, isBudgetSpent }: Omit<Report, 'ok'>,
  strictness: Strictness,
): boolean {
  return isAnswering && !isBudgetSpent && !checks.some((result) => counts(result, strictness));
}
