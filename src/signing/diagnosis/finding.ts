/**
 * How sure a finding is: `proved`, the signature was made again with this mistake; `observed`, it stands in the headers;
 * `possible`, the message holds but invites it; `unexplained`, nothing that was tried explains the signature.
 */
export type Certainty = 'proved' | 'observed' | 'possible' | 'unexplained';

/** One thing that was done differently. No text of it ever holds a key, a secret or an expected signature. */
export interface Finding {
  /** Stable, in kebab case. */
  readonly id: string;
  readonly did: string;
  readonly expected: string;
  readonly fix: string;
  readonly certainty: Certainty;
  /** Ids of other mistakes that would have made the same signature out of this message. */
  readonly alike: readonly string[];
}

/** A finding that is seen in the message itself, without trying. */
export function observed(id: string, did: string, expected: string, fix: string): Finding {
  return { id, did, expected, fix, certainty: 'observed', alike: [] };
}

/** The finding when nothing matches. */
export function unknownSecret(expected: string): Finding {
  return {
    id: 'unknown-secret',
    did: 'It was signed with a secret that is not known here, or over other content than arrived.',
    expected,
    fix: 'Check which secret the signing program loads, and that nothing between the two programs changes the message.',
    certainty: 'unexplained',
    alike: [],
  };
}

/** The finding when the budget ended before the tables did. */
export function triesExhausted(expected: string): Finding {
  return {
    id: 'tries-exhausted',
    did: 'It is not explained by the mistakes tried so far; the budget ended before the list did.',
    expected,
    fix: 'Diagnose the message again with a larger budget, or send the same request with a smaller body.',
    certainty: 'unexplained',
    alike: [],
  };
}
