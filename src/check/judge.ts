import { DAY_MS, isoTime } from '../contract/time.js';
import { list } from '../schema/compound.js';
import { object } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import type { Found } from '../schema/values.js';
import { refine, text } from '../schema/values.js';
import { didYouMean } from '../text/closest.js';
import { allowedIds, isEffect } from './applicability.js';
import { CATALOGUE } from './catalogue/catalogue.js';
import type {
  Answer,
  CheckEntry,
  CheckOptions,
  CheckResult,
  Exchange,
  Level,
  Report,
  Summary,
  Verdict,
} from './check.js';
import { isTimeout } from './response.js';

/** What a plan found. */
export interface Finding {
  readonly outcome: 'holds' | 'fails' | 'unknown' | 'gated';
  readonly sent: string;
  readonly got: string;
  readonly reason?: string | undefined;
  /** The failed check that gates it. */
  readonly gatedBy?: string | undefined;
  /** Its cause and fix, where they were found out; by default the catalogue's. */
  readonly likely?: string | undefined;
  readonly fix?: string | undefined;
  /** Whether a forgery changed the order; undefined without a probe that shows it. */
  readonly isApplied?: boolean | undefined;
  /** It failed by a crash, which has another cause than the catalogue's likely one. */
  readonly hasCrashed?: boolean | undefined;
}

const CONTRACT = 'INTERFACE.md';
const LINKS: Readonly<Record<string, string>> = {
  'Standard Webhooks':
    'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  'RFC 9110 §9.3.1': 'https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1',
  'RFC 9112 §7.1': 'https://www.rfc-editor.org/rfc/rfc9112#section-7.1',
};

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
  const { sent, got, reason = null, gatedBy = null, isApplied } = finding;
  const { likely, fix } = causeOf(entry, finding, exchanges) ?? entry;
  const verdict = verdictOf(entry, finding);
  const texts = { sent, got, expected: passes, likely, fix, reason };
  const link = linkOf(clause);
  const facts = { gatedBy, durationMs, exchanges, isApplied };
  return { id, level, verdict, applies: true, clause, link, ...texts, ...facts };
}

