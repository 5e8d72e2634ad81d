import { performance } from 'node:perf_hooks';
import { pause } from '../../delivery/pause.js';
import type { Probe, Subject } from '../check.js';
import type { Difference, State } from './state.js';
import { differencesOf, stateOf } from './state.js';

/** The longest that a state is awaited. */
const MOST_MS = 2_000;
const GAP_MS = 40;
const LEAST_READS = 10;
/** The least time after an answer in which nothing may change. */
const LEAST_QUIET_MS = 60;

/** A code of ours. */
const CODE = /check-[\da-f]{6}-\d{4}/g;

/** The probe could not be run, or does not say what it should. */
export class ProbeError extends Error {}

/** Reads what the application holds for an order, and waits until it no longer changes. */
export class Observer {
  /** Places that differ between two orders that were treated alike. */
  readonly masked = new Set<string>();
  readonly #probe: Probe;
  readonly #signal: AbortSignal;
  /** How long after an answer an effect may still come, as the first order showed. */
  #quietMs = LEAST_QUIET_MS;

  constructor(probe: Probe, signal: AbortSignal) {
    this.#probe = probe;
    this.#signal = signal;
  }

  async read(subject: Subject): Promise<State> {
    const printed = await this.#probe(subject, this.#signal);
    const other = printed.match(CODE)?.find((code) => code !== subject.code);
    if (other !== undefined)
      throw new ProbeError(
        `The probe for ${subject.code} prints ${other}, too. It has to print one order only.`,
      );
    return stateOf(printed, subject, Date.now());
  }

  /** The state after the first change of a run; the time until then is what later waits allow for. */
  async learn(subject: Subject, before: State): Promise<State> {
    const startedMs = performance.now();
    const state = await this.#changed(subject, before);
    const seenMs = performance.now() - startedMs;
    const isSeen = this.differences(before, state).length > 0;
    if (isSeen) this.#quietMs = Math.min(Math.max(LEAST_QUIET_MS, seenMs * 2), MOST_MS / 2);
    return this.#stable(subject, state);
  }

  /** The state when an effect of what was sent last would be there. */
  async settled(subject: Subject): Promise<State> {
    await this.#pause(this.#quietMs);
    return this.#stable(subject, await this.read(subject));
  }

  /** The same after a change, which is awaited for up to two seconds. */
  async changed(before: State, subject: Subject): Promise<State> {
    await this.#changed(subject, before);
    return this.settled(subject);
  }

  /** What differs from the state that is expected, once nothing changes any more; waits up to two seconds for it. */
  async differencesFrom(expected: State, subject: Subject): Promise<Difference[]> {
    const state = await this.#readUntil(
      subject,
      (one) => this.differences(expected, one).length === 0,
      await this.settled(subject),
    );
    return this.differences(expected, state);
  }

  differences(from: State, to: State): Difference[] {
    return differencesOf(from, to, this.masked);
  }

  async #changed(subject: Subject, before: State): Promise<State> {
    return this.#readUntil(subject, (one) => this.differences(before, one).length > 0);
  }

  async #stable(subject: Subject, first: State): Promise<State> {
    let last = first;
    return this.#readUntil(
      subject,
      (state) => {
        const isStable = state !== last && this.differences(last, state).length === 0;
        last = state;
        return isStable;
      },
      first,
    );
  }

  /** Gives up after two seconds, on a busy machine after some reads. */
  async #readUntil(subject: Subject, isWanted: (state: State) => boolean, first?: State): Promise<State> {
    const startedMs = performance.now();
    let state = first ?? (await this.read(subject));
    for (let reads = 0; !isWanted(state); reads += 1) {
      if (reads >= LEAST_READS && performance.now() - startedMs > MOST_MS) break;
      await this.#pause(GAP_MS);
      state = await this.read(subject);
    }
    return state;
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, this.#signal);
  }
}
