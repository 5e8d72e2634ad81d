import type { FailureReason } from '../shapes.js';

/** The limit of a list; rows come newest first. */
export interface ListLimit {
  /** How many rows at most; by default all. */
  readonly limit?: number | undefined;
}

/** The application, by id or name; by default the default one. */
export interface OfApp {
  readonly app?: string | undefined;
}

/** Why it failed: an SPI code such as `AC03`. */
export interface WithReason {
  readonly reason?: FailureReason | undefined;
}

/** The timeout, in real time. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
}