export function isFailure({ verdict }: Pick<CheckResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

/** Returns the failures: an order that is never paid first, then each *must*, then each *should*. */
export function failuresIn<Result extends Pick<CheckResult, 'id' | 'verdict'>>(
  checks: readonly Result[],
): Result[] {
  const rank = ({ id, verdict }: Result) => (id === 'effect.paid' ? 0 : verdict === 'fail' ? 1 : 2);
  return checks.filter(isFailure).toSorted((one, other) => rank(one) - rank(other));
}

/** Returns whether an applicable check ended without an observation. */
export function isUnobserved({ applies, verdict }: Pick<CheckResult, 'applies' | 'verdict'>): boolean {
  return applies && (verdict === 'unknown' || verdict === 'gated');
}

/** Counts the verdicts of the applicable checks. */
export function summaryOf(results: readonly Pick<CheckResult, 'applies' | 'verdict'>[]): Summary {
  const summary = { pass: 0, fail: 0, warn: 0, unknown: 0, gated: 0 };
  for (const { verdict } of results.filter(({ applies }) => applies)) summary[verdict] += 1;
  return summary;
}

/** Decides which results make a run fail. */
export interface ExitPolicy {
  /** A *should* counts like a *must*. */
  readonly isStrict: boolean;
  readonly requiresEffects: boolean;
  /** Checks in the baseline, whether failed or not observed. */
  readonly known: ReadonlySet<string>;
  /** Checks that need not be observed. */
  readonly allowed: ReadonlySet<string>;
}

type PolicyOptions = Pick<CheckOptions, 'strict' | 'requireEffects' | 'allowUnobserved'>;

/** Reads the policy of a run. Throws TypeError for ids that may not be allowed. */
export function policyOf(
  { strict = false, requireEffects = false, allowUnobserved = [] }: PolicyOptions,
  known: ReadonlySet<string> = new Set(),
): ExitPolicy {
  return { isStrict: strict, requiresEffects: requireEffects, known, allowed: allowedIds(allowUnobserved) };
}

/**
 * Returns the results that make a run fail: what failed or was not observed, unless the policy excuses it. A gated check is
 * covered by the failure that gates it, if that counts or is in the baseline.
 */
export function decisiveIn(checks: readonly CheckResult[], policy: ExitPolicy): CheckResult[] {
  const counts = ({ level }: { readonly level: Level }) => level === 'must' || policy.isStrict;
  const isCovered = (result: CheckResult) => {
    const cause = gateOf(result, checks);
    return cause !== undefined && isFailure(cause) && (counts(cause) || policy.known.has(cause.id));
  };
  return checks.filter((result) => {
    if (policy.known.has(result.id) || !counts(result)) return false;
    if (isFailure(result)) return true;
    return isUnobserved(result) && !policy.allowed.has(result.id) && !isCovered(result);
  });
}

/** Follows a gated check to the failure that gates it. */
function gateOf(result: CheckResult, checks: readonly CheckResult[]): CheckResult | undefined {
  const passed = new Set<string>();
  let cause: CheckResult | undefined = result;
  while (cause?.verdict === 'gated' && !passed.has(cause.id)) {
    passed.add(cause.id);
    const { gatedBy }: CheckResult = cause;
    cause = checks.find(({ id }) => id === gatedBy);
  }
  return cause;
}

/** Returns whether effects were checked as far as the policy requires them. */
export function meetsRequirement({ scope, checks }: Pick<Report, 'scope' | 'checks'>, policy: ExitPolicy) {
  return (
    !policy.requiresEffects ||
    (scope === 'effects' && checks.some(({ id, applies }) => applies && isEffect(id)))
  );
}

/** Returns whether every applicable *must* was observed. */
export function isComplete(checks: readonly CheckResult[]): boolean {
  return !checks.some((result) => result.level === 'must' && isUnobserved(result));
}

/** Returns whether a run succeeds; one without an applicable check does not. */
export function isOk(
  report: Pick<Report, 'checks' | 'scope' | 'isAnswering' | 'isBudgetSpent'>,
  policy: ExitPolicy,
): boolean {
  const { checks, isAnswering, isBudgetSpent } = report;
  return (
    isAnswering &&
    !isBudgetSpent &&
    checks.some(({ applies }) => applies) &&
    meetsRequirement(report, policy) &&
    decisiveIn(checks, policy).length === 0
  );
}

/** Returns how a report is shown: `pass` only where every chosen check was made and passed. */
export function toneOf({ ok, checks }: Pick<Report, 'ok' | 'checks'>): 'pass' | 'warn' | 'fail' {
  if (!ok) return 'fail';
  return checks.every(({ verdict }) => verdict === 'pass') ? 'pass' : 'warn';
}

/** The likely bug behind a failure, and its fix. */
interface Cause {
  readonly likely: string;
  readonly fix: string;
}

interface Row extends Cause {
  /** Ids of checks, or their groups. */
  readonly checks: readonly string[];
  readonly matches: (response: Answer) => boolean;
}

const CRASH: Cause = {
  likely: 'the verification throws, and nothing catches it',
  fix: 'respond 400 whenever the verification fails, including by an error',
};

const EFFECTS = ['dup', 'new', 'order', 'mix'];
const STATES = ['new', 'order'];
const CONTENTS = [
  'accept.types',
  'accept.extra-field',
  'accept.unknown-type',
  'accept.unknown-resource',
  'accept.document',
  'accept.large',
];

/** Causes by the last response that was not 2xx; the first row that matches. */
const ROWS: readonly Row[] = [
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status, error }) => status === null && error?.startsWith('TIMEOUT') === true,
    likely: 'the work is done before the response, which comes too late',
    fix: 'store the event, respond, and work afterwards',
  },
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status }) => status === null,
    likely: 'the handler ends the connection or the process',
    fix: "find the error in the application's log, and catch it in the handler",
  },
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status }) => status === 429,
    likely: 'a rate limit refuses valid events',
    fix: 'exempt the webhook route from the rate limit',
  },
  {
    checks: CONTENTS,
    matches: ({ status }) => status === 401 || status === 403,
    likely: 'the verification refuses it: the signature is computed over other bytes than the received ones',
    fix: 'verify the whole raw body as it came, and parse afterwards',
  },
  {
    checks: ['dup'],
    matches: isServerError,
    likely: 'the handler crashes on a repeat, usually by a violated unique constraint',
    fix: 'catch the violated constraint, and respond 2xx to a repeat',
  },
  {
    checks: ['dup'],
    matches: isClientError,
    likely: 'a repeat is refused as a conflict or a replay',
    fix: 'respond 2xx to a repeat, and do not apply it again',
  },
  {
    checks: ['new.same-charge'],
    matches: isError,
    likely: 'the handler refuses an event for an order in another state: a payment after the expiry',
    fix: 'accept it: respond 2xx, and mark the expired order as paid',
  },
  {
    checks: ['order.returned'],
    matches: isError,
    likely: 'the handler refuses an event for an order in another state: the return of a settled withdrawal',
    fix: 'accept it: respond 2xx, and mark the withdrawal as failed',
  },
  {
    checks: ['order.before-response'],
    matches: isError,
    likely: 'the handler refuses an event for an order that it does not know yet',
    fix: 'store the order before the API request, or the event until the charge is known, and respond 2xx',
  },
  {
    checks: STATES,
    matches: isServerError,
    likely: 'the handler crashes on an event for an order in another state',
    fix: 'accept it: respond 2xx, and leave the order as it is',
  },
  {
    checks: STATES,
    matches: isClientError,
    likely: 'the handler refuses an event for an order in another state',
    fix: 'accept it: respond 2xx, and leave the order as it is',
  },
  {
    checks: ['mix'],
    matches: isServerError,
    likely: 'the handler crashes when events arrive concurrently',
    fix: "find the error in the application's log, such as a deadlock or an exhausted pool",
  },
  {
    checks: ['mix'],
    matches: isClientError,
    likely: 'the handler refuses valid events that arrive concurrently, as if requests shared a variable',
    fix: 'keep the body, the headers and everything else of a request in its handler',
  },
];

