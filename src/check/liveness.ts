import { performance } from 'node:perf_hooks';
import { CATALOGUE } from './catalogue/catalogue.js';
import type { CheckEntry, CheckResult, Exchange } from './check.js';
import { OrderError } from './order.js';
import type { Kit } from './plan/bench.js';
import { BACKLOG_MS, Bench, Gated, isTimeout } from './plan/bench.js';
import { PLANS } from './plan/plans.js';
import { restarted, RestartError } from './plan/restart.js';

/** Milliseconds for a receiver that died to come back. */
const REVIVAL_MS = 3_000;
const REVIVAL_PAUSE_MS = 100;
/** A receiver may respond and die right afterwards, so the checks that had just passed are suspects, too. */
const JUST_PASSED = 4;

/** Asks whether the receiver lives, and finds the check by which it died. */
export class Liveness {
  /** The ids of the checks that were in flight when the receiver died. */
  readonly fatal = new Set<string>();
  /** The ids of the checks that had just passed. */
  readonly #justPassed = new Set<string>();
  /** Whether it died and did not come back. */
  isDead = false;
  readonly #kit: Kit;

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  /** Whether a valid event is accepted within the time that a restarting receiver may take; one that is busy gets longer. */
  async isAlive(): Promise<boolean> {
    const { revivalMs = REVIVAL_MS } = this.#kit.options;
    const startedMs = performance.now();
    const bench = new Bench(this.#kit);
    for (;;) {
      const state = await bench.control().then(() => 'accepted' as const, ifRefused);
      if (state === 'accepted') return true;
      if (performance.now() - startedMs > (state === 'late' ? BACKLOG_MS : revivalMs)) return false;
      await bench.pause(REVIVAL_PAUSE_MS);
    }
  }

  /**
   * Asks whether the receiver lives after these checks. Where it does not, it is restarted, if possible, and the suspects are tried one by
   * one. Returns the checks that were in flight where it is unknown which of them it was.
   */
  async ask(
    entries: readonly CheckEntry[],
    results: ReadonlyMap<string, CheckResult>,
    check: (entry: CheckEntry) => Promise<void>,
  ): Promise<readonly CheckEntry[]> {
    if (await this.isAlive()) return [];
    const suspects = suspectsAmong(entries, results);
    const passed = justPassed(suspects, results);
    const culprits: CheckEntry[] = [];
    let isUp = false;
    for (const suspect of [...passed, ...suspects]) {
      isUp ||= await this.#restart();
      if (!isUp) break;
      await check(suspect);
      // It may respond once more while it ends.
      await new Bench(this.#kit).pause(REVIVAL_PAUSE_MS);
      isUp = await this.isAlive();
      if (!isUp) culprits.push(suspect);
    }
    for (const { id } of culprits.length > 0 ? culprits : suspects) this.fatal.add(id);
    for (const { id } of culprits.length > 0 ? [] : passed) this.#justPassed.add(id);
    this.isDead = !isUp && !(await this.#restart());
    return this.isDead && culprits.length === 0 ? suspects : [];
  }

  /** Asks at the end of the run; `last` is the id of the last check. */
  async end(last: string): Promise<void> {
    if (this.isDead || (await this.isAlive())) return;
    this.isDead = true;
    this.fatal.add(last);
  }

  /** How the receiver died; empty where it did not. */
  text(): string {
    if (this.fatal.size === 0) return '';
    const before = this.#justPassed.size === 0 ? '' : `, just after ${[...this.#justPassed].join(', ')}`;
    const until = this.isDead ? '' : ', until it was restarted';
    return `it stopped accepting valid events during ${[...this.fatal].join(', ')}${before}${until}`;
  }

  async #restart(): Promise<boolean> {
    const { restart } = this.#kit.options;
    if (restart === undefined) return false;
    try {
      await restarted(new Bench(this.#kit), restart);
    } catch (error) {
      if (error instanceof RestartError) return false;
      throw error;
    }
    return this.isAlive();
  }
}

/** Those without a response, which were in flight; all where each got one. */
function suspectsAmong(
  entries: readonly CheckEntry[],
  results: ReadonlyMap<string, CheckResult>,
): readonly CheckEntry[] {
  const isCutOff = ({ answer }: Exchange) =>
    answer.status === null && answer.error !== 'CUT' && !isTimeout(answer);
  const cutOff = entries.filter(({ id }) => results.get(id)?.exchanges.some(isCutOff) === true);
  return cutOff.length > 0 ? cutOff : entries;
}

/** Those that passed last before the first of the suspects ended. */
function justPassed(
  suspects: readonly CheckEntry[],
  results: ReadonlyMap<string, CheckResult>,
): readonly CheckEntry[] {
  const ended = [...results.values()];
  const first = ended.findIndex(({ id }) => suspects.some((suspect) => suspect.id === id));
  const passed = ended.slice(0, Math.max(first, 0)).filter(({ verdict }) => verdict === 'pass');
  const ids = new Set(passed.slice(-JUST_PASSED).map(({ id }) => id));
  return CATALOGUE.filter(({ id }) => ids.has(id) && id in PLANS);
}

/** An application that has died creates no orders, either. */
function ifRefused(error: unknown): 'late' | 'refused' {
  if (error instanceof Gated || error instanceof OrderError) return error.isLate ? 'late' : 'refused';
  throw error;
}
