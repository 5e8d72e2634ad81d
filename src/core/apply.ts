import { createApp, organizationOf, rekeyDefault, useNonce } from './identity/applications.js';
import { createCharge, expireCharge, failCharge, findCharge, settleCharge } from './payments/charges.js';
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
import {
  beginSession,
  createPublicSession,
  createSession,
  decideSession,
  findSession,
} from './identity/sessions.js';
import { addOrigin } from './identity/organizations.js';
import { pauseDeliveries, resumeDeliveries } from './webhooks/pausing.js';
import { Refusal } from '../contract/refusals.js';
import { trigger } from './webhooks/trigger.js';
import {
  createWithdrawal,
  failWithdrawal,
  findWithdrawal,
  processWithdrawal,
  returnWithdrawal,
  settleWithdrawal,
} from './payments/withdrawals.js';
import type { World } from './world.js';

type Handlers = {
  [Type in CommandType]: (step: Step, command: Command<Type>) => ResultOf<Type>;
};

/** Changes a row and returns it. */
function doing<Row>(row: Row, change: (row: Row) => void): Row {
  change(row);
  return row;
}

const HANDLERS: Handlers = {
  'clock.tick': () => undefined,
  'app.create': (step, command) => createApp(step, command),
  'app.rekey': (step, command) => rekeyDefault(step, command),
  'nonce.use': (step, command) => useNonce(step, command),
  'charge.create': (step, { appId, charge }) => createCharge(step, appId, charge),
  'charge.settle': (step, { chargeId }) =>
    doing(findCharge(step.world, chargeId), (charge) => settleCharge(step, charge)),
  'charge.fail': (step, { chargeId, reason }) =>
    doing(findCharge(step.world, chargeId), (charge) => failCharge(step, charge, reason)),
  'charge.expire': (step, { chargeId }) =>
    doing(findCharge(step.world, chargeId), (charge) => expireCharge(step, charge)),
  'withdrawal.create': (step, { appId, withdrawal }) =>
    createWithdrawal(step, appId, withdrawal, { fund: false }),
  'withdrawal.process': (step, { withdrawalId }) =>
    doing(findWithdrawal(step.world, withdrawalId), (withdrawal) => processWithdrawal(step, withdrawal)),
  'withdrawal.settle': (step, { withdrawalId }) =>
    doing(findWithdrawal(step.world, withdrawalId), (withdrawal) => settleWithdrawal(step, withdrawal)),
  'withdrawal.fail': (step, { withdrawalId, reason }) =>
    doing(findWithdrawal(step.world, withdrawalId), (withdrawal) => failWithdrawal(step, withdrawal, reason)),
  'withdrawal.return': (step, { withdrawalId, reason }) =>
    doing(findWithdrawal(step.world, withdrawalId), (withdrawal) =>
      returnWithdrawal(step, withdrawal, reason),
    ),
  'endpoint.create': (step, { appId, endpoint }) => createEndpoint(step, appId, endpoint),
  'endpoint.rotate': (step, { endpointId, secret }) =>
    doing(findEndpoint(step.world, endpointId), (endpoint) => rotateSecret(step, endpoint, secret)),
  'endpoint.disable': (step, { endpointId }) =>
    doing(findEndpoint(step.world, endpointId), (endpoint) => disableEndpoint(step, endpoint)),
  'endpoint.enable': (step, { endpointId }) =>
    doing(findEndpoint(step.world, endpointId), (endpoint) => enableEndpoint(step, endpoint)),
  'endpoint.delete': (step, { endpointId }) => deleteEndpoint(step, findEndpoint(step.world, endpointId)),
  'listener.connect': (step, { appId, listener }) => connectListener(step, appId, listener),
  'listener.lose': (step, { endpointId }) => loseListener(step, findEndpoint(step.world, endpointId)),
  'event.resend': (step, { eventId, endpointId }) => {
    if (endpointId !== undefined) findEndpoint(step.world, endpointId);
    return resendEvent(step, eventId, endpointId);
  },
  'delivery.retry': (step, { deliveryId }) =>
    doing(findDelivery(step.world, deliveryId), (delivery) => retryDelivery(step, delivery)),
  'deliveries.pause': (step) => pauseDeliveries(step),
  'deliveries.resume': (step) => resumeDeliveries(step),
  'session.create': (step, command) => createSession(step, command),
  'session.createPublic': (step, command) => createPublicSession(step, command),
  'session.begin': (step, { sessionId, ...person }) =>
    doing(findSession(step.world, sessionId), (session) => beginSession(step, session, person)),
  'session.decide': (step, { sessionId, ...decision }) =>
    doing(findSession(step.world, sessionId), (session) => decideSession(step, session, decision)),
  'origin.add': (step, { appId, origin }) =>
    doing(organizationOf(step.world, appId), (organization) => addOrigin(step, organization, origin)),
  'fault.add': (step, { fault }) => {
    const { match } = fault;
    if (match.on === 'delivery' && match.endpointId !== null) findEndpoint(step.world, match.endpointId);
    return addFault(step, fault);
  },
  'fault.remove': (step, { id }) => removeFaults(step, id),
  'fault.on-call': (step, { call }) => fireOnCall(step, call),
  'delivery.attempted': (step, command) => recordOutcome(step, command),
  trigger: (step, command) => trigger(step, command),
};

/** The outcome of a command. A refused one changed nothing, so its `effects` hold only what was due anyway. */
export type Applied<Result> = { readonly effects: readonly Effect[] } & (
  | { readonly result: Result; readonly refusal?: undefined }
  | { readonly refusal: Refusal }
);

/**
 * The only way to change a world: does all that is due at or before `now`, then the command, then what that made due.
 * `now` is sandbox time in milliseconds; a time before the world's own counts as the world's own.
 */
export function apply<Type extends CommandType>(
  world: World,
  command: Command<Type>,
  now: number,
): Applied<ResultOf<Type>> {
  const effects: Effect[] = [];
  doDue(world, now, effects);
  const instant = world.now;
  try {
    const handler = HANDLERS[command.type] as (step: Step, command: Command<Type>) => ResultOf<Type>;
    const result = handler({ world, now: instant, effects }, command);
    doDue(world, instant, effects);
    return { effects, result };
  } catch (error) {
    if (error instanceof Refusal) return { effects, refusal: error };
    throw error;
  }
}
