import { FAULTS, isSharedAction } from '../contract/fault-kinds.js';
import { INCIDENTS } from '../contract/incidents.js';
import { EXPLORATIONS, type FaultExploration } from './explorations.js';
import type { RunnerAbility, FaultClass, PlannedFault, FaultPoint } from './explore.js';

/** Facts learned from the fault-free runs. */
export interface RunFacts {
  readonly points: readonly FaultPoint[];
  /** Codes and ranks of charges that settled and never expired or failed. */
  readonly settled: ReadonlySet<string | number>;
  readonly hasLateWindow: boolean;
  readonly paged: ReadonlySet<string>;
}

export function toGlob(route: string): string {
  return route.replaceAll(/:\w+/g, '*');
}

/** Returns a string that identifies a point. */
export function getPointKey(point: FaultPoint): string {
  return JSON.stringify(
    point.on === 'call'
      ? [point.api, point.method, point.route, point.code, point.resource, point.nth]
      : [point.event, point.code, point.resource, point.endpoint, point.attempt, point.nth],
  );
}

type Fits = (point: FaultPoint, facts: RunFacts) => boolean;

export const CREATE_CHARGE = '/api/public/v1/pix';

const onSettledCharge: Fits = ({ code, resource }, { settled }) =>
  (code !== null && settled.has(code)) || (resource !== null && settled.has(resource));

const onSettlement: Fits = (point, facts) =>
  point.on === 'delivery' && point.event === 'pix.settled' && onSettledCharge(point, facts);

const onFirstOfEndpoint: Fits = (point, { points }) => {
  if (point.on !== 'delivery') return false;
  const first = points.find((one) => one.on === 'delivery' && one.endpoint === point.endpoint);
  return first !== undefined && getPointKey(first) === getPointKey(point);
};

const onFirstCreation: Fits = (point, facts) =>
  point.on === 'call' && point.route === CREATE_CHARGE && point.nth === 1 && onSettledCharge(point, facts);

const FITS: Readonly<Record<NonNullable<FaultExploration['at']> | FaultPoint['on'], Fits>> = {
  call: ({ on }) => on === 'call',
  delivery: ({ on }) => on === 'delivery',
  settlement: onSettlement,
  'late settlement': (point, facts) => facts.hasLateWindow && onSettlement(point, facts),
  'first of endpoint': onFirstOfEndpoint,
  'first creation': onFirstCreation,
  page: (point, { paged }) => paged.has(getPointKey(point)),
};

/** Lists the explored fault kinds for requests or deliveries. */
function kindsOf(on: FaultPoint['on']) {
  return Object.entries(FAULTS[on]).flatMap(([action, { mechanic }]) => {
    const explore = EXPLORATIONS[on][action] ?? [];
    const needs: readonly RunnerAbility[] = mechanic === 'restart' ? ['restart'] : [];
    const isOutage = ['wait', 'respond', 'close', 'reset'].includes(mechanic) && on === 'call';
    const ofClass: FaultClass = isOutage ? 'outage' : 'promised';
    const tried: readonly FaultExploration[] = 'rank' in explore ? [explore] : explore;
    return tried.map(({ name = action, at, values, ...rest }) =>
      Object.assign(rest, {
        name,
        class: ofClass,
        on,
        needs,
        action: { action, ...values },
        fits: FITS[at ?? on],
      }),
    );
  });
}

export type ExploredFault = ReturnType<typeof kindsOf>[number];
export const EXPLORED_FAULTS = [...kindsOf('call'), ...kindsOf('delivery')].toSorted(
  (a, b) => a.rank - b.rank,
);

/** A short delay, because a run under an incident delays every request. */
const INCIDENT_DELAY = '300ms';

/** Incidents, each tried from the start of a run. Under an incident, only invariants must hold. */
export const EXPLORED_INCIDENTS = Object.entries(INCIDENTS).map(
  ([name, { faults, duration, description, fix }]) => ({
    name,
    class: 'outage' as const,
    description,
    fix,
    needs: [],
    isRecorded: undefined,
    /** Returns true if enough requests or attempts exist for one of the faults to fire. */
    fits: ({ points }: RunFacts) =>
      faults.some(({ on, action, every = 1 }) => {
        const side = on ?? (action in FAULTS.call ? 'call' : 'delivery');
        return points.filter((point) => point.on === side).length >= every;
      }),
    faults: faults.map((fault): PlannedFault => {
      const delay = fault.delay === undefined ? {} : { delay: INCIDENT_DELAY };
      return Object.assign({ ...fault, ...delay }, { incident: name, for: duration });
    }),
  }),
);

type ExploredKind = Pick<
  ExploredFault | (typeof EXPLORED_INCIDENTS)[number],
  'name' | 'class' | 'description' | 'fix' | 'needs' | 'isRecorded'
>;
export const EXPLORED_KINDS: readonly ExploredKind[] = [...EXPLORED_FAULTS, ...EXPLORED_INCIDENTS];

