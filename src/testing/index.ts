export { matchers } from './matchers.js';
export type { ExpectedEvents, MatcherResult, SandboxMatchers } from './matchers.js';
export { createReceiver, Receiver } from './receiver.js';
export type { Arrival, EventChoice, ReceiverOptions } from './receiver.js';
