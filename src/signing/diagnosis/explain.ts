import { type Finding, triesExhausted, unknownSecret } from './finding.js';
import type { Outcome, Trial } from './search.js';

/** A correct signature in words: its content and its format. */
export interface Expectations {
  readonly whole: string;
  readonly writing: string;
}

/** The findings of a search: one for each mistake in its content, and one for each in its format. */
export function explain(outcome: Outcome, expected: Expectations): Finding[] {
  if (outcome === 'exhausted') return [triesExhausted(expected.whole)];
  if (outcome === 'unexplained') return [unknownSecret(expected.whole)];
  const { trials, reading, alike } = outcome;
  return [
    ...trials.map((trial, index) => findingOf(trial, alike[index] ?? [])),
    ...reading.mistakes.map(({ id, did, fix }, index): Finding => ({
      id,
      did,
      expected: expected.writing,
      fix,
      certainty: 'proved',
      alike: index === reading.mistakes.length - 1 ? (reading.alike ?? []) : [],
    })),
  ];
}

function findingOf({ dimension, mistake, variant }: Trial, alike: readonly string[]): Finding {
  const did =
    variant.detail === undefined ? mistake.did : `${mistake.did.replace(/\.$/, '')}: ${variant.detail}.`;
  return { id: mistake.id, did, expected: dimension.expected, fix: mistake.fix, certainty: 'proved', alike };
}
