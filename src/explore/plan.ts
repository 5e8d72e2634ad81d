import { createHash } from 'node:crypto';
import type { DeliveryPoint, ExploreOptions, FaultFields, PlannedRun, Point } from './explore.js';
import type { Facts, Kind } from './kinds.js';
import { aimed, KINDS, traitsOf } from './kinds.js';
import { keyOf } from './points.js';

/** A fault of a kind at a point. */
interface Shot {
  readonly kind: Kind;
  readonly point: Point;
}

/** Every kind of fault at every point that it fits, what breaks most first. */
export function singlesOf(facts: Facts, classes: ExploreOptions['faults']): PlannedRun[] {
  return shotsOf(facts, classes).map((shot) => planned([shot]));
}

/** The relation between the two faults of a pair. */
type Relation = 'same point' | 'other point' | 'next attempt';

/** Two faults on one resource, with what makes them promising. */
export interface PlannedPair extends PlannedRun {
  readonly relation: Relation;
  /** The lower, the more promising. */
  readonly rank: number;
}

/** All pairs of faults on one resource, in no particular order. */
export function pairsOf(facts: Facts, classes: ExploreOptions['faults']): PlannedPair[] {
  const kinds = KINDS.filter((kind) => isOf(kind, classes));
  const singles = shotsOf(facts, classes);
  const bySubject = grouped(singles, ({ point }) => subjectOf(point));
  bySubject.delete(undefined);
  const pairs: PlannedPair[] = [];
  for (const shots of bySubject.values()) {
    for (const [index, one] of shots.entries()) {
      for (const other of shots.slice(index + 1)) if (goTogether(one, other)) pairs.push(paired(one, other));
    }
  }
  const known = new Set(facts.points.map(keyOf));
  for (const shot of singles) {
    const again = nextAttempt(shot);
    if (again === undefined || known.has(keyOf(again))) continue;
    for (const kind of kinds) {
      if (!kind.fits(again, facts)) continue;
      pairs.push({ ...paired(shot, { kind, point: again }), relation: 'next attempt' });
    }
  }
  return pairs;
}

interface Ranking {
  readonly seed: string;
  /** Faults that break the code alone, as JSON; a pair with one of them says little. */
  readonly failed: ReadonlySet<string>;
}

/**
 * Pairs in the order in which they are tried: first those whose faults broke nothing alone, each combination
 * of kinds once before any is repeated at other points, the most promising combinations first. The seed
 * orders the rest.
 */
export function rankedPairs(pairs: readonly PlannedPair[], { seed, failed }: Ranking): PlannedPair[] {
  const drawn = pairs.map((pair) => ({ pair, lot: lotOf(pair, seed), round: 0 }));
  drawn.sort((one, other) => (one.lot < other.lot ? -1 : 1));
  const combinations = grouped(drawn, ({ pair }) => `${pair.kinds.join('+')} ${pair.relation}`);
  for (const same of combinations.values()) for (const [round, one] of same.entries()) one.round = round;
  const isFailed = ({ faults }: PlannedPair) => faults.some((fault) => failed.has(JSON.stringify(fault)));
  const keyed = drawn.map(({ pair, round }) => ({ pair, isFailed: Number(isFailed(pair)), round }));
  keyed.sort((a, b) => a.isFailed - b.isFailed || a.round - b.round || a.pair.rank - b.pair.rank);
  return keyed.map(({ pair }) => pair);
}

function isOf(kind: Kind, classes: ExploreOptions['faults']): boolean {
  return classes === 'all' || kind.class === 'promised';
}

function shotsOf(facts: Facts, classes: ExploreOptions['faults']): Shot[] {
  return KINDS.filter((kind) => isOf(kind, classes)).flatMap((kind) =>
    facts.points.filter((point) => kind.fits(point, facts)).map((point): Shot => ({ kind, point })),
  );
}

/** One run of these faults together. */
export function togetherOf(faults: readonly FaultFields[]): PlannedRun {
  return { faults, ...traitsOf(faults) };
}

function planned(shots: readonly Shot[]): PlannedRun {
  return togetherOf(shots.map(({ kind, point }) => aimed(kind, point)));
}

/** Names the resource of a point; undefined for an API request about no single resource. */
function subjectOf(point: Point): string | undefined {
  const { code, resource } = point;
  if (code !== null) return `code ${code}`;
  if (resource === null) return undefined;
  return `${point.on === 'delivery' ? point.event.split('.')[0] : 'pix'} ${resource}`;
}

function paired(one: Shot, other: Shot): PlannedPair {
  const isSame = keyOf(one.point) === keyOf(other.point);
  const roles = [one.kind.role, other.kind.role];
  // A repeat meets what has changed in between: most bugs that need two faults.
  const isPromising = roles.includes('repeat') && roles.includes('change');
  return {
    ...planned([one, other]),
    relation: isSame ? 'same point' : 'other point',
    rank: isPromising ? 0 : 1 + roles.filter((role) => role === undefined).length,
  };
}

function goTogether(one: Shot, other: Shot): boolean {
  // A process that restarts while its request is open cannot receive the response.
  const actions = new Set([one, other].map(({ kind }) => kind.action.action));
  if (actions.has('restart') && actions.has('event-first')) return false;
  if (keyOf(one.point) !== keyOf(other.point)) return true;
  const isAlone = one.kind.isAlone === true || other.kind.isAlone === true;
  return !isAlone && one.kind.action.action !== other.kind.action.action;
}

/** The attempt that a fault brings about. */
function nextAttempt({ kind, point }: Shot): DeliveryPoint | undefined {
  if (kind.isRetried !== true || point.on !== 'delivery') return undefined;
  return { ...point, attempt: point.attempt + 1, nth: 1 };
}

/** Draws by the seed. */
function lotOf({ faults }: PlannedRun, seed: string): string {
  return createHash('sha256')
    .update(`${seed}\n${JSON.stringify(faults)}`)
    .digest('hex');
}

/** Items by what they have in common, as `Map.groupBy` of newer versions of Node. */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
