export { SandboxError } from './client/sandbox-error.js';
export type * from './public-types.js';
export type {
  AddedFault,
  CallFilter,
  DeliveryFilter,
  ExpectedCalls,
  SandboxVerbs,
  TriggeredEvents,
  WebhookEvent,
} from './testing/api.js';
export { connectSandbox } from './testing/connect-sandbox.js';
export type { ConnectedSandbox, ConnectSandboxOptions } from './testing/connect-sandbox.js';
export { createSandbox } from './testing/create-sandbox.js';
export type { CreateSandboxOptions, TestSandbox } from './testing/create-sandbox.js';
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
