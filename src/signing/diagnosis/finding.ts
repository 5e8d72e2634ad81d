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

/** A finding that is visible in the message, without trying. @internal */
export function observed(id: string, did: string, expected: string, fix: string): Finding {
  return { id, did, expected, fix, certainty: 'observed', alike: [] };
}
