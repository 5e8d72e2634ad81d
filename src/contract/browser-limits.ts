/** Shared with the console, in a separate file because bundlers include whole objects. */
export const BROWSER_LIMITS = {
  /** Maximum nesting depth of JSON. */
  jsonDepth: 32,
  /** Stored timeline entries; the oldest are dropped. */
  timelineKept: 20_000,
  /** Entries per timeline or log response; exceeds what can occur while a stream opens. */
  timelineEntries: 2_000,
} as const;