export function createFaultFields({ action }: ExploredFault, point: FaultPoint): PlannedFault {
  const { code, resource, nth } = point;
  const about = {
    ...(code === null ? {} : { code }),
    ...(resource === null ? {} : { resource }),
  };
  if (point.on === 'call') {
    const { api, method, route } = point;
    return { on: 'call', ...action, api, method, path: toGlob(route), ...about, nth };
  }
  const { event, endpoint, attempt } = point;
  const where = endpoint === null ? {} : { endpoint };
  return { on: 'delivery', ...action, event, ...about, ...where, attempt, nth };
}

/** Returns the explored kind of a fault or of its incident, or undefined for other faults. */
export function findKind(fault: PlannedFault): ExploredKind | undefined {
  const { action, status, parallel = false, when = 'answered', incident } = fault;
  if (incident != null) return EXPLORED_INCIDENTS.find(({ name }) => name === incident);
  return EXPLORED_FAULTS.find(
    ({ on, action: own }) =>
      own.action === action &&
      (!isSharedAction(action) || on === fault.on) &&
      (own.status === undefined || own.status === status) &&
      (own.parallel ?? false) === parallel &&
      (own.when ?? 'answered') === when,
  );
}

export function getKindName(fault: PlannedFault): string {
  return findKind(fault)?.name ?? fault.action;
}

/** Classifies a run by its faults. A single outage fault makes the run an outage. */
export function collectTraits(faults: readonly PlannedFault[]) {
  const kinds = faults.flatMap((fault) => findKind(fault) ?? []);
  const isFirst = ({ incident }: PlannedFault, at: number) =>
    incident == null || faults.findIndex((one) => one.incident === incident) === at;
  return {
    kinds: faults.filter(isFirst).map(getKindName),
    class: kinds.some((kind) => kind.class === 'outage') ? ('outage' as const) : ('promised' as const),
    needs: [...new Set(kinds.flatMap(({ needs }) => needs))],
  };
}

/** Returns true if each fault fired exactly once, and each incident at least once. */
export function haveFired(faults: readonly PlannedFault[], fired: readonly number[]): boolean {
  return faults.every(({ incident }, at) =>
    incident == null
      ? fired[at] === 1
      : faults.some((one, other) => one.incident === incident && (fired[other] ?? 0) > 0),
  );
}

/** Lists weaker variants of a fault, weakest first. */
export function listWeakerFaults(fault: PlannedFault): PlannedFault[] {
  const { action, parallel, copies = 1 } = fault;
  if (action !== 'duplicate') return [];
  const { parallel: _parallel, ...plain } = fault;
  const once = { ...plain, copies: 1 };
  if (parallel === true) return [once, ...(copies > 1 ? [{ ...fault, copies: 1 }] : [])];
  return copies > 1 ? [once] : [];
}

const ORDINALS = ['', 'first', 'second', 'third'];

function ordinal(number: number): string {
  return ORDINALS[number] ?? `${number}th`;
}

type Aimed = Partial<PlannedFault> & { readonly route?: string | undefined };

function aimText(aimedAt: Aimed): string {
  const { on, method, route, path, event, endpoint, attempt = 1, code, resource, nth = 1 } = aimedAt;
  const type = event?.startsWith('withdrawal.') === true ? 'withdrawal' : 'charge';
  const ranked = resource == null ? '' : ` of the ${ordinal(resource)} ${type}`;
  const subject = code == null ? ranked : ` of ${code}`;
  if (on === 'call') {
    const which = nth === 1 ? '' : `the ${ordinal(nth)} `;
    return which + [method, route ?? path].filter((part) => part !== undefined).join(' ') + subject;
  }
  const where = endpoint == null ? '' : ` to ${endpoint}`;
  const which = attempt === 1 ? '' : `attempt ${attempt} of `;
  const again = nth === 1 ? '' : `, the ${ordinal(nth)} time`;
  return `${which}${event ?? 'an event'}${subject}${where}${again}`;
}

/** Describes a point, e.g. `pix.settled of order-1`. */
export function formatPoint(point: FaultPoint): string {
  return aimText(point as Aimed);
}

/** Describes a fault, e.g. `pix.settled of order-1 is delivered twice`. */
export function formatFault(fault: PlannedFault): string {
  const { action, status, copies = 1, parallel = false, incident } = fault;
  const kind = findKind(fault);
  if (incident != null)
    return `incident ${incident} (${action})${kind === undefined ? '' : `: ${kind.description}`}`;
  const times = copies === 1 ? 'twice' : `${copies + 1} times`;
  const duplicate = `is delivered ${times}${parallel ? ' concurrently' : ''}`;
  const unknown = `gets ${action}${status === undefined ? '' : ` ${status}`}`;
  return `${aimText(fault)} ${action === 'duplicate' ? duplicate : (kind?.description ?? unknown)}`;
}
