import type { FailureReason } from '../contract/enums.js';
import type { CallFaultAction } from '../contract/fault-kinds.js';
import { Refusal } from '../contract/refusals.js';
import { doDue } from './due.js';
import type { Effect, Step } from './effects.js';
import {
  type AccountInput,
  addOrigin,
  type AppInput,
  createAccount,
  createApp,
  type DefaultCredentials,
  type NonceUse,
  organizationOf,
  rekeyDefault,
  useNonce,
} from './identity/applications.js';
import {
  beginSession,
  createPublicSession,
  createSession,
  decideSession,
  type DecisionInput,
  findSession,
  type NewSession,
  type PublicSession,
  type SessionPerson,
} from './identity/sessions.js';
import {
  type ChargeCreated,
  createCharge,
  createWithdrawal,
  findCharge,
  findWithdrawal,
  move,
  payOutBetweenPages,
  settleOnRequest,
} from './payments/payments.js';
import {
  dropOldest,
  findDelivery,
  type Outcome,
  pauseDeliveries,
  recordOutcome,
  resumeDeliveries,
  type RetriedAll,
  retryAll,
  retryDelivery,
  type RetryFilter,
} from './webhooks/deliveries.js';
import {
  type ConnectedListener,
  connectListener,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type EndpointInput,
  findEndpoint,
  type ListenerInput,
  loseListener,
  rotateSecret,
} from './webhooks/endpoints.js';
import { resendEvent } from './webhooks/events.js';
import type { Fault, FaultInput, FiredFault } from './world.js';
import { accountListed, addFault, type CallSite, fireOnCall, removeFaults } from './webhooks/faults.js';
import { trigger, type Triggered, type TriggerInput } from './webhooks/trigger.js';
import type {
  Account,
  App,
  Charge,
  ChargeInput,
  Delivery,
  Endpoint,
  IdentitySession,
  Organization,
  Withdrawal,
  WithdrawalInput,
  World,
} from './world.js';

/** Every command with its input and its result. The input is plain data; the returned rows are the world's own. */
interface CommandTable {
  /** Only does what is due, as every command does first. */
  'clock.tick': { input: object; result: void };
  'app.create': { input: AppInput; result: App };
  'account.create': { input: AccountInput & { appId: string }; result: Account };
  /** The default application takes the credentials that the running sandbox was started with. */
  'app.rekey': { input: DefaultCredentials; result: void };
  'nonce.use': { input: NonceUse; result: void };
  'charge.create': { input: { appId: string; charge: ChargeInput }; result: ChargeCreated };
  /** `early` is the fault event-first. */
  'charge.settle': { input: { chargeId: string; early?: true | undefined }; result: Charge };
  'charge.fail': { input: { chargeId: string; reason: FailureReason | null }; result: Charge };
  'charge.expire': { input: { chargeId: string }; result: Charge };
  'withdrawal.create': {
    input: { appId: string; withdrawal: WithdrawalInput };
    result: { withdrawal: Withdrawal; created: boolean };
  };
  'withdrawal.process': { input: { withdrawalId: string }; result: Withdrawal };
  'withdrawal.settle': { input: { withdrawalId: string }; result: Withdrawal };
  'withdrawal.fail': { input: { withdrawalId: string; reason: FailureReason }; result: Withdrawal };
  'withdrawal.return': { input: { withdrawalId: string; reason: FailureReason }; result: Withdrawal };
  'endpoint.create': { input: { appId: string; endpoint: EndpointInput }; result: Endpoint };
  'endpoint.rotate': { input: { endpointId: string; secret: string }; result: Endpoint };
  'endpoint.disable': { input: { endpointId: string }; result: Endpoint };
  'endpoint.enable': { input: { endpointId: string }; result: Endpoint };
  'endpoint.delete': { input: { endpointId: string }; result: void };
  'listener.connect': { input: { appId: string; listener: ListenerInput }; result: ConnectedListener };
  'listener.lose': { input: { endpointId: string }; result: Delivery[] };
  'event.resend': { input: { eventId: string; endpointId?: string | undefined }; result: Delivery[] };
  'delivery.retry': { input: { deliveryId: string }; result: Delivery };
  'deliveries.retry': { input: RetryFilter; result: RetriedAll };
  /** Holds every attempt back until deliveries are resumed; then they start in order. */
  'deliveries.pause': { input: object; result: void };
  'deliveries.resume': { input: object; result: Delivery[] };
  'session.create': { input: NewSession; result: { session: IdentitySession; created: boolean } };
  /** Publishable-key mode: the browser creates the session, from a registered origin. */
  'session.createPublic': { input: PublicSession; result: IdentitySession };
  'session.begin': { input: { sessionId: string } & SessionPerson; result: IdentitySession };
  'session.decide': { input: { sessionId: string } & DecisionInput; result: IdentitySession };
  /** Registers an origin of the application's organization. */
  'origin.add': { input: { appId?: string | undefined; origin: string }; result: Organization };
  'delivery.attempted': { input: Outcome; result: boolean };
  'fault.add': { input: { fault: FaultInput }; result: Fault };
  /** Removes all faults when the id is null; returns how many were removed. */
  'fault.remove': { input: { id: string | null }; result: number };
  /** Another user of the account pays out, as the fault insert-between-pages asks after this call. */
  'fault.insert': { input: { appId: string; call: CallSite }; result: Withdrawal };
  /** Finds the faults that fire on a call, and counts them. */
  'fault.on-call': { input: { call: CallSite }; result: FiredFault<CallFaultAction>[] };
  trigger: { input: TriggerInput; result: Triggered };
}

export type CommandType = keyof CommandTable;

