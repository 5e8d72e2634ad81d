import type { DiagnosisContext, Effort, Finding } from './finding.js';
import { hash } from 'node:crypto';
import type { Bytes } from '../bytes.js';
import type { BodyForm, Dimension, Mistake, Plan, Subject, Variant } from './mistake.js';
import { contentOf, observed, sizeOf } from './mistake.js';

/** A mistake in the format of a signature; found by decoding it differently, without making a signature. */
export interface WritingMistake {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
}

/** The bytes of a signature's text in one decoding, and what is wrong with that format. */
export interface Reading {
  readonly bytes: Buffer;
  readonly mistakes: readonly WritingMistake[];
  /** Ids of mistakes that would give the same text as the last one. */
  readonly alike?: readonly string[];
  /** Writes a signature in a form that cannot be decoded; `bytes` are then the text itself. */
  readonly write?: (mac: Buffer) => string;
}

/** Fewer bytes could match by chance. @internal */
const LEAST_BYTES = 8;

const TRUNCATED: WritingMistake = {
  id: 'signature-truncated',
  did: 'The signature was cut short.',
  fix: 'Send all 32 bytes of the signature.',
};

/** All decodings of a signature, looked up by the bytes of a recomputed one. */
export class Readings {
  readonly #byBytes = new Map<string, Reading>();
  readonly #lengths = new Set<number>();
  readonly #byText = new Map<(mac: Buffer) => string, Map<string, Reading>>();

  constructor(readings: readonly Reading[]) {
    for (const reading of readings.toSorted((one, other) => one.mistakes.length - other.mistakes.length)) {
      const { bytes, mistakes } = reading;
      if (bytes.length < LEAST_BYTES) continue;
      const key = bytes.toString('latin1');
      if (reading.write !== undefined) {
        const texts = this.#byText.get(reading.write) ?? new Map<string, Reading>();
        this.#byText.set(reading.write, texts.set(key, texts.get(key) ?? reading));
        continue;
      }
      const known = this.#byBytes.get(key);
      this.#byBytes.set(key, known ? withAlike(known, mistakes) : reading);
      this.#lengths.add(bytes.length);
    }
  }

  /** The decoding with the fewest mistakes whose bytes are the given ones, or their start. */
  match(mac: Buffer): Reading | undefined {
    const whole = this.#byBytes.get(mac.toString('latin1'));
    if (whole) return whole;
    for (const length of this.#lengths) {
      if (length >= mac.length) continue;
      const reading = this.#byBytes.get(mac.toString('latin1', 0, length));
      if (reading) return { bytes: reading.bytes, mistakes: [...reading.mistakes, TRUNCATED] };
    }
    for (const [write, texts] of this.#byText) {
      const reading = texts.get(write(mac));
      if (reading) return reading;
    }
    return undefined;
  }
}

function withAlike(reading: Reading, mistakes: readonly WritingMistake[]): Reading {
  const last = mistakes.at(-1);
  if (!last || mistakes.length > reading.mistakes.length) return reading;
  return { ...reading, alike: [...(reading.alike ?? []), last.id] };
}

/**
 * The bytes that a diagnosis may hash. Counted instead of timed, so that the same message always gives the
 * same result; they cover every mistake for a body of ordinary size, and end early for a large one.
 */
export const MAX_BYTES: Readonly<Record<Effort, number>> = {
  singles: 16 * 1024 * 1024,
  pairs: 512 * 1024 * 1024,
};

/** The cost of a signature over a short content, in bytes. */
const LEAST_COST_BYTES = 4096;

/** One variant of a mistake in its dimension, as tried. */
interface Trial {
  readonly dimension: Dimension;
  readonly mistake: Mistake;
  readonly variant: Variant;
}

/** Trials that together reproduce the signature, the decoding of its text, and equivalent trials. */
interface Hit {
  readonly trials: readonly Trial[];
  readonly reading: Reading;
  readonly alike: readonly (readonly string[])[];
}

/**
 * The signature to explain. `bases` are the correct plans: one for each current secret and each meaning of a
 * header.
 */
interface SearchTask {
  readonly subject: Subject;
  readonly bases: readonly Plan[];
  readonly dimensions: readonly Dimension[];
}

/** A task, the received signature, and the depth of the search. */
interface Search extends SearchTask {
  readonly readings: Readings;
  readonly effort: Effort;
  readonly maxBytes: number;
}

/** The result of a search: an explanation, none in the tables, or none before the budget ended. */
type Outcome = Hit | 'unexplained' | 'exhausted';

/** The bytes that are left to be hashed. */
interface Budget {
  bytes: number;
}

/** Searches for the mistakes that explain a signature: none, then one, then two. */
export function search(options: Search): Outcome {
  const budget: Budget = { bytes: options.maxBytes };
  const attempt = attempts(options, budget);
  const reading = attempt([]);
  if (reading) return { trials: [], reading, alike: [] };
  const trials = trialsOf(options, ({ variants }) => variants);
  const single = searchSingles(trials, attempt);
  if (single) return single;
  if (budget.bytes < 0) return 'exhausted';
  // The many variants of a few mistakes are tried as far as the budget allows.
  const rare = searchSingles(
    trialsOf(options, ({ rare }) => rare),
    attempt,
  );
  if (rare) return rare;
  if (options.effort === 'singles') return 'unexplained';
  return searchPairs(usual(trials), attempt) ?? (budget.bytes < 0 ? 'exhausted' : 'unexplained');
}

