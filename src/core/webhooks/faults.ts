import { EVENT_TYPES } from '../../contract/enums.js';
import {
  CALL_FAULTS,
  CALL_ROUTES,
  type CallFaultAction,
  type CallRoute,
  DELIVERY_FAULTS,
  type DeliveryFaultAction,
  FAULT_APIS,
  holdsDeliveries,
  isSharedAction,
} from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { oneOf } from '../../schema/compound.js';
import { isObject, renameField, nullish, object } from '../../schema/object.js';
import {
  literal,
  boolean,
  type Refinement,
  deriveKey,
  mapValue,
  enumOf,
  refine,
} from '../../schema/values.js';
import { suggest } from '../../text/closest.js';
import { matchesRoute, matchesGlob } from '../../text/globs.js';
import { scheduleItem } from '../agenda.js';
import { drawDelay } from '../delays.js';
import type { ApplyStep } from '../effects.js';
import { omitUndefined, resolveWindow } from './fault-window.js';
import { computeHash128, createId } from '../ids.js';
import { BODY_SCHEMA } from '../input/bodies.js';
import {
  acceptDelay,
  acceptDuration,
  INSTANT_INPUT,
  NAME_INPUT,
  acceptText,
  integerRange,
} from '../input/kinds.js';
import {
  ATTEMPT_NUMBER,
  PROBABILITY,
  COPY_COUNT,
  ERROR_STATUS_MIN,
  RESTART_MOMENT,
  RANK,
  STATUS_MAX,
  STATUS_MIN,
} from '../rows.js';
import type {
  FaultTarget,
  CallFault,
  CallMatch,
  Delivery,
  DeliveryFault,
  DeliveryFaultInput,
  DeliveryMatch,
  Fault,
  FaultInput,
  FiredFault,
  World,
} from '../world.js';

const LONGEST_SHOWN = 200;

const ACTION = deriveKey({ ...CALL_FAULTS, ...DELIVERY_FAULTS });

/** Accepts an event type, or a pattern with `*` that matches at least one type. */
export const EVENT_PATTERN = refine(NAME_INPUT, (pattern): Refinement<string> => {
  if (EVENT_TYPES.some((type) => matchesGlob(pattern, type))) return { value: pattern };
  return { problem: `Must match one of ${EVENT_TYPES.join(', ')}; got ${pattern}.` };
});

function detailsFrom(statusMin: number) {
  return {
    status: nullish(integerRange(statusMin, STATUS_MAX), null),
    delayMs: renameField('delay', nullish(acceptDelay(LIMITS.faultDelayMs), null)),
    copies: nullish(COPY_COUNT, null),
    parallel: nullish(mapValue(boolean, (isParallel) => isParallel || undefined)),
    when: nullish(RESTART_MOMENT),
    count: nullish(RANK, null),
    probability: nullish(PROBABILITY, 1),
    incident: nullish(NAME_INPUT),
    from: nullish(INSTANT_INPUT),
    until: nullish(INSTANT_INPUT),
    forMs: renameField('for', nullish(acceptDuration({ minMs: 1, example: '10m' }))),
  };
}

const TARGET_FIELDS = {
  code: nullish(acceptText(LIMITS.codeLength)),
  resource: nullish(RANK),
  nth: nullish(RANK),
  every: nullish(RANK),
};

