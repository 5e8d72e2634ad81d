import type { AccountInput, AppInput, DefaultCredentials, NonceUse } from './identity/applications.js';
import type { ChargeCreated, ChargeInput } from './payments/charges.js';
import type { Outcome } from './webhooks/deliveries.js';
import type { ConnectedListener, EndpointInput, ListenerInput } from './webhooks/endpoints.js';
import type { FailureReason } from '../contract/failure-reasons.js';
import type { CallFaultAction } from '../contract/fault-kinds.js';
import type { CallSite, Fault, FaultInput, FiredFault } from './webhooks/faults.js';
import type { DecisionInput, NewSession, PublicSession, SessionPerson } from './identity/sessions.js';
import type { IdentitySession } from './identity/session.js';
import type { RetriedAll, RetryFilter } from './webhooks/retrying.js';
import type { TriggerInput, Triggered } from './webhooks/trigger.js';
import type { WithdrawalInput } from './payments/withdrawals.js';
import type { Account, App, Charge, Delivery, Endpoint, Organization, Withdrawal } from './world.js';

/** Every command with its input and its result. The input is plain data; the returned rows are the world's own. */
export interface CommandTable {
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
