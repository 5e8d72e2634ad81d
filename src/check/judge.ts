import { DAY_MS, formatIsoTime } from '../contract/time.js';
import { array } from '../schema/compound.js';
import { object } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import type { Refinement } from '../schema/values.js';
import { refine, text } from '../schema/values.js';
import { suggest } from '../text/closest.js';
import { resolveAllowedIds, CHECK_CATALOG, isEffectCheck } from './catalog.js';
import type {
  CheckEntry,
  CheckOptions,
  CheckItem,
  DeliveryExchange,
  CheckFinding,
  CheckReport,
  CheckSummary,
} from './check.js';
import { isAccepted, isTimeout } from './receiver-response.js';
import type { CheckLevel } from './public.js';

const LINKS: Readonly<Record<string, string>> = {
  'Standard Webhooks':
    'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  'RFC 9110 §9.3.1': 'https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1',
  'RFC 9112 §7.1': 'https://www.rfc-editor.org/rfc/rfc9112#section-7.1',
};

export function getContractLink(clause: string): string {
  return LINKS[clause] ?? `INTERFACE.md ${clause}`;
}

type Cause = Pick<CheckEntry, 'likely' | 'fix'>;

const CRASH: Cause = {
  likely: 'the verification throws, and nothing catches it',
  fix: 'respond 400 whenever the verification fails, including by an error',
};
const EVENTS = /^(?:accept|dup|new|order|mix)\./;
const CONTENTS = /^accept\.(?:types|extra-field|unknown-type|unknown-resource|document|large)$/;
const FIND_ERROR = "find the error in the application's log";
const REFUSES_OTHER = 'the handler refuses an event for an order in another state';
const ACCEPT_IT = 'accept it: respond 2xx, and';
const LEAVE_IT = `${ACCEPT_IT} leave the order as it is`;

/** Causes by check and kind of its last response other than 2xx; the first matching row wins. */
const CAUSES: readonly (readonly [checks: RegExp, kinds: RegExp, likely: string, fix: string])[] = [
  [
    EVENTS,
    /^timeout$/,
    'the work is done before the response, which comes too late',
    'store the event, respond, and work afterwards',
  ],
  [
    EVENTS,
    /^none$/,
    'the handler ends the connection or the process',
    `${FIND_ERROR}, and catch it in the handler`,
  ],
  [EVENTS, /^429$/, 'a rate limit refuses valid events', 'exempt the webhook route from the rate limit'],
  [
    CONTENTS,
    /^40[13]$/,
    'the verification refuses it: the signature is computed over other bytes than the received ones',
    'verify the whole raw body as it came, and parse afterwards',
  ],
  [
    /^dup\./,
    /^5/,
    'the handler crashes on a repeat, usually by a violated unique constraint',
    'catch the violated constraint, and respond 2xx to a repeat',
  ],
  [
    /^dup\./,
    /^4/,
    'a repeat is refused as a conflict or a replay',
    'respond 2xx to a repeat, and do not apply it again',
  ],
  [
    /^new\.same-charge$/,
    /^[45]/,
    `${REFUSES_OTHER}: a payment after the expiry`,
    `${ACCEPT_IT} mark the expired order as paid`,
  ],
  [
    /^order\.returned$/,
    /^[45]/,
    `${REFUSES_OTHER}: the return of a settled withdrawal`,
    `${ACCEPT_IT} mark the withdrawal as failed`,
  ],
  [
    /^order\.before-response$/,
    /^[45]/,
    'the handler refuses an event for a not yet known order',
    'store the order before the API request, or the event until the charge is known, and respond 2xx',
  ],
  [/^order\./, /^5/, 'the handler crashes on an event for an order in another state', LEAVE_IT],
  [/^order\./, /^4/, REFUSES_OTHER, LEAVE_IT],
  [
    /^mix\./,
    /^5/,
    'the handler crashes when events arrive concurrently',
    `${FIND_ERROR}, such as a deadlock or an exhausted pool`,
  ],
  [
    /^mix\./,
    /^4/,
    'the handler refuses valid events that arrive concurrently, as if requests shared a variable',
    'keep the body, the headers and everything else of a request in its handler',
  ],
];