/** A command as plain data. */
export type Command<Type extends CommandType = CommandType> = {
  [T in Type]: { readonly type: T } & Readonly<CommandTable[T]['input']>;
}[Type];

export type ResultOf<Type extends CommandType> = CommandTable[Type]['result'];

type Handlers = {
  [Type in CommandType]: (step: Step, command: Command<Type>) => ResultOf<Type>;
};

/** Handlers of commands that change one row: they find it, change it and return it. */
function changing<Id extends string, Row>(idName: Id, find: (world: World, id: string) => Row) {
  return <Input>(change: (step: Step, row: Row, input: Input) => void) =>
    (step: Step, input: Input & Readonly<Record<Id, string>>): Row => {
      const row = find(step.world, input[idName]);
      change(step, row, input);
      return row;
    };
}

const onCharge = changing('chargeId', findCharge);
const onWithdrawal = changing('withdrawalId', findWithdrawal);
const onEndpoint = changing('endpointId', findEndpoint);
const onDelivery = changing('deliveryId', findDelivery);
const onSession = changing('sessionId', findSession);

const HANDLERS: Handlers = {
  'clock.tick': () => undefined,
  'app.create': createApp,
  'account.create': (step, { appId, ...account }) => createAccount(step, appId, account),
  'app.rekey': rekeyDefault,
  'nonce.use': useNonce,
  'charge.create': (step, { appId, charge }) => createCharge(step, appId, charge),
  'charge.settle': onCharge((step, charge, { early = false }) => settleOnRequest(step, charge, early)),
  'charge.fail': onCharge((step, charge, { reason }) => move(step, 'charge', 'fail', charge, reason)),
  'charge.expire': onCharge((step, charge) => move(step, 'charge', 'expire', charge)),
  'withdrawal.create': (step, { appId, withdrawal }) => createWithdrawal(step, appId, withdrawal),
  'withdrawal.process': onWithdrawal((step, row) => move(step, 'withdrawal', 'process', row)),
  'withdrawal.settle': onWithdrawal((step, row) => move(step, 'withdrawal', 'settle', row)),
  'withdrawal.fail': onWithdrawal((step, row, { reason }) => move(step, 'withdrawal', 'fail', row, reason)),
  'withdrawal.return': onWithdrawal((step, row, { reason }) =>
    move(step, 'withdrawal', 'return', row, reason),
  ),
  'endpoint.create': (step, { appId, endpoint }) => createEndpoint(step, appId, endpoint),
  'endpoint.rotate': onEndpoint((step, endpoint, { secret }) => rotateSecret(step, endpoint, secret)),
  'endpoint.disable': onEndpoint(disableEndpoint),
  'endpoint.enable': onEndpoint(enableEndpoint),
  'endpoint.delete': (step, { endpointId }) => deleteEndpoint(step, findEndpoint(step.world, endpointId)),
  'listener.connect': (step, { appId, listener }) => connectListener(step, appId, listener),
  'listener.lose': (step, { endpointId }) => loseListener(step, findEndpoint(step.world, endpointId)),
  'event.resend': (step, { eventId, endpointId }) => {
    if (endpointId !== undefined) findEndpoint(step.world, endpointId);
    return resendEvent(step, eventId, endpointId);
  },
  'delivery.retry': onDelivery(retryDelivery),
  'deliveries.retry': retryAll,
  'deliveries.pause': pauseDeliveries,
  'deliveries.resume': resumeDeliveries,
  'session.create': createSession,
  'session.createPublic': createPublicSession,
  'session.begin': onSession(beginSession),
  'session.decide': onSession(decideSession),
  'origin.add': (step, { appId, origin }) => addOrigin(organizationOf(step.world, appId), origin),
  'fault.add': (step, { fault }) => {
    const { match } = fault;
    if (match.on === 'delivery' && match.endpointId !== null) findEndpoint(step.world, match.endpointId);
    return addFault(step, fault);
  },
  'fault.remove': (step, { id }) => removeFaults(step, id),
  'fault.insert': (step, { appId, call }) => payOutBetweenPages(step, appId, accountListed(call)),
  'fault.on-call': (step, { call }) => fireOnCall(step, call),
  'delivery.attempted': recordOutcome,
  trigger,
};

export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(HANDLERS, type);
}

/**
 * The outcome of a command. A refused one changed nothing, so its `effects` hold only what was due anyway.
 * Those of the command itself begin at `ownFrom` and end at the next `due`.
 */
export type Applied<Result> = { readonly effects: readonly Effect[]; readonly ownFrom: number } & (
  | { readonly result: Result; readonly refusal?: undefined }
  | { readonly refusal: Refusal }
);

/**
 * The only way to change a world: does all that is due at or before `now`, then the command, then what that
 * made due. Then retention drops what is too much. `now` is sandbox time in milliseconds; a time before the
 * world's own counts as the world's own.
 */
export function apply<Type extends CommandType>(
  world: World,
  command: Command<Type>,
  now: number,
): Applied<ResultOf<Type>> {
  const effects: Effect[] = [];
  doDue(world, now, effects);
  const ownFrom = effects.length;
  const instant = world.now;
  try {
    const handler = HANDLERS[command.type] as (step: Step, command: Command<Type>) => ResultOf<Type>;
    const result = handler({ world, now: instant, effects }, command);
    doDue(world, instant, effects);
    return { effects, ownFrom, result };
  } catch (error) {
    if (error instanceof Refusal) return { effects, ownFrom, refusal: error };
    throw error;
  } finally {
    // Last, so that nothing goes that the command still works on.
    dropOldest({ world, now: instant, effects });
  }
}
