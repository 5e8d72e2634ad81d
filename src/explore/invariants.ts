import { diffStates, formatDeviations, parseProbeState } from '../check/probe.js';
import type { RunFailure, Observation, ObservedPayment, RunResult } from './explore.js';
import { BUG_HINT } from '../text/bug-report.js';
import { SUGGESTED_FIXES } from './explorations.js';
import { EXPLORED_KINDS } from './kinds.js';
import { groupBy } from '../text/group-by.js';

export interface RunBaseline {
  readonly runs: readonly Observation[];
  /** Set if all runs used the same codes. Otherwise, payments are identified by rank. */
  readonly hasStableCodes: boolean;
}

export function createRunBaseline(runs: readonly Observation[]): RunBaseline {
  const codes = runs.map(({ payments }) => JSON.stringify(payments.map(({ type, code }) => [type, code])));
  return { runs, hasStableCodes: new Set(codes).size === 1 };
}

interface Invariant {
  /** Suggested fix. If null, the fixes for the faults apply. */
  readonly fix: string | null;
  /** Ignores violations that also occur without faults. */
  readonly countsNew?: boolean;
  /** Returns a message about the first violating payment. */
  readonly check?: (observed: Observation, baseline: RunBaseline) => string | undefined;
}

/** Rules that hold under every fault. */
const INVARIANTS = {
  'no unverified acceptance': {
    fix: 'Verify the signature of every webhook, and respond 400 if it is invalid.',
  },
  'a valid signature is accepted': { fix: SUGGESTED_FIXES.rawBytes },
  'unknown types are acknowledged': { fix: SUGGESTED_FIXES.acknowledge },
  'one charge for one intent': {
    fix: 'Generate the code once, store it with the order, and send the same code in every retry.',
    check: chargedTwice,
  },
  'a lost response is requested again': { fix: SUGGESTED_FIXES.sameCode },
  'the ledger is consistent': {
    fix: `The sandbox maintains the ledger, so this is a bug in the sandbox. ${BUG_HINT}`,
    countsNew: true,
  },
  'every delivery arrives': {
    fix: 'Respond 2xx within 10 s to every webhook, including duplicates.',
    countsNew: true,
  },
  'settled payments are known to the application': { fix: null, check: findProbeMismatch },
} as const satisfies Readonly<Record<string, Invariant>>;

export type InvariantName = keyof typeof INVARIANTS;

/** Added to the fixes for the faults if a run hangs. */
const LIMIT_WAITS = 'Add a timeout to every request and every wait, so that failures have a message.';
const FALLBACK = 'Handle the fault as the contract describes (§6).';

export function suggestFix({ category, name }: RunFailure, kinds: readonly string[]): string {
  const fix = category === 'invariant' ? invariantOf(name)?.fix : undefined;
  const ofKinds = new Set(
    kinds.flatMap((kind) => EXPLORED_KINDS.find((one) => one.name === kind)?.fix ?? []),
  );
  const fixes = ofKinds.size === 0 ? [FALLBACK] : [...ofKinds];
  return fix ?? [...fixes, ...(name === 'no hang' ? [LIMIT_WAITS] : [])].join(' ');
}

interface Judging {
  readonly onlyInvariants: boolean;
  readonly comparesProbe: boolean;
}

/** Returns a run's failure: a test failure (unless only invariants count) or a violated invariant. */
export function judgeRun(
  { failure, observed }: Pick<RunResult, 'failure' | 'observed'>,
  baseline: RunBaseline,
  { onlyInvariants, comparesProbe }: Judging,
): RunFailure | null {
  if (failure !== null && (failure.category === 'invariant' || !onlyInvariants)) return failure;
  for (const name of Object.keys(INVARIANTS)) {
    const { check, countsNew = false } = invariantOf(name) ?? {};
    if (check === findProbeMismatch && !comparesProbe) continue;
    const known = new Set(countsNew ? baseline.runs.flatMap((run) => run.violations[name] ?? []) : []);
    const listed = observed.violations[name]?.find((line) => !known.has(line));
    const message = check === undefined ? listed : check(observed, baseline);
    if (message !== undefined) return { category: 'invariant', name, message };
  }
  return null;
}

function invariantOf(name: string): Invariant | undefined {
  const invariants: Readonly<Record<string, Invariant>> = INVARIANTS;
  return invariants[name];
}

function createdCharges({ payments }: Observation): readonly ObservedPayment[] {
  return payments.filter(({ type, isCalled }) => type === 'charge' && isCalled);
}

const REPEAT_CODE = 'Retry requests with the same code (§4.1).';

/** Finds an intent with more charges than in fault-free runs, or a charge with an unknown code. */
function chargedTwice(observed: Observation, { runs, hasStableCodes }: RunBaseline): string | undefined {
  const usual = runs.map((run) => groupBy(createdCharges(run), ({ intent }) => intent));
  const codes = new Set(runs.flatMap((run) => createdCharges(run).map(({ code }) => code)));
  for (const [intent, charges] of groupBy(createdCharges(observed), (charge) => charge.intent)) {
    const max = Math.max(...usual.map((groups) => groups.get(intent)?.length ?? 0));
    // A new intent means that the tests took another path.
    if (max === 0) continue;
    const named = charges.map(({ code }) => code).join(', ');
    if (charges.length > max)
      return `Created ${charges.length} charges, but only ${max} without faults: ${named}. ${REPEAT_CODE}`;
    const strange = hasStableCodes ? charges.find(({ code }) => !codes.has(code)) : undefined;
    if (strange !== undefined)
      return `A request was retried with a different code: ${strange.code}. ${REPEAT_CODE}`;
  }
  return undefined;
}

const idOf = ({ type, code, rank }: ObservedPayment, hasStableCodes: boolean): string =>
  hasStableCodes ? `${type} ${code}` : `${type} ${rank}`;

/** Finds a payment whose status matches the fault-free run but whose probed state differs. */
function findProbeMismatch(
  { payments }: Observation,
  { runs, hasStableCodes }: RunBaseline,
): string | undefined {
  const usual = runs.map((run) => new Map(run.payments.map((one) => [idOf(one, hasStableCodes), one])));
  for (const payment of payments) {
    if (payment.probed === null) continue;
    const same = usual.flatMap((run) => run.get(idOf(payment, hasStableCodes)) ?? []);
    const [first, ...others] = same.filter(
      ({ status, probed }) => status === payment.status && probed !== null,
    );
    if (first === undefined || others.length + 1 < runs.length) continue;
    const right = probedState(first);
    const masked = new Set(
      others.flatMap((one) => diffStates(right, probedState(one)).map(({ place }) => place)),
    );
    const differences = diffStates(right, probedState(payment), masked);
    if (differences.length === 0) continue;
    return (
      `${payment.type} ${payment.code} is ${payment.status}, but the probe output differs from a run ` +
      `without faults: ${formatDeviations(differences)}.`
    );
  }
  return undefined;
}

function probedState({ probed, code, id }: ObservedPayment) {
  return parseProbeState(probed ?? '', { code, id }, Date.now());
}
