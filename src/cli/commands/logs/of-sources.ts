/** The options with which `logs` shows calls and attempts instead of the timeline. */
export const ofSources = [
  'source',
  'status',
  'failed',
  'method',
  'path',
  'door',
  'unmatched',
  'events',
  'endpoint',
  'since',
  'app',
] as const;