/** The variants of a mistake that are tried in pairs; the number of pairs grows with its square. */
const PAIRED_VARIANTS = 5;

type Attempt = (trials: readonly [one?: Trial, other?: Trial]) => Reading | undefined;

function searchSingles(trials: readonly Trial[], attempt: Attempt): Hit | undefined {
  let first: { trial: Trial; reading: Reading } | undefined;
  const alike = new Set<string>();
  for (const trial of trials) {
    // Once the mistake is known, its other variants do not matter.
    if (first?.trial.mistake === trial.mistake) continue;
    const reading = attempt([trial]);
    if (!reading) continue;
    if (first && reading.mistakes.length >= first.reading.mistakes.length) alike.add(trial.mistake.id);
    else {
      if (first) alike.add(first.trial.mistake.id);
      first = { trial, reading };
    }
  }
  return first && { trials: [first.trial], reading: first.reading, alike: [[...alike]] };
}

/** The first variants of each mistake; the tables list the likely ones first. */
function usual(trials: readonly Trial[]): Trial[] {
  const counts = new Map<Mistake, number>();
  return trials.filter(({ mistake }) => {
    const count = (counts.get(mistake) ?? 0) + 1;
    counts.set(mistake, count);
    return count <= PAIRED_VARIANTS;
  });
}

function searchPairs(trials: readonly Trial[], attempt: Attempt): Hit | undefined {
  for (const [index, one] of trials.entries()) {
    for (const other of trials.slice(index + 1)) {
      if (one.dimension === other.dimension) continue;
      const reading = attempt([one, other]);
      if (!reading) continue;
      // The trials that could replace one of the two next to the other.
      const alikeTo = (replaced: Trial, kept: Trial) => {
        const isOther = ({ mistake, dimension }: Trial) =>
          mistake !== replaced.mistake && dimension !== kept.dimension;
        const alike = trials.filter((trial) => isOther(trial) && attempt([kept, trial]) !== undefined);
        return [...new Set(alike.map(({ mistake }) => mistake.id))];
      };
      return { trials: [one, other], reading, alike: [alikeTo(one, other), alikeTo(other, one)] };
    }
  }
  return undefined;
}

/** The trials of all dimensions, without variants that change nothing. */
function trialsOf(
  { dimensions, subject }: Search,
  variantsOf: (mistake: Mistake) => Mistake['variants'] | undefined,
): Trial[] {
  const changesAnything = ({ change }: Variant) =>
    Object.entries(change).some(([field, value]) => Reflect.get(subject.right, field) !== value);
  return dimensions.flatMap((dimension) =>
    dimension.mistakes.flatMap((mistake) =>
      (variantsOf(mistake)?.(subject) ?? [])
        .filter(changesAnything)
        .map((variant) => ({ dimension, mistake, variant })),
    ),
  );
}

/** Makes the signature with the given mistakes, from each base, and compares it with what arrived. */
function attempts({ bases, readings }: Search, budget: Budget): Attempt {
  const formOf = bodyForms(budget);
  return (trials) => {
    for (const base of bases) {
      if (budget.bytes < 0) return undefined;
      const plan: Plan = { ...base, ...trials[0]?.variant.change, ...trials[1]?.variant.change };
      const content = contentOf(plan, formOf(plan));
      budget.bytes -= Math.max(sizeOf(content), LEAST_COST_BYTES);
      const reading = readings.match(plan.algorithm(plan.key, content));
      if (reading) return reading;
    }
    return undefined;
  };
}

/** Makes each form of each body once, and its SHA-256. */
function bodyForms(budget: Budget): (plan: Plan) => Bytes {
  const bodies = new WeakMap<Uint8Array, { readonly forms: Map<BodyForm, Bytes>; digest?: Buffer }>();
  return ({ body, bodyForm }) => {
    const known = bodies.get(body) ?? { forms: new Map<BodyForm, Bytes>() };
    bodies.set(body, known);
    const form =
      known.forms.get(bodyForm) ??
      bodyForm(body, () => {
        if (known.digest === undefined) budget.bytes -= body.length;
        return (known.digest ??= hash('sha256', body, 'buffer'));
      });
    known.forms.set(bodyForm, form);
    return form;
  };
}

/** The mistakes visible in a message without trying, and the remaining task. @internal */
export interface Case {
  readonly seen: readonly Finding[];
  readonly signature: string | undefined;
  readonly task: SearchTask;
}

/** A correct signature in words: its content and its format. @internal */
interface Expectations {
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
  { effort = 'singles', maxBytes = MAX_BYTES[effort] }: DiagnosisContext,
): Finding[] {
  if (readings.every(({ bytes }) => bytes.length < LEAST_BYTES))
    return [...seen, observed('signature-unreadable', UNREADABLE.did, expected.writing, UNREADABLE.fix)];
  const outcome = search({ ...task, readings: new Readings(readings), effort, maxBytes });
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
