export { explore, ExploreError } from './explore.js';
export type {
  ExploreResult,
  ExploredFailure,
  ExploredFinding,
  ExploredScenario,
  ExploreFields,
  ScenarioContext,
} from './explore.js';
export { matchers } from './expect/matchers.js';
export type { ExpectedEvents, MatcherResult, SandboxMatchers } from './expect/matchers.js';
export { createReceiver, Receiver } from './receiver.js';
export type { ReceivedRequest, EventChoice, ReceiverOptions } from './receiver.js';
