import { performance } from 'node:perf_hooks';
import { pause } from '../../delivery/pause.js';
import type { Probe, Subject } from '../check.js';
import type { Difference, State } from './state.js';
import { differencesOf, isWithin, stateOf } from './state.js';

/** Milliseconds to wait for an expected state, at least and at most. */
const LEAST_PATIENCE_MS = 2_000;
const MOST_PATIENCE_MS = 30_000;
const GAP_MS = 40;
const LEAST_READS = 10;
/** Milliseconds after a response in which no effect may appear, at least. */
const LEAST_QUIET_MS = 60;
/** Waits for a late effect last this many times the learned delay. */
const DELAY_FACTOR = 2;

/** A code of ours. */
const CODE = /check-[\da-f]{6}-\d{4}/g;
const LINE = /^line (\d+)/;

/** Thrown when the probe cannot be run or prints more than one order. */
export class ProbeError extends Error {}

/** Reads the probe's output for an order, and waits for effects. */
export class Observer {
  /** Places that are not compared, and everything within them. */
  readonly ignored: Set<string>;
  /** Lines of text from here on are not compared. */
  #ignoredFromLine = Infinity;
  readonly #probe: Probe;
  readonly #signal: AbortSignal;
  /** Milliseconds from a response to its effect, as learned from the first payment. */
  #delayMs = 0;

  constructor(probe: Probe, signal: AbortSignal, ignored: readonly string[] = []) {
    this.#probe = probe;
    this.#signal = signal;
    this.ignored = new Set(ignored);
  }

  /** Milliseconds to wait for an expected state. */
  get patienceMs(): number {
    return Math.min(Math.max(LEAST_PATIENCE_MS, DELAY_FACTOR * this.#delayMs), MOST_PATIENCE_MS);
  }

  /** Records how long an effect took; later waits are at least twice as long. */
  learnDelay(ms: number): void {
    this.#delayMs = Math.max(this.#delayMs, ms);
  }

  /** Ignores the places of these differences; a list that grew is ignored as a whole, as are lines that were added to a text. */
  ignore(differences: readonly Difference[]): void {
    for (const { place, from } of differences) {
      const line = LINE.exec(place)?.[1];
      if (line !== undefined && from === null)
        this.#ignoredFromLine = Math.min(this.#ignoredFromLine, Number(line));
      if (!isWithin(place, this.ignored)) this.ignored.add(place.replace(/\.length$/, ''));
    }
  }

  async read(subject: Subject): Promise<State> {
    const printed = await this.#probe(subject, this.#signal);
    const other = printed.match(CODE)?.find((code) => code !== subject.code);
    if (other !== undefined)
      throw new ProbeError(
        `The probe for ${subject.code} also prints ${other}. It must print only the order that it is asked for.`,
      );
    return stateOf(printed, subject, Date.now());
  }

  /** Reads the state once a late effect of the last request would be visible. */
  async settled(subject: Subject): Promise<State> {
    await this.#pause(Math.max(LEAST_QUIET_MS, DELAY_FACTOR * this.#delayMs));
    return this.stable(subject);
  }

  /** Waits for a change, then reads the state once nothing changes any more. */
  async changed(before: State, subject: Subject): Promise<State> {
    await this.readUntil(subject, (one) => this.differences(before, one).length > 0);
    return this.settled(subject);
  }

  /** Reads until the differences are gone and stay so, or patience is over; returns the last ones. */
  async awaitNone(
    subject: Subject,
    differencesIn: (state: State) => readonly Difference[],
    patienceMs = this.patienceMs,
  ): Promise<readonly Difference[]> {
    const isReached = (one: State) => differencesIn(one).length === 0;
    const reached = await this.readUntil(subject, isReached, patienceMs);
    return differencesIn(isReached(reached) ? await this.settled(subject) : reached);
  }

  differences(from: State, to: State): Difference[] {
    return differencesOf(from, to, this.ignored).filter(
      ({ place }) => Number(LINE.exec(place)?.[1] ?? 0) < this.#ignoredFromLine,
    );
  }

  /** Reads until the state is as wanted; gives up when patience is over and, on a busy machine, after ten reads. */
  async readUntil(
    subject: Subject,
    isWanted: (state: State) => boolean | Promise<boolean>,
    patienceMs = this.patienceMs,
  ): Promise<State> {
    const startedMs = performance.now();
    let state = await this.read(subject);
    for (let reads = 0; !(await isWanted(state)); reads += 1) {
      if (reads >= LEAST_READS && performance.now() - startedMs > patienceMs) break;
      await this.#pause(GAP_MS);
      state = await this.read(subject);
    }
    return state;
  }

  /** Reads until two reads are equal. */
  async stable(subject: Subject): Promise<State> {
    let last = await this.read(subject);
    return this.readUntil(subject, (state) => {
      const isStable = this.differences(last, state).length === 0;
      last = state;
      return isStable;
    });
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, this.#signal);
  }
}
