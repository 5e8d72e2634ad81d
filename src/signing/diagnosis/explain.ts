import { type Finding, observed } from './finding.js';
import { type Budget, DEFAULT_BUDGETS, type Effort, Meter } from './meter.js';
import { LEAST_BYTES, type Reading, Readings } from './readings.js';
import { type Outcome, search, type SearchTask, type Trial } from './search.js';
import type { TimeContext } from './timestamp-header.js';

/** When a message arrived, and how deep to search. `effort` defaults to `singles`; `budget` limits the signatures and bytes. */
export interface DiagnosisContext extends TimeContext {
  readonly effort?: Effort;
  readonly budget?: Budget;
}

/** The mistakes visible in a message without trying, and the remaining task. @internal */
export interface Case {
  readonly seen: readonly Finding[];
  readonly signature: string | undefined;
  readonly task: SearchTask;
}

/** A correct signature in words: its content and its format. @internal */
export interface Expectations {
  readonly whole: string;
  readonly writing: string;
  /** The causes that remain without an explanation, and how to tell them apart. */
  readonly remaining: () => { readonly causes: string; readonly fix: string };
}

/** The visible mistakes of a message, and those that explain its signature in one of its `readings`. @internal */
export function diagnose(
  { seen, task }: Case,
  readings: readonly Reading[],
  expected: Expectations,
  { effort = 'singles', budget = DEFAULT_BUDGETS[effort] }: DiagnosisContext,
): Finding[] {
  if (readings.every(({ bytes }) => bytes.length < LEAST_BYTES))
    return [...seen, observed('signature-unreadable', UNREADABLE.did, expected.writing, UNREADABLE.fix)];
  const outcome = search({ ...task, readings: new Readings(readings), effort, meter: new Meter(budget) });
  return [...seen, ...explain(outcome, expected)];
}

const UNREADABLE = {
  did: 'The signature is not bytes in hex, in base64 or in another known encoding.',
  fix: 'Send all 32 bytes of the HMAC in the expected encoding.',
};

/** The findings of a search: one for each mistake in its content, and one for each in its format. */
function explain(outcome: Outcome, expected: Expectations): Finding[] {
  if (typeof outcome === 'string') {
    const { id, did } = UNEXPLAINED[outcome];
    const { causes, fix } = expected.remaining();
    return [
      { id, did: `${did} ${causes}.`, expected: expected.whole, fix, certainty: 'unexplained', alike: [] },
    ];
  }
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

/** The findings when nothing matches, and when the budget ended before all mistakes were tried. */
const UNEXPLAINED = {
  unexplained: { id: 'unknown-secret', did: 'No common mistake explains the signature:' },
  exhausted: {
    id: 'tries-exhausted',
    did: 'The search ended at its limit without an explanation: a mistake was not tried, or',
  },
};

function findingOf({ dimension, mistake, variant }: Trial, alike: readonly string[]): Finding {
  const did =
    variant.detail === undefined ? mistake.did : `${mistake.did.replace(/\.$/, '')}: ${variant.detail}.`;
  return { id: mistake.id, did, expected: dimension.expected, fix: mistake.fix, certainty: 'proved', alike };
}
