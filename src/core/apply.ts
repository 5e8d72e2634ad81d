import type { FailureReason } from '../contract/enums.js';
import { Refusal } from '../contract/refusals.js';
import type { MoveOf, PaymentKind } from '../contract/transitions.js';
import { runDue } from './due.js';
import type { Effect, ApplyStep } from './effects.js';
import * as apps from './identity/applications.js';
import * as sessions from './identity/sessions.js';
import { requireRow, type NamedRows } from './named-rows.js';
import * as payments from './payments/payments.js';
import * as deliveries from './webhooks/deliveries.js';
import * as endpoints from './webhooks/endpoints.js';
import { resendEvent } from './webhooks/events.js';
import * as faults from './webhooks/faults.js';
import * as incidents from './webhooks/incidents.js';
import { triggerEvent } from './webhooks/trigger.js';
import type { ChargeInput, FaultInput, WithdrawalInput, World } from './world.js';

/** Creates handlers that find a row, change it and return it. */
function createRowHandler<Id extends string, Row>(idName: Id, find: (world: World, id: string) => Row) {
  return <Input = object>(change: (step: ApplyStep, row: Row, input: Input) => void) =>
    (step: ApplyStep, input: Input & Readonly<Record<Id, string>>): Row => {
      const row = find(step.world, input[idName]);
      change(step, row, input);
      return row;
    };
}

const onEndpoint = createRowHandler('endpointId', endpoints.findEndpoint);
const onDelivery = createRowHandler('deliveryId', deliveries.findDelivery);
const onSession = createRowHandler('sessionId', sessions.findSession);

/** Creates the handler of a payment transition; a failure without a reason uses the default reason. */
function createMoveHandler<Kind extends PaymentKind>(kind: Kind, name: MoveOf<Kind>) {
  return (
    step: ApplyStep,
    input: Readonly<Record<`${Kind}Id`, string>> & { readonly reason?: FailureReason | null | undefined },
  ): NamedRows[Kind] => {
    const row = requireRow(step.world, kind, input[`${kind}Id`]);
    payments.movePayment(step, kind, name, row, input.reason);
    return row;
  };
}

interface OfApp {
  readonly appId: string;
}

/** Command handlers by type. Inputs are plain data. Handlers return the world's rows, not copies. */
const HANDLERS = {
  /** Only runs due items, which every command runs first. */
  'clock.tick': (): void => undefined,
  'app.create': apps.createApp,
  'account.create': (step: ApplyStep, { appId, ...account }: apps.AccountInput & OfApp) =>
    apps.createAccount(step, appId, account),
  /** Replaces the default application's credentials with the running sandbox's credentials. */
  'app.rekey': apps.rekeyDefault,
  'nonce.use': apps.useNonce,
  'charge.create': (step: ApplyStep, { appId, charge }: OfApp & { charge: ChargeInput }) =>
    payments.createCharge(step, appId, charge),
  /** The `event-first` fault sets `early`. */
  'charge.settle': (step: ApplyStep, { chargeId, early }: { chargeId: string; early?: true | undefined }) =>
    payments.settleOnRequest(step, requireRow(step.world, 'charge', chargeId), early),
  'charge.fail': createMoveHandler('charge', 'fail'),
  'charge.expire': createMoveHandler('charge', 'expire'),
  'withdrawal.create': (step: ApplyStep, { appId, withdrawal }: OfApp & { withdrawal: WithdrawalInput }) =>
    payments.createWithdrawal(step, appId, withdrawal),
  'withdrawal.process': createMoveHandler('withdrawal', 'process'),
  'withdrawal.settle': createMoveHandler('withdrawal', 'settle'),
  'withdrawal.fail': createMoveHandler('withdrawal', 'fail'),
  'withdrawal.return': createMoveHandler('withdrawal', 'return'),
  'endpoint.create': (step: ApplyStep, { appId, endpoint }: OfApp & { endpoint: endpoints.EndpointInput }) =>
    endpoints.createEndpoint(step, appId, endpoint),
  'endpoint.rotate': onEndpoint((step, endpoint, { secret }: { secret: string }) =>
    endpoints.rotateSecret(step, endpoint, secret),
  ),
  'endpoint.disable': onEndpoint(endpoints.disableEndpoint),
  'endpoint.enable': onEndpoint(endpoints.enableEndpoint),
  'endpoint.delete': onEndpoint(endpoints.deleteEndpoint),
  'listener.connect': (step: ApplyStep, { appId, listener }: OfApp & { listener: endpoints.ListenerInput }) =>
    endpoints.addListener(step, appId, listener),
  'listener.lose': (step: ApplyStep, { endpointId }: { endpointId: string }) =>
    endpoints.markListenerDisconnected(step, endpoints.findEndpoint(step.world, endpointId)),
  'event.resend': (
    step: ApplyStep,
    { eventId, endpointId }: { eventId: string; endpointId?: string | undefined },
  ) => {
    if (endpointId !== undefined) endpoints.findEndpoint(step.world, endpointId);
    return resendEvent(step, eventId, endpointId);
  },
  'delivery.retry': onDelivery(deliveries.retryDelivery),
  'deliveries.retry': deliveries.retryAll,
  /** Holds all attempts until deliveries are resumed, which starts the attempts in order. */
  'deliveries.pause': deliveries.pauseDeliveries,
  'deliveries.resume': deliveries.resumeDeliveries,
  'session.create': sessions.createSession,
  /** In publishable-key mode, the browser creates the session from a registered origin. */
  'session.createPublic': sessions.createPublicSession,
  'session.begin': onSession(sessions.beginSession),
  'session.decide': onSession(sessions.decideSession),
  'origin.add': (step: ApplyStep, { appId, origin }: { appId?: string | undefined; origin: string }) =>
    apps.addOrigin(apps.findOrganization(step.world, appId), origin),
  'fault.add': (step: ApplyStep, { fault }: { fault: FaultInput }) => {
    endpoints.checkFaultEndpoint(step.world, fault);
    return faults.addFault(step, fault);
  },
  /** Removes all faults if the id is null; returns the number removed. */
  'fault.remove': (step: ApplyStep, { id }: { id: string | null }) => faults.removeMatchingFaults(step, id),
  'incident.start': (step: ApplyStep, incident: incidents.IncidentInput) => {
    for (const fault of incident.faults) endpoints.checkFaultEndpoint(step.world, fault);
    return incidents.startIncident(step, incident);
  },
  /** Stops all incidents if the name is null; returns the stopped incidents. */
  'incident.stop': (step: ApplyStep, { name }: { name: string | null }) =>
    incidents.stopIncidents(step, name),
  /** Simulates another user's payout after this request, for the `insert-between-pages` fault. */
  'fault.insert': (step: ApplyStep, { appId, call }: OfApp & { call: faults.CallFaultTarget }) =>
    payments.payOutBetweenPages(step, appId, faults.findListedAccount(call)),
  /** Finds and counts the faults that fire on a request. */
  'fault.on-call': (step: ApplyStep, { call }: { call: faults.CallFaultTarget }) =>
    faults.fireOnCall(step, call),
  'delivery.attempted': deliveries.recordOutcome,
  trigger: triggerEvent,
};

