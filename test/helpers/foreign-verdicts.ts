import type { ExpectedReceiver } from './foreign-receivers.js';

type Verdict = 'pass' | 'fail' | 'warn' | 'unknown' | 'gated';

/** Report that `check --json` prints, as far as expectations are about it. */
export interface CheckReport {
  readonly checks: readonly { readonly id: string; readonly verdict: Verdict }[];
}

/** Check that the command does not have yet: its id is expected and was not reported. */
const ABSENT = 'absent';

const ANY: readonly string[] = ['pass', 'fail', 'warn', 'unknown', 'gated'];
const UNOBSERVED: readonly string[] = ['unknown', 'gated'];
const FAILED: readonly string[] = ['fail', 'warn'];

/** Returns what differs from the expectation, one sentence for each check; empty when all is as expected. */
export function compareVerdicts(expected: ExpectedReceiver, { checks }: CheckReport): string[] {
  const reported = new Map<string, string>(checks.map(({ id, verdict }) => [id, verdict]));
  for (const id of expected.fails) if (!reported.has(id)) reported.set(id, ABSENT);
  return [...reported].flatMap(([id, verdict]) => {
    const allowed = allowedVerdicts(expected, id);
    return allowed.includes(verdict) ? [] : [`${id} is ${verdict}; expected ${allowed.join(' or ')}.`];
  });
}

/** Returns what a reader sees about the failures: the report without the checks that passed or were not observed. */
export function explainFailures(report: CheckReport): string {
  const checks = report.checks.filter(({ verdict }) => FAILED.includes(verdict));
  return JSON.stringify({ ...report, checks }, null, 1);
}

function allowedVerdicts(expected: ExpectedReceiver, id: string): readonly string[] {
  if (expected.fails.includes(id)) return FAILED;
  const lists = [
    { patterns: expected.consequences, allowed: [...FAILED, ...UNOBSERVED] },
    { patterns: expected.mayBeUnobserved, allowed: ['pass', ...UNOBSERVED] },
    { patterns: inapplicableChecks(expected), allowed: ['pass', ...UNOBSERVED] },
    { patterns: expected.either, allowed: ANY },
  ];
  const matches = lists.flatMap(({ patterns = [], allowed }) =>
    patterns
      .filter((pattern) => matchesId(pattern, id))
      .map((pattern) => ({ length: pattern.length, allowed })),
  );
  const [closest] = matches.sort((one, other) => other.length - one.length);
  return closest?.allowed ?? ['pass'];
}

/** Returns the checks that need an option which is not used. */
function inapplicableChecks({ amount, withdrawals }: ExpectedReceiver): string[] {
  return ['dup.restart'].concat(
    amount === true ? [] : 'effect.amount',
    withdrawals === true ? [] : ['order.returned', 'order.returned-late'],
  );
}

function matchesId(pattern: string, id: string): boolean {
  return pattern === '*' || id.startsWith(pattern);
}
