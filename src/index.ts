export { SandboxError } from './client/sandbox-error.js';
export type * from './shapes.js';
export type { CallFilter, ExpectedCalls } from './testing/calls.js';
export { connectSandbox } from './testing/connect-sandbox.js';
export type { ConnectedSandbox } from './testing/connect-sandbox.js';
export { createSandbox } from './testing/create-sandbox.js';
export type { CreateSandboxOptions } from './testing/create-sandbox.js';
export type { TestSandbox } from './testing/create-sandbox.js';
export type { AccountFields, AppFields } from './testing/verbs.js';
export type { AddedFault, FaultFields } from './testing/verbs.js';
export type { ForwardOptions, Forwarding, ForwardTarget } from './testing/forward.js';
export type {
  CheckedReceiver,
  CheckFields,
  CheckLevel,
  CheckPart,
  CheckResult,
  CheckScope,
  CheckVerdict,
} from './testing/check.js';
export type { Decision } from './testing/verbs.js';
export type { ChargeFields, WithdrawalFields } from './testing/verbs.js';
export type { SandboxVerbs } from './testing/verbs.js';
export type { WebhookEvent } from './testing/webhooks.js';
export type { DeliveryFilter, EndpointFields, TriggeredEvents, TriggerOptions } from './testing/webhooks.js';
