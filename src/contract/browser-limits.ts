/** Limits shared with the console, in their own file because a bundler keeps whole objects. */
export const BROWSER_LIMITS = {
  /** Ours: nesting of JSON. */
  jsonDepth: 32,
  /** Ours: stored entries of the timeline; the newest stay. */
  timelineKept: 20_000,
  /** Ours: entries in one response of the timeline or the log; more than can occur while a stream opens. */
  timelineEntries: 2_000,
} as const;
