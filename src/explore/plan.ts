import { createHash } from 'node:crypto';
import { CALL_ROUTES } from '../contract/fault-kinds.js';
import { isSettled } from '../contract/transitions.js';
import { matchesGlob } from '../text/globs.js';
import { groupBy } from '../text/group-by.js';
import type {
  CallPoint,
  DeliveryPoint,
  ExploreOptions,
  PlannedFault,
  PlannedRun,
  FaultPoint,
  RunResult,
} from './explore.js';
import { FAULTS } from '../contract/fault-kinds.js';
import {
  createFaultFields,
  type RunFacts,
  toGlob,
  getPointKey,
  type ExploredFault,
  EXPLORED_FAULTS,
  EXPLORED_INCIDENTS,
  collectTraits,
} from './kinds.js';

/** An observed API request. `target` contains the path and query. */
export interface SeenCall {
  readonly api: string;
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly subject: RequestSubject | null;
}

/** A request's charge, withdrawal or session, with its code and creation order from 1. */
export interface RequestSubject {
  readonly code: string | null;
  readonly rank: number;
}

export interface SeenDelivery {
  readonly event: string;
  readonly subject: RequestSubject;
  readonly endpoint: string | null;
  readonly attempts: number;
}

const ERROR_STATUS = 400;

function isOfRoute(route: string, path: string): boolean {
  const own = route.split('/');
  const parts = path.split('/');
  return own.length === parts.length && own.every((part, at) => part.startsWith(':') || part === parts[at]);
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? '';
}

