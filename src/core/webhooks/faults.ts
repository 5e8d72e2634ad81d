import { CALL_ROUTES, type CallFaultAction, type DeliveryFaultAction } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isObject } from '../../schema/object.js';
import { matchesGlob } from '../../text/globs.js';
import type { Step } from '../effects.js';
import { hash128, idFor } from '../ids.js';
import type {
  Aim,
  CallFault,
  Delivery,
  DeliveryFault,
  DeliveryMatch,
  Fault,
  FaultInput,
  FiredFault,
  World,
} from '../world.js';

type Route = (typeof CALL_ROUTES)[keyof typeof CALL_ROUTES][number];
type Asked = Pick<CallSite, 'door' | 'method' | 'path'>;

/** The lists into which another user of the account may pay while a client walks the pages. */
export const ACCOUNT_LISTS: readonly Route[] = [
  'GET /api/public/v1/withdrawals',
  'GET /api/public/v1/accounts/:id/transactions',
];

/** What a call brings that tells what it is about. */
export interface CallHead extends Asked {
  readonly token: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

interface Taken {
  readonly route: Route;
  /** What stands in the path where the route has a name, in order. */
  readonly parts: readonly string[];
}

/** The route that a call takes; HEAD takes that of GET. */
export function routeOf({ door, method, path }: Asked): Taken | undefined {
  const routes: readonly Route[] = door === 'identity' ? CALL_ROUTES.identity : CALL_ROUTES.api;
  const asked = [method === 'HEAD' ? 'GET ' : `${method} `, ...path.split('/').slice(1)];
  for (const route of routes) {
    const steps = route.split('/');
    const isOne =
      steps.length === asked.length && steps.every((step, at) => step.startsWith(':') || step === asked[at]);
    if (isOne) return { route, parts: asked.filter((_, at) => steps[at]?.startsWith(':')) };
  }
  return undefined;
}

export function isAccountList(asked: Asked): boolean {
  const taken = routeOf(asked);
  return taken !== undefined && ACCOUNT_LISTS.includes(taken.route);
}

/** The account whose transactions a call asks for, if it names one. */
export function accountListed(asked: Asked): string | undefined {
  return routeOf(asked)?.parts[0]?.toLowerCase();
}

/**
 * The code and the rank of the charge, withdrawal or session that a call is about; of one that it is to
 * create, those that it has or would get. Empty for a call about nothing of the kind.
 */
export function subjectOf(world: World, call: CallHead): Subject {
  const { route, parts = [] } = routeOf(call) ?? {};
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
      return ranked(world.sessions.byId.get(parts[0] ?? ''));
    }
    default: {
      return {};
    }
  }
}

function ranked(row: { readonly ordinal: number } | undefined): Subject {
  return row === undefined ? {} : { resource: row.ordinal + 1 };
}

function newCharge({ appsByToken, charges }: World, { token = '', body }: CallHead): Subject {
  const code = isObject(body) ? body['code'] : undefined;
  if (typeof code !== 'string') return {};
  const app = appsByToken.get(token);
  if (app === undefined) return { code };
  return { code, ...ranked(app.chargesByCode.get(code) ?? { ordinal: charges.rows.length }) };
}

function newSession({ organizations, sessions }: World, { token, idempotencyKey = '' }: CallHead): Subject {
  const caller = organizations.rows.find(({ kycToken }) => kycToken !== null && kycToken === token);
  return caller === undefined
    ? {}
    : ranked(caller.sessionsByKey.get(idempotencyKey) ?? { ordinal: sessions.rows.length });
}

function ofDelivery(delivery: Delivery | undefined): Subject {
  if (delivery === undefined) return {};
  const { code, ordinal } = delivery.event.resource;
  return { code, resource: ordinal + 1 };
}

export function checkFaultRoom({ faults }: World, added: number): void {
  if (faults.size + added <= LIMITS.faults) return;
  throw new Refusal(
    'INVALID_REQUEST',
    `There are ${faults.size} faults, and at most ${LIMITS.faults} are allowed.`,
    {
      hint: 'Remove some: `npx sandbox faults remove --all`.',
    },
  );
}

export function addFault({ world }: Step, input: FaultInput): Fault {
  checkFaultRoom(world, 1);
  const ordinal = world.faultCount;
  world.faultCount += 1;
  const fault: Fault = { ...input, ordinal, id: idFor(world, 'fault', ordinal), seen: 0, fired: 0 };
  world.faults.set(fault.id, fault);
  return fault;
}

