/**
 * How sure a finding is: `proved`, this mistake reproduces the signature; `observed`, it is visible in the headers;
 * `possible`, the message is valid but makes it likely; `unexplained`, no known mistake explains the signature.
 */
export type Certainty = 'proved' | 'observed' | 'possible' | 'unexplained';

/** One difference from a correct signature. Its texts never contain a key, a secret or an expected signature. */
export interface Finding {
  /** Stable, in kebab case. */
  readonly id: string;
  readonly did: string;
  readonly expected: string;
  readonly fix: string;
  readonly certainty: Certainty;
  /** Ids of other mistakes that give the same signature for this message. */
  readonly alike: readonly string[];
}

/**
 * A secret that the diagnosis may try. Without a note it counts as current; a `credential` has another
 * purpose, such as a token.
 */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other' | 'credential';
}

/** The time to compare a timestamp header with; `toleranceS` is 300 by default. */
export interface TimeContext {
  readonly nowS: number;
  readonly toleranceS?: number;
}

/** The depth of a diagnosis: single mistakes, or also pairs. */
export type Effort = 'singles' | 'pairs';

/**
 * When a message arrived, and how deep to search. `effort` defaults to `singles`; `maxBytes` limits the bytes
 * hashed.
 */
export interface DiagnosisContext extends TimeContext {
  readonly effort?: Effort;
  readonly maxBytes?: number;
}
