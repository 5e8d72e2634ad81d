import { hash } from 'node:crypto';
import type { Bytes } from '../bytes.js';
import type { Dimension, Mistake, Subject, Variant } from './mistake.js';
import type { Effort, Meter } from './meter.js';
import { type BodyForm, contentOf, type Plan, sizeOf } from './plan.js';
import type { Reading, Readings } from './readings.js';

/** One variant of a mistake in its dimension, as tried. */
export interface Trial {
  readonly dimension: Dimension;
  readonly mistake: Mistake;
  readonly variant: Variant;
}

/** Trials that together reproduce the signature, the decoding of its text, and equivalent trials. */
export interface Hit {
  readonly trials: readonly Trial[];
  readonly reading: Reading;
  readonly alike: readonly (readonly string[])[];
}

/** The signature to explain. `bases` are the correct plans: one for each current secret and each meaning of a header. */
export interface SearchTask {
  readonly subject: Subject;
  readonly bases: readonly Plan[];
  readonly dimensions: readonly Dimension[];
}

/** A task, the received signature, and the depth of the search. */
export interface Search extends SearchTask {
  readonly readings: Readings;
  readonly effort: Effort;
  readonly meter: Meter;
}

/** The result of a search: an explanation, none in the tables, or none before the budget ended. */
export type Outcome = Hit | 'unexplained' | 'exhausted';

/** Searches for the mistakes that explain a signature: none, then one, then two. */
export function search(options: Search): Outcome {
  const { effort, meter } = options;
  const attempt = attempts(options);
  const reading = attempt([]);
  if (reading) return { trials: [], reading, alike: [] };
  const trials: Trial[] = [];
  const single = searchSingles(
    trialsOf(options, ({ variants }) => variants),
    attempt,
    trials,
  );
  if (single) return single;
  if (meter.exhausted) return 'exhausted';
  // The many variants of a few mistakes are tried as far as the budget allows.
  const rare = searchSingles(
    trialsOf(options, ({ rare }) => rare),
    attempt,
  );
  if (rare) return rare;
  if (effort === 'singles') return 'unexplained';
  return searchPairs(usual(trials), attempt) ?? (meter.exhausted ? 'exhausted' : 'unexplained');
}

/** The variants of a mistake that are tried in pairs; the number of pairs grows with its square. */
const PAIRED_VARIANTS = 5;

type Attempt = (trials: readonly [one?: Trial, other?: Trial]) => Reading | undefined;

/** Tries one trial after another; `tried` receives them. */
function searchSingles(trials: Iterable<Trial>, attempt: Attempt, tried: Trial[] = []): Hit | undefined {
  let first: { trial: Trial; reading: Reading } | undefined;
  const alike = new Set<string>();
  for (const trial of trials) {
    tried.push(trial);
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
      return {
        trials: [one, other],
        reading,
        alike: [alikeBeside(other, one, trials, attempt), alikeBeside(one, other, trials, attempt)],
      };
    }
  }
  return undefined;
}

/** The trials that could replace `replaced` next to `kept`. */
function alikeBeside(kept: Trial, replaced: Trial, trials: readonly Trial[], attempt: Attempt): string[] {
  const ids = new Set<string>();
  for (const trial of trials) {
    if (trial.mistake === replaced.mistake || trial.dimension === kept.dimension) continue;
    if (attempt([kept, trial])) ids.add(trial.mistake.id);
  }
  return [...ids];
}

/** The trials of all dimensions, without variants that change nothing; made one mistake at a time while the budget lasts. */
function* trialsOf(
  { dimensions, subject, meter }: Search,
  variantsOf: (mistake: Mistake) => Mistake['variants'] | undefined,
): Generator<Trial> {
  for (const dimension of dimensions) {
    for (const mistake of dimension.mistakes) {
      if (meter.exhausted) return;
      for (const variant of variantsOf(mistake)?.(subject) ?? []) {
        if (changesAnything(variant.change, subject.right)) yield { dimension, mistake, variant };
      }
    }
  }
}

function changesAnything(change: Partial<Plan>, right: Plan): boolean {
  return Object.entries(change).some(([field, value]) => Reflect.get(right, field) !== value);
}

/** Makes the signature with the given mistakes, from each base, and compares it with what arrived. */
function attempts({ bases, readings, meter }: Search): Attempt {
  const formOf = bodyForms(meter);
  return (trials) => {
    for (const base of bases) {
      if (meter.exhausted) return undefined;
      const plan: Plan = { ...base, ...trials[0]?.variant.change, ...trials[1]?.variant.change };
      const content = contentOf(plan, formOf(plan));
      meter.spendMac(sizeOf(content));
      const reading = readings.match(plan.algorithm(plan.key, content));
      if (reading) return reading;
    }
    return undefined;
  };
}

/** Makes each form of each body once. All forms made from its SHA-256 cost the bytes of one. */
function bodyForms(meter: Meter): (plan: Plan) => Bytes {
  const bodies = new WeakMap<Uint8Array, Map<BodyForm, Bytes>>();
  const digests = new WeakMap<Uint8Array, Buffer>();
  const digestOf = (body: Uint8Array): Buffer => {
    const known = digests.get(body);
    if (known !== undefined) return known;
    meter.spendBytes(body.length);
    const digest = hash('sha256', body, 'buffer');
    digests.set(body, digest);
    return digest;
  };
  return ({ body, bodyForm }) => {
    const forms = bodies.get(body) ?? new Map<BodyForm, Bytes>();
    bodies.set(body, forms);
    const known = forms.get(bodyForm);
    if (known !== undefined) return known;
    // A form without a parameter is a constant.
    let readsBody = bodyForm.length > 0;
    const made = bodyForm(body, () => {
      readsBody = false;
      return digestOf(body);
    });
    if (readsBody) meter.spendBytes(body.length);
    forms.set(bodyForm, made);
    return made;
  };
}
