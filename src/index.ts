export { SandboxError } from './client/control.js';
export type {
  NewCharge as ChargeFields,
  NewWithdrawal as WithdrawalFields,
  Triggered as TriggeredEvents,
} from './client/routes.js';
export type { AttemptError } from './contract/attempt-errors.js';
export type { FailureReason } from './contract/failure-reasons.js';
export type { SessionResult } from './core/identity/sessions.js';
export type { RefusalCode as ErrorCode } from './contract/refusals.js';
export type {
  ChargeResource,
  DeliveryResource,
  EndpointResource,
  TransactionResource,
  WebhookEvent,
  WithdrawalResource,
} from './core/resources/resources.js';
export type { ResetScope } from './contract/reset-scopes.js';
export type { CustomerType } from './contract/customer-types.js';
export type {
  ChargeStatus,
  DeliveryStatus,
  SessionStatus,
  WithdrawalStatus,
} from './contract/transitions.js';
export type { EventType } from './contract/events.js';
export type { Scope } from './contract/scopes.js';
export type {
  CallView,
  ChargeView,
  ClockView,
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  EventView,
  FaultView,
  SessionView,
  WithdrawalView,
} from './http/control/schema.js';
export type { ErrorBody } from './http/operation/error-body.js';
export type { CallFilter, ExpectedCalls } from './testing/calls.js';
export { createSandbox } from './testing/create-sandbox.js';
export type { CreateSandboxOptions, StateFile, TestSandbox } from './testing/create-sandbox.js';
export type { AddedFault, FaultFields } from './testing/faults.js';
export type { ForwardOptions, Forwarding, ForwardTarget } from './testing/forward.js';
export type { DeliveryFilter, EndpointFields, TriggerOptions } from './testing/webhooks.js';
export type { Decision } from './testing/identity.js';
