import type { Observed, Point, RunResult } from './explore.js';
import type { Facts } from './kinds.js';
import { keyOf, stablePoints } from './points.js';

export interface Learned {
  readonly facts: Facts;
  readonly unstable: readonly Point[];
}

/** Returns the facts that all runs without faults share. */
export function learnedOf(runs: readonly RunResult[]): Learned {
  const { points, unstable } = stablePoints(runs.map((run) => run.points));
  const paged = stablePoints(runs.map(({ observed }) => observed.paged));
  const settled = runs.map(({ observed, points: own }) => settledIn(observed, own));
  const [first = new Set<string | number>()] = settled;
  const facts: Facts = {
    points,
    settled: new Set([...first].filter((name) => settled.every((names) => names.has(name)))),
    hasLateWindow: runs.every(({ observed }) => observed.hasLateWindow),
    paged: new Set(paged.points.map(keyOf)),
  };
  return { facts, unstable };
}

/** The codes and ranks of the charges that were settled before anything else befell them. */
function settledIn({ payments }: Observed, points: readonly Point[]): Set<string | number> {
  const others = points.filter(
    (point) => point.on === 'delivery' && /^pix\.(?:expired|failed)$/.test(point.event),
  );
  const ranks = new Set(others.map(({ resource }) => resource));
  const settled = payments.filter(
    ({ type, status, rank, isCalled }) =>
      type === 'charge' && status === 'SETTLED' && isCalled && !ranks.has(rank),
  );
  return new Set(settled.flatMap(({ code, rank }) => [code, rank]));
}
