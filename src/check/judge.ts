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
  likely: 'the verification throws an uncaught error',
  fix: 'respond 400 whenever the verification fails or throws',
};
const EVENTS = /^(?:accept|dup|new|order|mix)\./;
const CONTENTS = /^accept\.(?:types|extra-field|unknown-type|unknown-resource|document|large)$/;
const FIND_ERROR = "find the error in the application's log";
const REFUSES_OTHER = 'the handler rejects an event that does not match the order state';
const ACCEPT_IT = 'respond 2xx and';
const LEAVE_IT = `${ACCEPT_IT} leave the order unchanged`;

/** Causes by check and kind of the last non-2xx response. The first matching row applies. */
const CAUSES: readonly (readonly [checks: RegExp, kinds: RegExp, likely: string, fix: string])[] = [
  [
    EVENTS,
    /^timeout$/,
    'the handler processes the event before it responds, which takes too long',
    'store the event, respond, then process it',
  ],
  [
    EVENTS,
    /^none$/,
    'the handler closes the connection or ends the process',
    `${FIND_ERROR}, and catch it in the handler`,
  ],
  [EVENTS, /^429$/, 'a rate limit rejects valid events', 'exempt the webhook route from the rate limit'],
  [
    CONTENTS,
    /^40[13]$/,
    'the signature is verified over bytes other than the received ones',
    'verify the complete raw body, then parse it',
  ],
  [
    /^dup\./,
    /^5/,
    'the handler crashes on a duplicate, usually because of a unique constraint violation',
    'catch the constraint violation and respond 2xx to duplicates',
  ],
  [
    /^dup\./,
    /^4/,
    'a duplicate is rejected as a conflict or a replay',
    'respond 2xx to duplicates, but do not apply them again',
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
    'the handler rejects an event for an unknown order',
    'store the order before the API request, or the event until the charge is known, and respond 2xx',
  ],
  [/^order\./, /^5/, 'the handler crashes on an event that does not match the order state', LEAVE_IT],
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
    'the handler rejects valid concurrent events, as if requests shared a variable',
    'keep the body, headers and all other request state inside the handler',
  ],
];

/** Returns the observed cause of a failure, or undefined if the catalog's likely cause applies. */
export function findCause(
  { id }: Pick<CheckEntry, 'id'>,
  { outcome, likely, fix, hasCrashed = false }: CheckFinding,
  exchanges: readonly DeliveryExchange[],
): Cause | undefined {
  if (outcome !== 'fails') return undefined;
  if (likely !== undefined && fix !== undefined) return { likely, fix };
  if (hasCrashed) return CRASH;
  // A connection cut by the check itself is not a rejection.
  const response = exchanges
    .map(({ response }) => response)
    .findLast((response) => response.error !== 'CUT' && !isAccepted(response));
  if (response === undefined) return undefined;
  const kind = isTimeout(response) ? 'timeout' : String(response.status ?? 'none');
  const row = CAUSES.find(([checks, kinds]) => checks.test(id) && kinds.test(kind));
  return row && { likely: row[2], fix: row[3] };
}

/** Describes a check's pass conditions, including the effect if observable. */
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

/** Returns the failures: `effect.paid` first, then *must* checks, then *should* checks. */
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

const IGNORED = 'forged events get a 2xx, although they are not applied';

/** Marks failures explained by another failure as `gated`. `crashed` lists checks with a crashed receiver. */
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
      // An ignored forged event does not explain an applied one.
    }).find(([id]) => failed.has(id) && !(isIgnored(id) && result.isApplied === true));
    if (gate === undefined) return result;
    const [id, why] = gate;
    const reason = `${id} failed: ${isIgnored(id) ? IGNORED : why}`;
    return { ...result, verdict: 'gated', reason, gatedBy: id };
  });
}

export interface ExitPolicy {
  /** Treats every *should* check as a *must* check. */
  readonly isStrict: boolean;
  readonly requiresEffects: boolean;
  /** Failed or unobserved checks listed in the baseline. */
  readonly known: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
}

type PolicyOptions = Pick<CheckOptions, 'strict' | 'requireEffects' | 'allowUnobserved'>;

/** Resolves the exit policy of a run. Throws TypeError for invalid names in `allowUnobserved`. */
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

/** Returns the checks that make a run fail, except gated ones whose gating failure counts or is known. */
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

/** Returns true if a run succeeded. A run without applicable checks fails. */
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

/** Returns a report's tone: `pass` only if every selected check ran and passed. */
export function getTone({ ok, checks }: Pick<CheckReport, 'ok' | 'checks'>): 'pass' | 'warn' | 'fail' {
  if (!ok) return 'fail';
  return checks.every(({ verdict }) => verdict === 'pass') ? 'pass' : 'warn';
}

const DAY = text('a date such as 2026-12-31', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);

/** Creates the schema of a baseline with these ids. Each entry has a reason and an expiry date. */
export function createBaselineSchema(noun: string, ids: readonly string[]) {
  const id = refine(text(`a ${noun} id`), (value): Refinement<string> => {
    return ids.includes(value) ? { value } : { problem: `Unknown ${noun} ${value}.${suggest(value, ids)}` };
  });
  return object('a baseline', {
    checks: array(object('an entry', { id, reason: text('a reason', /\S/), expires: DAY })),
  });
}

/** Known failures and unobserved checks. */
export const BASELINE_SCHEMA = createBaselineSchema(
  'check',
  CHECK_CATALOG.map(({ id }) => id),
);
export type CheckBaseline = Infer<typeof BASELINE_SCHEMA>;

const LIFETIME_DAYS = 90;

/** Result of comparing a run with a baseline. `stale` contains messages about outdated entries. */
export interface BaselineComparison {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
}

/** Returns known checks, and messages about expired entries and entries for passing checks. */
export function compareWithBaseline(
  { checks }: { readonly checks: readonly { readonly id: string; readonly verdict: string }[] },
  baseline: CheckBaseline,
  nowMs: number,
): BaselineComparison {
  const today = formatIsoTime(nowMs).slice(0, 10);
  const known = new Set<string>();
  const stale: string[] = [];
  for (const { id, expires } of baseline.checks) {
    const result = checks.find((check) => check.id === id);
    if (expires < today) stale.push(`The baseline entry for ${id} expired on ${expires}.`);
    else if (result?.verdict === 'pass') stale.push(`${id} passes; remove its baseline entry.`);
    else known.add(id);
  }
  return { known, stale };
}

/** Creates a baseline of all failed or unobserved checks, except gated ones. */
export function createCheckBaseline({ checks }: Pick<CheckReport, 'checks'>, nowMs: number): CheckBaseline {
  const decisive = filterDecisive(checks, resolveExitPolicy({ strict: true }));
  const entries = decisive.map((result) => {
    const { id, likely, reason } = result;
    return { id, reason: isFailure(result) ? `Likely cause: ${likely}.` : `Not observed: ${reason ?? ''}` };
  });
  return createBaseline(entries, nowMs);
}

/** Creates a baseline whose entries expire in 90 days. */
export function createBaseline(
  entries: readonly (Omit<CheckBaseline['checks'][number], 'expires'> & { readonly expires?: string })[],
  nowMs: number,
): CheckBaseline {
  const expires = formatIsoTime(nowMs + LIFETIME_DAYS * DAY_MS).slice(0, 10);
  return { checks: entries.map((entry) => ({ ...entry, expires: entry.expires ?? expires })) };
}