function counter(): (...name: readonly unknown[]) => number {
  const counts = new Map<string, number>();
  return (...name) => {
    const key = JSON.stringify(name);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}

/** Lists requests to known routes with their points, including rejected requests. */
function placed(calls: readonly SeenCall[]): { readonly call: SeenCall; readonly point: CallPoint }[] {
  const next = counter();
  return calls.flatMap((call) => {
    const { api, method, target, subject } = call;
    const path = pathOf(target);
    const routes: readonly string[] = CALL_ROUTES[api as keyof typeof CALL_ROUTES] ?? [];
    // Faults match only paths, so one route's count can include requests to another route.
    const counted = routes
      .filter((route) => route.startsWith(`${method} `))
      .map((route) => route.slice(method.length + 1))
      .filter((route) => matchesGlob(toGlob(route), path))
      .map((route) => ({ route, nth: next(api, method, route, subject) }));
    const own = counted.find(({ route }) => isOfRoute(route, path));
    if (own === undefined) return [];
    const { code = null, rank: resource = null } = subject ?? {};
    return [{ call, point: { on: 'call', api, method, route: own.route, code, resource, nth: own.nth } }];
  });
}

/** Returns the points of successful API requests, in order. */
export function listCallPoints(calls: readonly SeenCall[]): CallPoint[] {
  return placed(calls)
    .filter(({ call }) => call.status < ERROR_STATUS)
    .map(({ point }) => point);
}

/** Returns the points of list requests that were followed by a request for the next page. */
export function listPagedPoints(calls: readonly SeenCall[]): CallPoint[] {
  const all = placed(calls);
  return all.flatMap(({ call, point }, at) => {
    const next = all.slice(at + 1).find((one) => pathOf(one.call.target) === pathOf(call.target));
    const isNext = next !== undefined && new URLSearchParams(next.call.target.split('?')[1]).has('after');
    return isNext && call.method === 'GET' && call.status < ERROR_STATUS ? [point] : [];
  });
}

/** Returns the points of all attempts in delivery order. */
export function listDeliveryPoints(deliveries: readonly SeenDelivery[]): DeliveryPoint[] {
  const next = counter();
  return deliveries.flatMap(({ event, subject, endpoint, attempts }) =>
    Array.from({ length: attempts }, (_, index): DeliveryPoint => {
      const attempt = index + 1;
      const nth = next(event, subject, endpoint, attempt);
      const { code, rank: resource } = subject;
      return { on: 'delivery', event, code, resource, endpoint, attempt, nth };
    }),
  );
}

interface Stable<Kind extends FaultPoint> {
  /** Points, identified by code if all runs share the code, otherwise by rank. */
  readonly points: readonly Kind[];
  readonly unstable: readonly Kind[];
}

const byCode = <Kind extends FaultPoint>(point: Kind): Kind => ({ ...point, resource: null });
const byRank = <Kind extends FaultPoint>(point: Kind): Kind => ({ ...point, code: null });

/** Returns the points common to all runs, in the order of the first run. */
export function findStablePoints<Kind extends FaultPoint>(runs: readonly (readonly Kind[])[]): Stable<Kind> {
  const keys = (form: (point: Kind) => Kind) =>
    runs.map((run) => new Set(run.map((point) => getPointKey(form(point)))));
  const [codes, ranks] = [keys(byCode), keys(byRank)];
  const inAll = (sets: readonly Set<string>[], point: Kind) =>
    sets.every((set) => set.has(getPointKey(point)));
  const named = (point: Kind): Kind | undefined => {
    // An asterisk in a code would also match other codes.
    const isCode = point.code !== null && !point.code.includes('*');
    if (isCode && inAll(codes, byCode(point))) return byCode(point);
    return inAll(ranks, byRank(point)) ? byRank(point) : undefined;
  };
  const [first = []] = runs;
  const unstable = new Map<string, Kind>();
  for (const point of runs.flat())
    if (named(point) === undefined) unstable.set(getPointKey(byRank(point)), byRank(point));
  return { points: first.flatMap((point) => named(point) ?? []), unstable: [...unstable.values()] };
}

/** Returns the facts common to all fault-free runs, and the points that vary. */
export function extractFacts(runs: readonly RunResult[]): {
  readonly facts: RunFacts;
  readonly unstable: readonly FaultPoint[];
} {
  const { points, unstable } = findStablePoints(runs.map((run) => run.points));
  const paged = findStablePoints(runs.map(({ observed }) => observed.paged));
  const settled = runs.map(settledIn);
  const [first = []] = settled;
  const facts: RunFacts = {
    points,
    settled: new Set(first.filter((name) => settled.every((names) => names.includes(name)))),
    hasLateWindow: runs.every(({ observed }) => observed.hasLateWindow),
    paged: new Set(paged.points.map(getPointKey)),
  };
  return { facts, unstable };
}

/** Returns codes and ranks of settled charges without expiry or failure events. */
function settledIn({ observed, points }: RunResult): (string | number)[] {
  const others = points.filter(
    (point) => point.on === 'delivery' && /^pix\.(?:expired|failed)$/.test(point.event),
  );
  const ranks = new Set(others.map(({ resource }) => resource));
  return observed.payments
    .filter(
      ({ type, status, rank, isCalled }) =>
        type === 'charge' && isSettled(status) && isCalled && !ranks.has(rank),
    )
    .flatMap(({ code, rank }) => [code, rank]);
}

interface PlacedFault {
  readonly kind: ExploredFault;
  readonly point: FaultPoint;
}

/** Plans every kind of fault at every suitable point, most destructive first, and then every incident. */
export function planSingles(facts: RunFacts, classes: ExploreOptions['faults']): PlannedRun[] {
  const incidents = classes === 'all' ? EXPLORED_INCIDENTS.filter(({ fits }) => fits(facts)) : [];
  return [
    ...shotsOf(facts, classes).map((shot) => planned([shot])),
    ...incidents.map(({ faults }) => planRun(faults)),
  ];
}

type Relation = 'same point' | 'other point' | 'next attempt';

/** Two faults on one resource. Lower ranks are more promising. */
export interface PlannedPair extends PlannedRun {
  readonly relation: Relation;
  readonly rank: number;
}

/** Plans all pairs of faults on one resource, in no particular order. */
export function planPairs(facts: RunFacts, classes: ExploreOptions['faults']): PlannedPair[] {
  const singles = shotsOf(facts, classes);
  const bySubject = groupBy(singles, ({ point }) => subjectOf(point));
  bySubject.delete(undefined);
  const together = [...bySubject.values()].flatMap((shots) =>
    shots.flatMap((one, index) =>
      shots.slice(index + 1).flatMap((other) => (goTogether(one, other) ? [paired(one, other)] : [])),
    ),
  );
  const known = new Set(facts.points.map(getPointKey));
  const followed = singles.flatMap((shot) => {
    const point = nextAttempt(shot);
    if (point === undefined || known.has(getPointKey(point))) return [];
    const kinds = EXPLORED_FAULTS.filter((kind) => isOf(kind, classes) && kind.fits(point, facts));
    return kinds.map((kind) =>
      Object.assign(paired(shot, { kind, point }), { relation: 'next attempt' } as const),
    );
  });
  return [...together, ...followed];
}

/**
 * Ranks pairs: new combinations of kinds first, then the most promising. Pairs with a fault that failed
 * separately (`failed`, as JSON) come last. The seed breaks ties.
 */
export function rankPairs(
  pairs: readonly PlannedPair[],
  { seed, failed }: { readonly seed: string; readonly failed: ReadonlySet<string> },
): PlannedPair[] {
  const drawn = pairs
    .map((pair) => ({ pair, lot: pairHash(pair, seed) }))
    .toSorted((one, other) => (one.lot < other.lot ? -1 : 1));
  const roundOf = counter();
  const keyed = drawn.map(({ pair }) => ({
    pair,
    isFailed: Number(pair.faults.some((fault) => failed.has(JSON.stringify(fault)))),
    round: roundOf(pair.kinds, pair.relation),
  }));
  return keyed
    .toSorted((a, b) => a.isFailed - b.isFailed || a.round - b.round || a.pair.rank - b.pair.rank)
    .map(({ pair }) => pair);
}

function isOf(kind: ExploredFault, classes: ExploreOptions['faults']): boolean {
  return classes === 'all' || kind.class === 'promised';
}

function shotsOf(facts: RunFacts, classes: ExploreOptions['faults']): PlacedFault[] {
  return EXPLORED_FAULTS.filter((kind) => isOf(kind, classes)).flatMap((kind) =>
    facts.points.filter((point) => kind.fits(point, facts)).map((point): PlacedFault => ({ kind, point })),
  );
}

export function planRun(faults: readonly PlannedFault[]): PlannedRun {
  return { faults, ...collectTraits(faults) };
}

function planned(shots: readonly PlacedFault[]): PlannedRun {
  return planRun(shots.map(({ kind, point }) => createFaultFields(kind, point)));
}

/** Identifies a point's resource. Returns undefined for a request without a single resource. */
function subjectOf(point: FaultPoint): string | undefined {
  const { code, resource } = point;
  if (code !== null) return `code ${code}`;
  if (resource === null) return undefined;
  return `${point.on === 'delivery' ? point.event.split('.')[0] : 'pix'} ${resource}`;
}

function paired(one: PlacedFault, other: PlacedFault): PlannedPair {
  const isSame = getPointKey(one.point) === getPointKey(other.point);
  const roles = [one.kind.role, other.kind.role];
  // A repeat after a change triggers most bugs that require two faults.
  const isPromising = roles.includes('repeat') && roles.includes('change');
  return {
    ...planned([one, other]),
    relation: isSame ? 'same point' : 'other point',
    rank: isPromising ? 0 : 1 + roles.filter((role) => role === undefined).length,
  };
}

function goTogether(one: PlacedFault, other: PlacedFault): boolean {
  // A process that restarts during a request cannot receive the response.
  const done = new Set([one, other].map(({ kind }) => FAULTS[kind.on][kind.action.action]?.mechanic));
  if (done.has('restart') && done.has('settle-first')) return false;
  if (getPointKey(one.point) !== getPointKey(other.point)) return true;
  const runsAlone = one.kind.runsAlone === true || other.kind.runsAlone === true;
  return !runsAlone && one.kind.action.action !== other.kind.action.action;
}

function nextAttempt({ kind, point }: PlacedFault): DeliveryPoint | undefined {
  if (kind.isRetried !== true || point.on !== 'delivery') return undefined;
  return { ...point, attempt: point.attempt + 1, nth: 1 };
}

function pairHash({ faults }: PlannedRun, seed: string): string {
  return createHash('sha256')
    .update(`${seed}\n${JSON.stringify(faults)}`)
    .digest('hex');
}