/** The cause of a failure by what was observed; undefined where the catalog's likely one remains. */
export function findCause(
  { id }: Pick<CheckEntry, 'id'>,
  { outcome, likely, fix, hasCrashed = false }: CheckFinding,
  exchanges: readonly DeliveryExchange[],
): Cause | undefined {
  if (outcome !== 'fails') return undefined;
  if (likely !== undefined && fix !== undefined) return { likely, fix };
  if (hasCrashed) return CRASH;
  // A connection cut by the check itself is not a refusal.
  const response = exchanges
    .map(({ response }) => response)
    .findLast((response) => response.error !== 'CUT' && !isAccepted(response));
  if (response === undefined) return undefined;
  const kind = isTimeout(response) ? 'timeout' : String(response.status ?? 'none');
  const row = CAUSES.find(([checks, kinds]) => checks.test(id) && kinds.test(kind));
  return row && { likely: row[2], fix: row[3] };
}

/** Describes the conditions to pass a check; its effect only if observable. */
export function describeExpectation({ passes, effect }: CheckEntry, isObserved = true): string {
  return effect === undefined || !isObserved ? passes : `${passes}, and ${effect}`;
}

interface Context {
  readonly exchanges?: readonly DeliveryExchange[];
  readonly durationMs?: number;
  readonly isObserved?: boolean;
}

export function toCheckResult(
  entry: CheckEntry,
  finding: CheckFinding,
  { exchanges = [], durationMs = 0, isObserved = false }: Context = {},
): CheckItem {
  const { id, level, clause, sends } = entry;
  const { outcome, got = '', reason = null, gatedBy = null, isApplied } = finding;
  const isJudged = outcome === 'holds' || outcome === 'fails';
  const { likely, fix } = findCause(entry, finding, exchanges) ?? entry;
  const failure = level === 'must' ? 'fail' : 'warn';
  return {
    id,
    level,
    verdict: outcome === 'holds' ? 'pass' : outcome === 'fails' ? failure : outcome,
    applies: true,
    clause,
    link: getContractLink(clause),
    sent: finding.sent ?? (isJudged || exchanges.length > 0 ? sends : ''),
    got,
    expected: describeExpectation(entry, isObserved),
    likely,
    fix,
    reason,
    gatedBy,
    durationMs,
    exchanges,
    isApplied,
  };
}