type Handlers = typeof HANDLERS;
export type CommandType = keyof Handlers;
type InputOf<Type extends CommandType> = Handlers[Type] extends (
  step: ApplyStep,
  input: infer Input,
) => unknown
  ? unknown extends Input
    ? object
    : Input
  : never;

export type Command<Type extends CommandType = CommandType> = {
  [T in Type]: { readonly type: T } & Readonly<InputOf<T>>;
}[Type];

export type ResultOf<Type extends CommandType> = ReturnType<Handlers[Type]>;

const BY_TYPE: {
  readonly [Type in CommandType]: (step: ApplyStep, command: Command<Type>) => ResultOf<Type>;
} = HANDLERS;

export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(HANDLERS, type);
}

type MoveCommand = Command<`charge.${MoveOf<'charge'>}` | `withdrawal.${MoveOf<'withdrawal'>}`>;

/** Builds the command for a payment transition; a failure without a reason uses the default reason. */
export function moveCommand(kind: PaymentKind, name: string, id: string, reason?: FailureReason) {
  const command: object = { type: `${kind}.${name}`, [`${kind}Id`]: id, ...(reason && { reason }) };
  return command as MoveCommand;
}

/**
 * Result of a command. A rejected command changes nothing, so `effects` then contains only the effects of due
 * items. The effects of the command itself start at `ownFrom` and end before the next `due`.
 */
export type ApplyResult<Result> = { readonly effects: readonly Effect[]; readonly ownFrom: number } & (
  | { readonly result: Result; readonly refusal?: undefined }
  | { readonly refusal: Refusal }
);

/**
 * Applies a command; a world changes only through commands. Runs all items due by `now`, then the command,
 * then newly due items, and finally drops the oldest rows. `now` is sandbox time in milliseconds; the world's
 * clock never moves backward.
 */
export function applyCommand<Type extends CommandType>(
  world: World,
  command: Command<Type>,
  now: number,
): ApplyResult<ResultOf<Type>> {
  const effects: Effect[] = [];
  runDue(world, now, effects);
  const ownFrom = effects.length;
  const instant = world.now;
  try {
    const result = BY_TYPE[command.type]({ world, now: instant, effects }, command);
    runDue(world, instant, effects);
    return { effects, ownFrom, result };
  } catch (error) {
    if (error instanceof Refusal) return { effects, ownFrom, refusal: error };
    throw error;
  } finally {
    // Dropping runs last, so that rows used by the command still exist.
    deliveries.dropOldestDeliveries({ world, now: instant, effects });
  }
}
