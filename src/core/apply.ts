import { createAccount, createApp, organizationOf, rekeyDefault, useNonce } from './identity/applications.js';
import { createCharge, expireCharge, failCharge, findCharge, settleOnRequest } from './payments/charges.js';
import type { Command, CommandType, ResultOf } from './commands.js';
import { doDue } from './due.js';
import { findDelivery, recordOutcome, retryDelivery } from './webhooks/deliveries.js';
import type { Effect, Step } from './effects.js';
import {
  connectListener,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  loseListener,
  rotateSecret,
} from './webhooks/endpoints.js';
import { resendEvent } from './webhooks/events.js';
import { addFault, fireOnCall, removeFaults } from './webhooks/faults.js';
import { accountListed } from './webhooks/call-subject.js';
import {
  beginSession,
  createPublicSession,
  createSession,
  decideSession,
  findSession,
} from './identity/sessions.js';
import { addOrigin } from './identity/organizations.js';
import { pauseDeliveries, resumeDeliveries } from './webhooks/pausing.js';
import { dropOldest } from './webhooks/retention.js';
import { retryAll } from './webhooks/retrying.js';
import { Refusal } from '../contract/refusals.js';
import { trigger } from './webhooks/trigger.js';
import {
  createWithdrawal,
  failWithdrawal,
  findWithdrawal,
  payOutBetweenPages,
  processWithdrawal,
  returnWithdrawal,
  settleWithdrawal,
} from './payments/withdrawals.js';
import type { World } from './world.js';

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
  'charge.fail': onCharge((step, charge, { reason }) => failCharge(step, charge, reason)),
  'charge.expire': onCharge(expireCharge),
  'withdrawal.create': (step, { appId, withdrawal }) =>
    createWithdrawal(step, appId, withdrawal, { fund: false }),
  'withdrawal.process': onWithdrawal(processWithdrawal),
  'withdrawal.settle': onWithdrawal(settleWithdrawal),
  'withdrawal.fail': onWithdrawal((step, withdrawal, { reason }) => failWithdrawal(step, withdrawal, reason)),
  'withdrawal.return': onWithdrawal((step, withdrawal, { reason }) =>
    returnWithdrawal(step, withdrawal, reason),
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
 * The outcome of a command. A refused one changed nothing, so its `effects` hold only what was due anyway. Those of the command
 * itself begin at `ownFrom` and end at the next `due`.
 */
export type Applied<Result> = { readonly effects: readonly Effect[]; readonly ownFrom: number } & (
  | { readonly result: Result; readonly refusal?: undefined }
  | { readonly refusal: Refusal }
);

/**
 * The only way to change a world: does all that is due at or before `now`, then the command, then what that made due. Then
 * retention drops what is too much.
 * `now` is sandbox time in milliseconds; a time before the world's own counts as the world's own.
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
