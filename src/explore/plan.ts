import { createHash } from 'node:crypto';
import type { DeliveryPoint, ExploreOptions, FaultFields, PlannedRun, Point } from './explore.js';
import type { Facts, Kind } from './kinds.js';
import { aimed, kindName, kindOf, KINDS } from './kinds.js';
import { grouped } from './grouped.js';
import { keyOf } from './points.js';

/** A fault of a kind at a point. */
interface Shot {
  readonly kind: Kind;
  readonly point: Point;
}

type Planning = Pick<ExploreOptions, 'faults' | 'pairs' | 'seed'>;

/**
 * What to try: every kind of fault at every point that it fits, what breaks most first, and then pairs on one resource, drawn by the
 * seed. The same points and seed give the same plan.
 */
export function planOf(facts: Facts, { faults, pairs, seed }: Planning): PlannedRun[] {
  const kinds = KINDS.filter((kind) => faults === 'all' || kind.class === 'promised');
  const singles = kinds.flatMap((kind) =>
    facts.points.filter((point) => kind.fits(point, facts)).map((point): Shot => ({ kind, point })),
  );
  const drawn = pairs === 0 ? [] : draw(pairsOf(singles, kinds, facts).map(planned), pairs, seed);
  return [...singles.map((shot) => planned([shot])), ...drawn];
}

/** One run of faults that were found before. */
export function togetherOf(faults: readonly FaultFields[]): PlannedRun {
  const kinds = faults.map(kindOf);
  return {
    faults,
    kinds: faults.map(kindName),
    class: kinds.some((kind) => kind?.class === 'outage') ? 'outage' : 'promised',
    needs: [...new Set(kinds.flatMap((kind) => kind?.needs ?? []))],
  };
}

function planned(shots: readonly Shot[]): PlannedRun {
  const kinds = shots.map(({ kind }) => kind);
  return {
    faults: shots.map(({ kind, point }) => aimed(kind, point)),
    kinds: kinds.map(({ name }) => name),
    class: kinds.some((kind) => kind.class === 'outage') ? 'outage' : 'promised',
    needs: [...new Set(kinds.flatMap(({ needs = [] }) => needs))],
  };
}

/** What a point is about; undefined for a call that is about no single resource. */
function subjectOf(point: Point): string | undefined {
  const { code, resource } = point;
  if (code !== null) return `code ${code}`;
  if (resource === null) return undefined;
  return `${point.on === 'delivery' ? point.event.split('.')[0] : 'pix'} ${resource}`;
}

function pairsOf(singles: readonly Shot[], kinds: readonly Kind[], facts: Facts): (readonly [Shot, Shot])[] {
  const bySubject = grouped(singles, ({ point }) => subjectOf(point));
  bySubject.delete(undefined);
  const pairs: (readonly [Shot, Shot])[] = [];
  for (const shots of bySubject.values()) {
    for (const [index, one] of shots.entries()) {
      for (const other of shots.slice(index + 1)) if (goTogether(one, other)) pairs.push([one, other]);
    }
  }
  const known = new Set(facts.points.map(keyOf));
  for (const shot of singles) {
    const again = nextAttempt(shot);
    if (again === undefined || known.has(keyOf(again))) continue;
    for (const kind of kinds) if (kind.fits(again, facts)) pairs.push([shot, { kind, point: again }]);
  }
  return pairs;
}

function goTogether(one: Shot, other: Shot): boolean {
  // A process that is restarted while its call is open cannot take the answer.
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

/** Some of the runs, in an order that follows from the seed. */
function draw(runs: readonly PlannedRun[], count: number, seed: string): PlannedRun[] {
  const lot = (run: PlannedRun) =>
    createHash('sha256')
      .update(`${seed}\n${JSON.stringify(run.faults)}`)
      .digest('hex');
  const lots = runs.map((run) => ({ run, lot: lot(run) }));
  lots.sort((one, other) => (one.lot < other.lot ? -1 : 1));
  return lots.slice(0, count).map(({ run }) => run);
}
