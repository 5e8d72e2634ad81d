import type { Finding } from './finding.js';
import type { Hit, Trial } from './search.js';

/** The findings of a hit: one for each mistake that was tried, and one for each in the writing of the signature. */
export function explain({ trials, reading, alike }: Hit, signatureExpected: string): Finding[] {
  return [
    ...trials.map((trial, index) => findingOf(trial, alike[index] ?? [])),
    ...reading.mistakes.map(({ id, did, fix }): Finding => ({
      id,
      did,
      expected: signatureExpected,
      fix,
      certainty: 'proved',
      alike: [],
    })),
  ];
}

function findingOf({ dimension, mistake, variant }: Trial, alike: readonly string[]): Finding {
  const did =
    variant.detail === undefined ? mistake.did : `${mistake.did.replace(/\.$/, '')}: ${variant.detail}.`;
  return { id: mistake.id, did, expected: dimension.expected, fix: mistake.fix, certainty: 'proved', alike };
}
