/** Limits shared with the console, in a separate file because bundlers include entire objects. */
export const BROWSER_LIMITS = {
  /** Maximum JSON nesting depth. */
  jsonDepth: 32,
  /** Maximum stored timeline entries; the oldest are dropped. */
  timelineKept: 20_000,
  /** Maximum entries per timeline or log response; exceeds the number that can occur while a stream opens. */
  timelineEntries: 2_000,
} as const;