/** Accepts an endpoint id, or a URL pattern if the text contains a slash or `*`. */
const TARGET = mapValue(acceptText(LIMITS.urlLength), (target) =>
  /[/*]/.test(target) ? { endpointUrl: target } : { endpointId: target },
);

type CallTarget = Pick<CallMatch, 'method' | 'path'> & {
  readonly action: CallFaultAction;
  readonly api: (typeof FAULT_APIS)[number] | null;
};

/** Explains why no route matches the fault's path and method; undefined if a route matches. */
function routeProblem({ api, method, path, action }: CallTarget): string | undefined {
  const hit: readonly string[] | undefined = CALL_FAULTS[action].routes;
  const routes = (api === null ? FAULT_APIS : [api])
    .flatMap((name): readonly string[] => CALL_ROUTES[name])
    .filter((route) => hit?.includes(route) ?? true);
  const split = routes.map((route) => {
    const [verb = '', own = ''] = route.split(' ');
    return { verb, own };
  });
  const ofMethod = split.filter(
    ({ verb }) => method === null || verb === method || (verb === 'GET' && method === 'HEAD'),
  );
  if (ofMethod.some(({ own }) => path === null || matchesRoute(path, own))) return undefined;
  const asked = [method, path, api === null ? null : `with --api ${api}`].filter((word) => word !== null);
  const paths = ofMethod.map(({ own }) => own);
  const near = path === null ? '' : suggest(path, paths);
  const known = near === '' ? ` The routes are ${(hit ?? routes).join(', ')}.` : near;
  const ofFault = hit === undefined ? '' : ` supported by ${action}`;
  return `Matches no route${ofFault}: ${asked.join(' ').slice(0, LONGEST_SHOWN)}.${known}`;
}

/** A fault that fires only on the nth match cannot fire on every nth match. */
const EVERY_RULE = {
  of: ['every', 'nth'] as const,
  problem: ({ every, nth }: { readonly every?: number | undefined; readonly nth?: number | undefined }) =>
    every === undefined || nth === undefined ? undefined : 'Must not be combined with nth.',
};

const ON_CALL = mapValue(
  object(
    'a request fault',
    {
      on: nullish(literal('call')),
      api: nullish(enumOf(FAULT_APIS), null),
      method: nullish(
        mapValue(NAME_INPUT, (method) => method.toUpperCase()),
        null,
      ),
      path: nullish(acceptText(LIMITS.urlLength), null),
      ...TARGET_FIELDS,
      action: deriveKey(CALL_FAULTS),
      ...detailsFrom(ERROR_STATUS_MIN),
    },
    {
      rules: [
        {
          of: ['path', 'api', 'method', 'action'],
          problem: (match) => (match.path === null ? undefined : routeProblem(match)),
        },
        {
          of: ['method', 'api', 'path', 'action'],
          problem: (match) => (match.path === null ? routeProblem(match) : undefined),
        },
        EVERY_RULE,
      ],
    },
  ),
  ({ on: _on, api, method, path, code, resource, nth, every, ...fault }): FaultInput => {
    return { match: omitUndefined({ on: 'call', api, method, path, code, resource, nth, every }), ...fault };
  },
);

/** Schema of a delivery fault. A listener's faults get their endpoint later. */
export const ON_DELIVERY = mapValue(
  object(
    'a delivery fault',
    {
      on: nullish(literal('delivery')),
      eventType: renameField('event', nullish(EVENT_PATTERN, null)),
      endpoint: nullish(TARGET),
      attempt: nullish(ATTEMPT_NUMBER, null),
      ...TARGET_FIELDS,
      action: deriveKey(DELIVERY_FAULTS),
      ...detailsFrom(STATUS_MIN),
    },
    { rules: [EVERY_RULE] },
  ),
  ({ on: _on, eventType, endpoint, attempt, code, resource, nth, every, ...fault }): DeliveryFaultInput => {
    const named = { endpointId: null, ...endpoint };
    const match = { on: 'delivery', eventType, ...named, attempt, code, resource, nth, every } as const;
    return { match: omitUndefined(match), ...fault };
  },
);

/**
 * Schema of a fault: `{on?, action, …}`. `on` is `call` or `delivery`, and is optional for actions valid for
 * only one of them. Request faults match by API, method and path; delivery faults match by event, endpoint
 * and attempt.
 */
export const FAULT = oneOf(BODY_SCHEMA, [ON_CALL, ON_DELIVERY], (value, reading) => {
  if (!isObject(value)) return reading.expected(BODY_SCHEMA, value);
  const on = reading.field(value, 'on');
  if (on === 'call') return ON_CALL;
  if (on === 'delivery') return ON_DELIVERY;
  if (on !== undefined)
    return reading.note({ kind: 'value', expected: 'one of call, delivery', got: on }, 'on');
  const action = reading.field(value, 'action');
  if (action === undefined)
    return reading.note({ kind: 'missing', owner: BODY_SCHEMA, expected: ACTION.what }, 'action');
  const known = ACTION.known?.find((one) => one === action);
  if (known === undefined)
    return reading.note({ kind: 'value', expected: ACTION.what, got: action }, 'action');
  if (!isSharedAction(known)) return known in CALL_FAULTS ? ON_CALL : ON_DELIVERY;
  const says = `Is required, because requests and deliveries both support ${known}: call or delivery.`;
  return reading.note({ kind: 'rule', says }, 'on');
});

type RequestTarget = Pick<CallFaultTarget, 'api' | 'method' | 'path'>;

/** Parts of a request that identify its subject. */
export interface CallHead extends RequestTarget {
  readonly token: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

interface MatchedRoute {
  readonly route: CallRoute;
  /** Values of the route parameters, in order. */
  readonly parts: readonly string[];
}

/** Finds the route of a request; HEAD matches GET routes. */
export function findRoute({ api, method, path }: RequestTarget): MatchedRoute | undefined {
  const routes: readonly CallRoute[] = api === 'identity' ? CALL_ROUTES.identity : CALL_ROUTES.api;
  const asked = [method === 'HEAD' ? 'GET ' : `${method} `, ...path.split('/').slice(1)];
  for (const route of routes) {
    const steps = route.split('/');
    const isOne =
      steps.length === asked.length && steps.every((step, at) => step.startsWith(':') || step === asked[at]);
    if (isOne) return { route, parts: asked.filter((_, at) => steps[at]?.startsWith(':')) };
  }
  return undefined;
}

/** Returns the account id if the request lists an account's transactions. */
export function findListedAccount(asked: RequestTarget): string | undefined {
  return findRoute(asked)?.parts[0]?.toLowerCase();
}

/**
 * Returns the code and position of a request's charge, withdrawal or session, even before creation. Returns
 * an empty object for other requests.
 */
export function findSubject(world: World, call: CallHead): FaultSubject {
  const { route, parts = [] } = findRoute(call) ?? {};
  switch (route) {
    case 'POST /api/public/v1/pix': {
      return newCharge(world, call);
    }
    case 'POST /api/public/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry': {
      return ofDelivery(world.deliveries.byId.get(parts[1] ?? ''));
    }
    case 'POST /api/v1/kyc/sessions': {
      return newSession(world, call);
    }
    case 'GET /api/v1/kyc/sessions/:sessionId/result': {
      return toSubject(world.sessions.byId.get(parts[0] ?? ''));
    }
    default: {
      return {};
    }
  }
}

function toSubject(row: { readonly ordinal: number } | undefined): FaultSubject {
  return row === undefined ? {} : { resource: row.ordinal + 1 };
}

function newCharge({ appsByToken, charges }: World, { token = '', body }: CallHead): FaultSubject {
  const code = isObject(body) ? body['code'] : undefined;
  if (typeof code !== 'string') return {};
  const app = appsByToken.get(token);
  if (app === undefined) return { code };
  return { code, ...toSubject(app.chargesByCode.get(code) ?? { ordinal: charges.rows.length }) };
}

function newSession(
  { organizations, sessions }: World,
  { token, idempotencyKey = '' }: CallHead,
): FaultSubject {
  const caller = organizations.rows.find(({ kycToken }) => kycToken !== null && kycToken === token);
  return caller === undefined
    ? {}
    : toSubject(caller.sessionsByKey.get(idempotencyKey) ?? { ordinal: sessions.rows.length });
}

function ofDelivery(delivery: Delivery | undefined): FaultSubject {
  if (delivery === undefined) return {};
  const { code, ordinal } = delivery.event.resource;
  return { code, resource: ordinal + 1 };
}

export function checkFaultRoom({ faults }: World, added: number): void {
  if (faults.size + added <= LIMITS.faults) return;
  throw new Refusal(
    'INVALID_REQUEST',
    `The sandbox has ${faults.size} faults; at most ${LIMITS.faults} are allowed.`,
    {
      hint: 'Remove all faults: `npx sandbox faults remove --all`.',
    },
  );
}

/** Adds a fault, and schedules the start and end of its window. */
export function addFault({ world, now }: ApplyStep, input: FaultInput): Fault {
  checkFaultRoom(world, 1);
  const resolved = resolveWindow(input, now);
  const ordinal = world.faultCount;
  world.faultCount += 1;
  const fault: Fault = { ...resolved, ordinal, id: createId(world, 'fault', ordinal), seen: 0, fired: 0 };
  world.faults.set(fault.id, fault);
  const { from, until } = fault;
  if (from !== undefined && from > now) scheduleItem(world.agenda, from, 'fault.start', ordinal);
  if (until !== undefined) scheduleItem(world.agenda, until, 'fault.end', ordinal);
  return fault;
}

/** Removes a fault, and makes the attempts that it holds due now. */
function removeFault({ world, now }: ApplyStep, { id, action, until }: Fault): void {
  world.faults.delete(id);
  if (!holdsDeliveries(action)) return;
  for (const delivery of world.deliveries.rows) {
    if (delivery.heldBy !== id) continue;
    delete delivery.heldBy;
    if (delivery.nextAttemptAt !== until || until === now) continue;
    delivery.nextAttemptAt = now;
    scheduleItem(world.agenda, now, 'delivery.attempt', delivery.ordinal);
  }
}

export function endFault(step: ApplyStep, fault: Fault): void {
  removeFault(step, fault);
  step.effects.push({ type: 'fault', fault, change: 'ended' });
}

/** Removes the matching faults; returns their number. */
export function removeFaults(step: ApplyStep, matches: (fault: Fault) => boolean): number {
  const removed = Array.from(step.world.faults.values()).filter(matches);
  for (const fault of removed) removeFault(step, fault);
  return removed.length;
}

export function removeMatchingFaults(step: ApplyStep, id: string | null): number {
  if (id !== null && !step.world.faults.has(id)) {
    throw new Refusal('NOT_FOUND', `There is no fault ${id}.`, {
      hint: '`npx sandbox faults list` shows the ids.',
    });
  }
  return removeFaults(step, (fault) => id === null || fault.id === id);
}

export function removeFaultsOfEndpoint(step: ApplyStep, endpointId: string): void {
  removeFaults(step, ({ match }) => match.on === 'delivery' && match.endpointId === endpointId);
}

/** Subject of a request, if known before the response. */
type FaultSubject = Pick<FaultTarget, 'code' | 'resource'>;

export interface CallFaultTarget extends FaultSubject {
  readonly api: string;
  readonly method: string;
  readonly path: string;
}

export function fireOnCall({ world }: ApplyStep, call: CallFaultTarget): FiredFault<CallFaultAction>[] {
  return listActiveFaults(world).flatMap((fault) => {
    const isHit = isCallFault(fault) && matchesCall(fault, call) && fires(world, fault, fault.seen, 0);
    return isHit ? firedFault(world, fault, fault.action, [fault.seen, 0]) : [];
  });
}

export interface AttemptFaultTarget extends Required<FaultSubject> {
  readonly eventType: string;
  readonly endpointId: string;
  /** URL of the endpoint, and forward target of a listener. */
  readonly targets: readonly string[];
  readonly deliveryOrdinal: number;
  readonly attempt: number;
}

export function fireOnAttempt(
  { world }: ApplyStep,
  site: AttemptFaultTarget,
): FiredFault<DeliveryFaultAction>[] {
  const { deliveryOrdinal, attempt } = site;
  return listActiveFaults(world).flatMap((fault) => {
    if (!isDeliveryFault(fault) || holdsDeliveries(fault.action)) return [];
    if (!firesOnSite(world, fault, site)) return [];
    return firedFault(world, fault, fault.action, [deliveryOrdinal, attempt]);
  });
}

/** Finds the first fault that holds the attempt, and counts the match. */
export function fireHold({ world }: ApplyStep, site: AttemptFaultTarget): DeliveryFault | undefined {
  return listActiveFaults(world)
    .filter(isDeliveryFault)
    .find((fault) => holdsDeliveries(fault.action) && firesOnSite(world, fault, site));
}

function firesOnSite(world: World, fault: DeliveryFault, site: AttemptFaultTarget): boolean {
  return matchesAttempt(fault.match, site) && fires(world, fault, site.deliveryOrdinal, site.attempt);
}

/** Lists the faults whose windows have started; faults are removed at the end of their windows. */
function listActiveFaults({ faults, now }: World): Fault[] {
  return Array.from(faults.values()).filter(({ from = now }) => from <= now);
}

function isCallFault(fault: Fault): fault is CallFault {
  return fault.match.on === 'call';
}

function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return fault.match.on === 'delivery';
}

function matchesCall({ match, action }: CallFault, call: CallFaultTarget): boolean {
  const { api, method, path } = call;
  const { routes } = CALL_FAULTS[action];
  return (
    (match.api === null || match.api === api) &&
    (match.method === null || match.method === method) &&
    (match.path === null || matchesGlob(match.path, path)) &&
    (routes === undefined || routes.some((route) => route === findRoute(call)?.route)) &&
    isAbout(match, call)
  );
}

function matchesAttempt(match: DeliveryMatch, site: AttemptFaultTarget): boolean {
  const { endpointUrl } = match;
  return (
    (match.eventType === null || matchesGlob(match.eventType, site.eventType)) &&
    (match.endpointId === null || match.endpointId === site.endpointId) &&
    (endpointUrl === undefined || site.targets.some((target) => matchesGlob(endpointUrl, target))) &&
    (match.attempt === null || match.attempt === site.attempt) &&
    isAbout(match, site)
  );
}

function isAbout({ code, resource }: FaultTarget, subject: FaultSubject): boolean {
  return (
    (code === undefined || (subject.code !== undefined && matchesGlob(code, subject.code))) &&
    (resource === undefined || resource === subject.resource)
  );
}

/** Counts the match and decides whether the fault fires, based only on seed, fault, ordinal and attempt. */
function fires(world: World, fault: Fault, ordinal: number, attempt: number): boolean {
  fault.seen += 1;
  const { nth = fault.seen, every = 1 } = fault.match;
  if (nth !== fault.seen || fault.seen % every !== 0) return false;
  if (fault.count !== null && fault.fired >= fault.count) return false;
  const chance = computeHash128(world.seed, 'chance', fault.ordinal, ordinal, attempt)[0] / 0x100000000;
  if (chance >= fault.probability) return false;
  fault.fired += 1;
  return true;
}

/** Describes a fault fired at `place`, the numbers from which its delay is drawn. */
function firedFault<Action extends string>(
  world: World,
  fault: Fault,
  action: Action,
  place: readonly number[],
): FiredFault<Action> {
  const { id, ordinal, incident, status, delayMs: delay, copies, parallel, when } = fault;
  const delayMs =
    delay === null ? null : drawDelay(world, delay, 'faultDelay', [ordinal, ...place], LIMITS.faultDelayMs);
  return omitUndefined({ id, action, incident, status, delayMs, copies, parallel, when });
}