export function removeFaults({ world }: Step, id: string | null): number {
  if (id === null) {
    const count = world.faults.size;
    world.faults.clear();
    return count;
  }
  if (!world.faults.delete(id)) {
    throw new Refusal('NOT_FOUND', `There is no fault ${id}.`, {
      hint: '`npx sandbox faults list` shows them.',
    });
  }
  return 1;
}

export function removeFaultsOf(world: World, endpointId: string): void {
  for (const fault of world.faults.values()) {
    if (fault.match.on === 'delivery' && fault.match.endpointId === endpointId) world.faults.delete(fault.id);
  }
}

/** What a call is about, as far as it is known before it is answered. */
export type Subject = Pick<Aim, 'code' | 'resource'>;

export interface CallSite extends Subject {
  readonly door: string;
  readonly method: string;
  readonly path: string;
}

export function fireOnCall({ world }: Step, call: CallSite): FiredFault<CallFaultAction>[] {
  const fired: FiredFault<CallFaultAction>[] = [];
  for (const fault of world.faults.values()) {
    if (!isCallFault(fault) || !matchesCall(fault, call)) continue;
    if (fires(world, fault, fault.seen, 0)) fired.push(firedFault(fault, fault.action));
  }
  return fired;
}

export interface AttemptSite extends Required<Subject> {
  readonly eventType: string;
  readonly endpointId: string;
  /** The URL of the endpoint, and what a listener forwards to. */
  readonly targets: readonly string[];
  readonly deliveryOrdinal: number;
  readonly attempt: number;
}

export function fireOnAttempt({ world }: Step, site: AttemptSite): FiredFault<DeliveryFaultAction>[] {
  const fired: FiredFault<DeliveryFaultAction>[] = [];
  for (const fault of world.faults.values()) {
    if (!isDeliveryFault(fault) || !matchesAttempt(fault.match, site)) continue;
    if (fires(world, fault, site.deliveryOrdinal, site.attempt)) fired.push(firedFault(fault, fault.action));
  }
  return fired;
}

function isCallFault(fault: Fault): fault is CallFault {
  return fault.match.on === 'call';
}

function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return fault.match.on === 'delivery';
}

function matchesCall({ match, action }: CallFault, call: CallSite): boolean {
  const { door, method, path } = call;
  return (
    (match.door === null || match.door === door) &&
    (match.method === null || match.method === method) &&
    (match.path === null || matchesGlob(match.path, path)) &&
    (action !== 'insert-between-pages' || isAccountList(call)) &&
    isAbout(match, call)
  );
}

function matchesAttempt(match: DeliveryMatch, site: AttemptSite): boolean {
  const { endpointUrl } = match;
  return (
    (match.eventType === null || matchesGlob(match.eventType, site.eventType)) &&
    (match.endpointId === null || match.endpointId === site.endpointId) &&
    (endpointUrl === undefined || site.targets.some((target) => matchesGlob(endpointUrl, target))) &&
    (match.attempt === null || match.attempt === site.attempt) &&
    isAbout(match, site)
  );
}

function isAbout({ code, resource }: Aim, subject: Subject): boolean {
  return (
    (code === undefined || (subject.code !== undefined && matchesGlob(code, subject.code))) &&
    (resource === undefined || resource === subject.resource)
  );
}

/** Counts, and draws by a chance that depends on seed, fault, ordinal and attempt alone. */
function fires(world: World, fault: Fault, ordinal: number, attempt: number): boolean {
  fault.seen += 1;
  if (fault.match.nth !== undefined && fault.match.nth !== fault.seen) return false;
  if (fault.count !== null && fault.fired >= fault.count) return false;
  const chance = hash128(world.seed, 'chance', fault.ordinal, ordinal, attempt)[0] / 0x100000000;
  if (chance >= fault.probability) return false;
  fault.fired += 1;
  return true;
}

function firedFault<Action extends string>(fault: Fault, action: Action): FiredFault<Action> {
  const { id, status, delayMs, copies, parallel, when } = fault;
  return onlyGiven({ id, action, status, delayMs, copies, parallel, when });
}

/** Without the fields that are undefined, which JSON could not keep. */
export function onlyGiven<Fields extends object>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Fields;
}
