import type { Failure, FaultFields, Finding, PlannedRun } from './explore.js';
import { fixOf } from './fixes.js';
import { kindName, KINDS } from './kinds.js';
import type { Outcome } from './runs.js';
import { shrunk } from './shrink.js';

const CONFIRMATIONS = 3;

/** The runs needed for shrinking and confirming. */
export interface Trials {
  readonly isTimeUp: boolean;
  readonly try: (faults: readonly FaultFields[]) => Promise<Outcome>;
  readonly again: (faults: readonly FaultFields[]) => Promise<Outcome>;
}

type MutableFinding = { -readonly [Key in keyof Finding]: Finding[Key] };

/** The causes of failed runs: the smallest faults of each, confirmed. Each is listed once, as reproducible or as flaky. */
export class Causes {
  /** Reproducible in every confirming run. */
  readonly findings: MutableFinding[] = [];
  /** Not reproducible in every confirming run. */
  readonly flaky: MutableFinding[] = [];
  /** Failures that no confirming run reproduced. */
  unconfirmed = 0;
  readonly #trials: Trials;

  constructor(trials: Trials) {
    this.#trials = trials;
  }

  async add({ faults, kinds }: PlannedRun, failure: Failure): Promise<void> {
    if (this.#isKnown(kinds, failure)) return;
    const trials = this.#trials;
    const stillFails = async (choice: readonly FaultFields[]) =>
      !trials.isTimeUp && isAgain(await trials.try(choice), failure);
    const smallest = await shrunk(faults, stillFails);
    const smallestKinds = smallest.map(kindName);
    if (this.#isKnown(smallestKinds, failure)) return;
    const { trace, failure: shown } = await trials.try(smallest);
    const { times, of } = await this.#confirmed(smallest, failure);
    if (times === 0 && of === CONFIRMATIONS) this.unconfirmed += 1;
    this.#list(times === of, {
      faults: smallest,
      kinds: smallestKinds,
      class: smallestKinds.some(isOutageKind) ? 'outage' : 'promised',
      failure: shown ?? failure,
      fix: fixOf(failure, smallestKinds),
      confirmed: `${times}/${of}`,
      trace,
      runs: 1,
    });
  }

  /** Lists a cause. A flaky one counts for a listed one with the same failure, reproducible or not. */
  #list(isReproducible: boolean, finding: MutableFinding): void {
    const known = [...this.findings, ...this.flaky].filter((one) => isSame(one.failure, finding.failure));
    if (!isReproducible) {
      const [first] = known;
      if (first === undefined) this.flaky.push(finding);
      else first.runs += 1;
      return;
    }
    const flaky = this.flaky.find((one) => known.includes(one));
    if (flaky !== undefined) this.flaky.splice(this.flaky.indexOf(flaky), 1);
    this.findings.push({ ...finding, runs: finding.runs + (flaky?.runs ?? 0) });
  }

  /** Counts a run whose cause is known: the same failure under the same kinds of faults, under more of them, or under another outage. */
  #isKnown(kinds: readonly string[], failure: Failure): boolean {
    const isOutage = kinds.some(isOutageKind);
    const known = this.findings.find(
      (finding) =>
        isSame(finding.failure, failure) &&
        (finding.kinds.every((kind) => kinds.includes(kind)) ||
          (isOutage && finding.kinds.every(isOutageKind))),
    );
    if (known === undefined) return false;
    known.runs += 1;
    return true;
  }

  async #confirmed(faults: readonly FaultFields[], failure: Failure) {
    let [times, of] = [0, 0];
    while (of < CONFIRMATIONS && !(of > 0 && this.#trials.isTimeUp)) {
      if (isAgain(await this.#trials.again(faults), failure)) times += 1;
      of += 1;
    }
    return { times, of };
  }
}

function isOutageKind(name: string): boolean {
  return KINDS.some((kind) => kind.name === name && kind.class === 'outage');
}

function isAgain({ isComplete, failure }: Outcome, wanted: Failure): boolean {
  return isComplete && failure !== null && isSame(failure, wanted);
}

function isSame(one: Failure, other: Failure): boolean {
  return one.category === other.category && one.name === other.name;
}