export function isFailure({ verdict }: Pick<CheckItem, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

/** Orders the failures: an order never paid first, then each *must*, then each *should*. */
export function filterFailures<Row extends Pick<CheckItem, 'id' | 'verdict'>>(checks: readonly Row[]): Row[] {
  const rank = ({ id, verdict }: Row) => (id === 'effect.paid' ? 0 : verdict === 'fail' ? 1 : 2);
  return checks.filter(isFailure).toSorted((one, other) => rank(one) - rank(other));
}

export function isUnobserved({ applies, verdict }: Pick<CheckItem, 'applies' | 'verdict'>): boolean {
  return applies && (verdict === 'unknown' || verdict === 'gated');
}

export function summarize(results: readonly Pick<CheckItem, 'applies' | 'verdict'>[]): CheckSummary {
  const summary = { pass: 0, fail: 0, warn: 0, unknown: 0, gated: 0 };
  for (const { verdict } of results.filter(({ applies }) => applies)) summary[verdict] += 1;
  return summary;
}

const IGNORED = 'forgeries get a 2xx, although they are not applied';

/** Marks the failures that another one explains as `gated`; those in `crashed` failed by a crash. */
export function gateResults(
  results: readonly CheckItem[],
  crashed: ReadonlySet<string> = new Set(),
): CheckItem[] {
  const failed = new Map(results.filter(isFailure).map((result) => [result.id, result]));
  const isIgnored = (id: string) => failed.get(id)?.isApplied === false;
  return results.map((result) => {
    if (!isFailure(result)) return result;
    const isLate = result.exchanges.some(({ response }) => isTimeout(response));
    const { gates = {}, crashGates = {} } = CHECK_CATALOG.find(({ id }) => id === result.id) ?? {};
    const gate = Object.entries({
      ...(isLate && !result.id.startsWith('time.') ? { 'time.limit': 'a request timed out' } : {}),
      ...gates,
      ...(crashed.has(result.id) ? crashGates : {}),
      // A forgery without an effect explains no forgery with one.
    }).find(([id]) => failed.has(id) && !(isIgnored(id) && result.isApplied === true));
    if (gate === undefined) return result;
    const [id, why] = gate;
    const reason = `${id} failed: ${isIgnored(id) ? IGNORED : why}`;
    return { ...result, verdict: 'gated', reason, gatedBy: id };
  });
}

export interface ExitPolicy {
  /** A *should* counts like a *must*. */
  readonly isStrict: boolean;
  readonly requiresEffects: boolean;
  /** Checks in the baseline, whether failed or not observed. */
  readonly known: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
}

type PolicyOptions = Pick<CheckOptions, 'strict' | 'requireEffects' | 'allowUnobserved'>;

/** Resolves the exit policy of a run. Throws TypeError for ids outside the allowed ones. */
export function resolveExitPolicy(
  { strict = false, requireEffects = false, allowUnobserved = [] }: PolicyOptions,
  known: ReadonlySet<string> = new Set(),
): ExitPolicy {
  return {
    isStrict: strict,
    requiresEffects: requireEffects,
    known,
    allowed: resolveAllowedIds(allowUnobserved),
  };
}

/** Returns what makes a run fail. A gated check is covered by its gate, if that counts or is in the baseline. */
export function filterDecisive(checks: readonly CheckItem[], policy: ExitPolicy): CheckItem[] {
  const counts = ({ level }: { readonly level: CheckLevel }) => level === 'must' || policy.isStrict;
  const isCovered = (result: CheckItem) => {
    const cause = gateOf(result, checks);
    return cause !== undefined && isFailure(cause) && (counts(cause) || policy.known.has(cause.id));
  };
  return checks.filter((result) => {
    if (policy.known.has(result.id) || !counts(result)) return false;
    if (isFailure(result)) return true;
    return isUnobserved(result) && !policy.allowed.has(result.id) && !isCovered(result);
  });
}

function gateOf(result: CheckItem, checks: readonly CheckItem[]): CheckItem | undefined {
  const passed = new Set<string>();
  let cause: CheckItem | undefined = result;
  while (cause?.verdict === 'gated' && !passed.has(cause.id)) {
    passed.add(cause.id);
    const { gatedBy }: CheckItem = cause;
    cause = checks.find(({ id }) => id === gatedBy);
  }
  return cause;
}

export function meetsRequirement(
  { scope, checks }: Pick<CheckReport, 'scope' | 'checks'>,
  policy: ExitPolicy,
) {
  const hasEffects = scope === 'effects' && checks.some(({ id, applies }) => applies && isEffectCheck(id));
  return !policy.requiresEffects || hasEffects;
}

/** Returns whether a run succeeds; one without an applicable check does not. */
export function hasPassed(
  report: Pick<CheckReport, 'checks' | 'scope' | 'isResponding' | 'isBudgetSpent'>,
  policy: ExitPolicy,
): boolean {
  const { checks, isResponding, isBudgetSpent } = report;
  return (
    isResponding &&
    !isBudgetSpent &&
    checks.some(({ applies }) => applies) &&
    meetsRequirement(report, policy) &&
    filterDecisive(checks, policy).length === 0
  );
}

/** Returns how a report is shown: `pass` only where every chosen check was made and passed. */
export function getTone({ ok, checks }: Pick<CheckReport, 'ok' | 'checks'>): 'pass' | 'warn' | 'fail' {
  if (!ok) return 'fail';
  return checks.every(({ verdict }) => verdict === 'pass') ? 'pass' : 'warn';
}

const DAY = text('a date such as 2026-12-31', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);
const ID = refine(text('the id of a check'), (id): Refinement<string> => {
  const ids = CHECK_CATALOG.map((entry) => entry.id);
  return ids.includes(id) ? { value: id } : { problem: `There is no check ${id}.${suggest(id, ids)}` };
});

/** Known failures and unobserved checks: the reason for each, and its last day. */
export const BASELINE_SCHEMA = object('a baseline', {
  checks: array(object('an entry', { id: ID, reason: text('a reason', /\S/), expires: DAY })),
});
export type CheckBaseline = Infer<typeof BASELINE_SCHEMA>;

const LIFETIME_DAYS = 90;

/** A run against a baseline: the known checks, and the outdated entries, as sentences. */
export interface BaselineComparison {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
}

/** Returns the known checks of a run; an entry is stale after its day, and when its check passes. */
export function compareWithBaseline(
  { checks }: Pick<CheckReport, 'checks'>,
  baseline: CheckBaseline,
  nowMs: number,
): BaselineComparison {
  const today = formatIsoTime(nowMs).slice(0, 10);
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
export function createCheckBaseline({ checks }: Pick<CheckReport, 'checks'>, nowMs: number): CheckBaseline {
  const expires = formatIsoTime(nowMs + LIFETIME_DAYS * DAY_MS).slice(0, 10);
  const decisive = filterDecisive(checks, resolveExitPolicy({ strict: true }));
  return {
    checks: decisive.map((result) => {
      const { id, likely, reason } = result;
      const why = isFailure(result) ? `To fix: ${likely}.` : `Not observed: ${reason ?? ''}`;
      return { id, reason: why, expires };
    }),
  };
}
