import { CALL_ROUTES } from '../contract/fault-kinds.js';
import { matchesGlob } from '../text/globs.js';
import type { CallPoint, DeliveryPoint, Observed, Point, RunResult } from './explore.js';
import type { Facts } from './kinds.js';

type Door = keyof typeof CALL_ROUTES;

/** A call as far as points need it; `target` is its path with its query. */
export interface SeenCall {
  readonly door: string;
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly subject: Subject | null;
}

/** The charge, withdrawal or session that something is about: its code, and its rank in order of creation, from 1. */
export interface Subject {
  readonly code: string | null;
  readonly rank: number;
}

/** Attempts of a delivery. */
export interface SeenDelivery {
  readonly event: string;
  readonly subject: Subject;
  readonly endpoint: string | null;
  readonly attempts: number;
}

const ERROR_STATUS = 400;

/** The pattern of a route's paths. */
export function globOf(route: string): string {
  return route.replaceAll(/:\w+/g, '*');
}

function routesOf(door: string, method: string): string[] {
  const routes: readonly string[] = CALL_ROUTES[door as Door] ?? [];
  return routes
    .filter((route) => route.startsWith(`${method} `))
    .map((route) => route.slice(method.length + 1));
}

function isOfRoute(route: string, path: string): boolean {
  const own = route.split('/');
  const parts = path.split('/');
  return own.length === parts.length && own.every((part, at) => part.startsWith(':') || part === parts[at]);
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? '';
}

/** Counts by several names from 1. */
class Counter {
  readonly #counts = new Map<string, number>();

  next(...name: readonly unknown[]): number {
    const key = JSON.stringify(name);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

interface PlacedCall {
  readonly call: SeenCall;
  readonly point: CallPoint;
}

/** The calls that have a route, with their points; those that were refused count, too. */
function placed(calls: readonly SeenCall[]): PlacedCall[] {
  const counter = new Counter();
  return calls.flatMap((call): PlacedCall[] => {
    const { door, method, target, subject } = call;
    const path = pathOf(target);
    let own: { readonly route: string; readonly nth: number } | undefined;
    // A fault sees a path only, so that one route may count the calls of another.
    for (const route of routesOf(door, method)) {
      if (!matchesGlob(globOf(route), path)) continue;
      const nth = counter.next(door, method, route, subject);
      if (isOfRoute(route, path)) own ??= { route, nth };
    }
    if (own === undefined) return [];
    const { code = null, rank: resource = null } = subject ?? {};
    return [{ call, point: { on: 'call', door, method, route: own.route, code, resource, nth: own.nth } }];
  });
}

/** Returns the points of successful API requests, in order. */
export function callPoints(calls: readonly SeenCall[]): CallPoint[] {
  return placed(calls)
    .filter(({ call }) => call.status < ERROR_STATUS)
    .map(({ point }) => point);
}

/** The points of list calls that the call for the next page follows. */
export function pagedPoints(calls: readonly SeenCall[]): CallPoint[] {
  const all = placed(calls);
  return all.flatMap(({ call, point }, at) => {
    const next = all.slice(at + 1).find((one) => pathOf(one.call.target) === pathOf(call.target));
    const isNext = next !== undefined && new URLSearchParams(next.call.target.split('?')[1]).has('after');
    return isNext && call.method === 'GET' && call.status < ERROR_STATUS ? [point] : [];
  });
}

/** The points of attempts, in the order of their deliveries. */
export function deliveryPoints(deliveries: readonly SeenDelivery[]): DeliveryPoint[] {
  const counter = new Counter();
  return deliveries.flatMap(({ event, subject, endpoint, attempts }) =>
    Array.from({ length: attempts }, (_, index): DeliveryPoint => {
      const attempt = index + 1;
      const nth = counter.next(event, subject, endpoint, attempt);
      const { code, rank: resource } = subject;
      return { on: 'delivery', event, code, resource, endpoint, attempt, nth };
    }),
  );
}

/** A text that two points have in common only if they are the same. */
export function keyOf(point: Point): string {
  return JSON.stringify(
    point.on === 'call'
      ? [point.door, point.method, point.route, point.code, point.resource, point.nth]
      : [point.event, point.code, point.resource, point.endpoint, point.attempt, point.nth],
  );
}

interface Stable<Kind extends Point> {
  /** Each named by its code where all runs have that, otherwise by its rank. */
  readonly points: readonly Kind[];
  /** Points missing in some runs. */
  readonly unstable: readonly Kind[];
}

const byCode = <Kind extends Point>(point: Kind): Kind => ({ ...point, resource: null });
const byRank = <Kind extends Point>(point: Kind): Kind => ({ ...point, code: null });

/** The points that all runs have, in the order of the first run. */
export function stablePoints<Kind extends Point>(runs: readonly (readonly Kind[])[]): Stable<Kind> {
  const keys = (form: (point: Kind) => Kind) =>
    runs.map((run) => new Set(run.map((point) => keyOf(form(point)))));
  const [codes, ranks] = [keys(byCode), keys(byRank)];
  const inAll = (sets: readonly Set<string>[], point: Kind) => sets.every((set) => set.has(keyOf(point)));
  const named = (point: Kind): Kind | undefined => {
    // An asterisk in a code would match other codes, too.
    const isCode = point.code !== null && !point.code.includes('*');
    if (isCode && inAll(codes, byCode(point))) return byCode(point);
    return inAll(ranks, byRank(point)) ? byRank(point) : undefined;
  };
  const [first = []] = runs;
  const unstable = new Map<string, Kind>();
  for (const point of runs.flat())
    if (named(point) === undefined) unstable.set(keyOf(byRank(point)), byRank(point));
  return { points: first.flatMap((point) => named(point) ?? []), unstable: [...unstable.values()] };
}

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