/** The cause of a failure by what was observed; undefined where the catalogue's likely one remains. */
export function causeOf(
  { id }: Pick<CheckEntry, 'id'>,
  { outcome, likely, fix, hasCrashed = false }: Finding,
  exchanges: readonly Exchange[],
): Cause | undefined {
  if (outcome !== 'fails') return undefined;
  if (likely !== undefined && fix !== undefined) return { likely, fix };
  if (hasCrashed) return CRASH;
  const response = exchanges.map(({ answer }) => answer).findLast(isRefusal);
  if (response === undefined) return undefined;
  const row = ROWS.find(({ checks, matches }) => checks.some((name) => names(name, id)) && matches(response));
  return row && { likely: row.likely, fix: row.fix };
}

function names(name: string, id: string): boolean {
  return name === id || id.startsWith(`${name}.`);
}

/** A connection that the check itself cut is no refusal. */
function isRefusal({ status, error }: Answer): boolean {
  return status === null ? error !== 'CUT' : status < 200 || status >= 300;
}

function isServerError({ status }: Answer): boolean {
  return status !== null && status >= 500;
}

function isClientError({ status }: Answer): boolean {
  return status !== null && status >= 400 && status < 500;
}

function isError(response: Answer): boolean {
  return isServerError(response) || isClientError(response);
}

const TIME_LIMIT = 'time.limit';
const IGNORED = 'forgeries get a 2xx, although they are not applied';

function isIgnored(result: CheckResult | undefined): boolean {
  return result?.isApplied === false;
}

/** Returns the results, with failures that another failure explains as `gated`; those in `crashed` failed by a crash. */
export function gated(
  results: readonly CheckResult[],
  entries: readonly CheckEntry[],
  crashed: ReadonlySet<string> = new Set(),
): CheckResult[] {
  const failed = new Map(results.filter(isFailure).map((result) => [result.id, result]));
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]));
  return results.map((result) => {
    if (!isFailure(result)) return result;
    const isLate = result.exchanges.some(({ answer }) => isTimeout(answer));
    const lateGates = isLate && !result.id.startsWith('time.') ? { [TIME_LIMIT]: 'a request timed out' } : {};
    const { gates = {}, crashGates = {} } = entryOf.get(result.id) ?? {};
    const all = Object.entries({ ...lateGates, ...gates, ...(crashed.has(result.id) ? crashGates : {}) });
    // A forgery without an effect explains no forgery with one.
    const gate = all.find(
      ([id]) => failed.has(id) && !(isIgnored(failed.get(id)) && result.isApplied === true),
    );
    if (gate === undefined) return result;
    const [id, why] = gate;
    const reason = `${id} failed: ${isIgnored(failed.get(id)) ? IGNORED : why}`;
    return { ...result, verdict: 'gated', reason, gatedBy: id };
  });
}

const DAY = text('a date such as 2026-12-31', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);
const ID = refine(text('the id of a check'), (id): Found<string> => {
  const ids = CATALOGUE.map((entry) => entry.id);
  return ids.includes(id) ? { value: id } : { problem: `There is no check ${id}.${didYouMean(id, ids)}` };
});
const REASON = text('a reason', /\S/);

/** Known failures and unobserved checks: the reason for each, and its last day. */
export const BASELINE = object('a baseline', {
  checks: list(
    object('an entry', {
      id: ID,
      reason: REASON,
      expires: DAY,
    }),
  ),
});
export type Baseline = Infer<typeof BASELINE>;

const LIFETIME_DAYS = 90;

/** A run against a baseline: the known checks, and the outdated entries, as sentences. */
export interface Compared {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
}

/** Returns the known checks of a run; an entry is stale after its day, and when its check passes. */
export function compared({ checks }: Pick<Report, 'checks'>, baseline: Baseline, nowMs: number): Compared {
  const today = isoTime(nowMs).slice(0, 10);
  const known = new Set<string>();
  const stale: string[] = [];
  for (const { id, expires } of baseline.checks) {
    const result = checks.find((check) => check.id === id);
    if (expires < today) stale.push(`The entry of ${id} expired on ${expires}.`);
    else if (result?.verdict === 'pass') stale.push(`${id} passes; take its entry out.`);
    else known.add(id);
  }
  return { known, stale };
}

/** Returns a baseline of all that fails or is not observed now, except for what another failure gates. */
export function baselineOf({ checks }: Pick<Report, 'checks'>, nowMs: number): Baseline {
  const expires = isoTime(nowMs + LIFETIME_DAYS * DAY_MS).slice(0, 10);
  const decisive = decisiveIn(checks, policyOf({ strict: true }));
  return {
    checks: decisive.map((result) => {
      const { id, likely, reason } = result;
      const why = isFailure(result) ? `To fix: ${likely}.` : `Not observed: ${reason ?? ''}`;
      return { id, reason: why, expires };
    }),
  };
}
