import { performance } from 'node:perf_hooks';
import { messageOf } from '../text/errors.js';
import { KnownSecrets } from '../text/known-secrets.js';
import type { Kit } from './bench.js';
import { BACKLOG_MS, Bench, Gated, restarted, RestartError } from './bench.js';
import { CATALOGUE } from './catalogue/catalogue.js';
import type { Answer, CheckEntry, CheckResult, Exchange } from './check.js';
import type { Finding } from './judge.js';
import { isFailure, resultOf } from './judge.js';
import { OrderError } from './orders.js';
import { PLANS } from './plan/plans.js';
import { ProbeError } from './probe.js';
import type { Opening } from './twins.js';
import { open } from './twins.js';
import { answersText, isTimeout } from './response.js';
import { overlapping } from './lanes.js';

/** Checks that run at the same time, where the receiver handles so many requests. */
export const LANES = 8;
/** Milliseconds from which on a receiver is asked whether it handles requests at the same time. */
const SLOW_MS = 500;
/** Two requests that take this much longer than one are handled one after the other. */
const SERIAL_FACTOR = 1.6;
/** Milliseconds that requests of a serial receiver may take together, below the limit of an attempt. */
const SERIAL_MS = 6_000;
/** Requests of a run for which a slow receiver gets more time. */
const REQUESTS = 250;
/** How many checks that timed out are tried again. */
const FEW_TIMEOUTS = 2;

/** Events that may wait in a receiver's queue. */
const BURST = 24;
/** Checks that the run itself finds. */
const ALIVE = 'answer.alive';
const LOAD = 'answer.load';
/** Alone, in this order; what is not named comes between them. */
const FIRST = new Set(['time.limit', 'time.advice']);
const LAST = new Set(['dup.evicted']);

/** One run of the chosen checks. */
export class Run {
  notes: readonly string[] = [];
  /** Whether right events were accepted from the first to the last. */
  isAnswering = false;
  /** The checks that failed by a crash. */
  readonly crashed = new Set<string>();
  readonly #kit: Kit;
  readonly #entries: readonly CheckEntry[];
  readonly #extend: (ms: number) => void;
  readonly #running = new Set<string>();
  readonly #results = new Map<string, CheckResult>();
  /** Secrets that a response or a probe may repeat. */
  readonly #secrets: KnownSecrets;
  readonly #life: Liveness;
  #opening: Opening = { findings: new Map(), notes: [] };

  constructor(kit: Kit, entries: readonly CheckEntry[], extend: (ms: number) => void) {
    this.#kit = kit;
    this.#entries = entries;
    this.#extend = extend;
    const { secret, headers = {} } = kit.options;
    this.#secrets = new KnownSecrets([secret, secret.slice('whsec_'.length), ...Object.values(headers)]);
    this.#life = new Liveness(kit);
  }

  /** Checks that were not finished are unknown. */
  results(): CheckResult[] {
    const reason = 'The time was up before it was finished.';
    return this.#entries.map(
      (entry) =>
        this.#results.get(entry.id) ?? resultOf(entry, { outcome: 'unknown', sent: '', got: '', reason }),
    );
  }

  async all(): Promise<void> {
    const bench = new Bench(this.#kit);
    const first = this.#kit.options.probe === undefined ? 'accept.types' : 'effect.paid';
    this.#running.add(first);
    this.#showProgress();
    const opening = await open(bench);
    this.#running.delete(first);
    const { exchanges } = bench;
    this.#opening = opening;
    this.notes = opening.notes;
    this.isAnswering = opening.closed === undefined;
    if (opening.closed !== undefined) return this.#close(opening.closed, exchanges);
    for (const entry of this.#entries) {
      const finding = opening.findings.get(entry.id);
      if (finding !== undefined) this.#note(resultOf(entry, finding, { exchanges }));
    }
    await this.#learnPace();
    const isOwn = ({ id }: CheckEntry) => id === ALIVE || id === LOAD || opening.findings.has(id);
    const ready = this.#entries.filter((entry) => !isOwn(entry) && !this.#isLacking(entry));
    await this.#checkTogether(ready.filter(({ isAlone }) => !isAlone));
    await this.#checkEachAlone(ready.filter(({ isAlone }) => isAlone));
    await this.#finish();
  }

  async #checkTogether(entries: readonly CheckEntry[]): Promise<void> {
    await overlapping(this.#kit.lanes, entries, (entry) => this.#check(entry));
    // What failed in company is tried again alone, so that it fails by its own bug.
    const again = this.#toTryAgain(entries);
    const inCompany = again.map(({ id }) => this.#results.get(id)).filter((one) => one !== undefined);
    if (again.length > 0) await this.#survive(again);
    for (const entry of again.filter(({ id }) => !this.#life.fatal.has(id))) await this.#checkAlone(entry);
    this.#noteLoad(inCompany);
  }

  async #checkEachAlone(entries: readonly CheckEntry[]): Promise<void> {
    const rank = ({ id }: CheckEntry) => (FIRST.has(id) ? 0 : LAST.has(id) ? 2 : 1);
    const sorted = [...entries].sort((a, b) => rank(a) - rank(b));
    if (sorted.length > 0) await this.#drain();
    for (const [index, entry] of sorted.entries()) {
      const isAfterBurst = rank(entry) > 0 && index > 0 && rank(sorted[index - 1] ?? entry) === 0;
      if (isAfterBurst) await this.#drain();
      await this.#checkAlone(entry);
    }
  }

  /** Waits until the receiver has worked off what was sent before. */
  async #drain(): Promise<void> {
    const timeLimit = this.#results.get('time.limit');
    if (timeLimit !== undefined && isFailure(timeLimit)) await this.#life.isAlive();
    try {
      if (!this.#life.isDead) await new Bench(this.#kit).drained(BURST);
    } catch (error) {
      if (!isNoVerdict(error)) throw error;
    }
  }

  /** Records whether checks that failed in company pass alone: a receiver that fails under load. */
  #noteLoad(inCompany: readonly CheckResult[]): void {
    const entry = this.#entries.find(({ id }) => id === LOAD);
    if (entry === undefined) return;
    if (this.#life.fatal.size > 0) return this.#gateByDeath(entry);
    const sent = `the checks that need not run alone, ${this.#kit.lanes} at a time`;
    const isOverload = ({ status, error }: Answer) =>
      status === null ? error !== 'CUT' && error?.startsWith('TIMEOUT') !== true : status >= 500;
    const failed = inCompany
      .filter(({ id }) => this.#results.get(id)?.verdict === 'pass')
      .flatMap(({ exchanges }) => exchanges.map(({ answer }) => answer).filter(isOverload));
    const got = `${failed.length} responses failed, and none when the same was sent alone: ${answersText(failed)}`;
    this.#note(
      resultOf(
        entry,
        failed.length > 0 ? { outcome: 'fails', sent, got } : { outcome: 'holds', sent, got: '' },
      ),
    );
  }

  /** Learns whether a slow receiver handles requests at the same time, and gives it more time. */
  async #learnPace(): Promise<void> {
    const kit = this.#kit;
    const delayMs = kit.twins?.observer.patienceMs ?? 0;
    if (kit.responseMs >= SLOW_MS) {
      const startedMs = performance.now();
      await Promise.allSettled([new Bench(kit).control(), new Bench(kit).control()]);
      kit.signal.throwIfAborted();
      const isSerial = performance.now() - startedMs > SERIAL_FACTOR * kit.responseMs;
      if (isSerial) kit.lanes = Math.min(Math.max(Math.floor(SERIAL_MS / kit.responseMs), 1), LANES);
    }
    this.#extend(REQUESTS * kit.responseMs + this.#entries.length * delayMs);
  }

  #close({ by, finding, reason }: NonNullable<Opening['closed']>, exchanges: readonly Exchange[]): void {
    // Shown with the failed check, or with the first one where that was not chosen.
    const shown = this.#entries.find(({ id }) => id === by) ?? this.#entries[0];
    const hasResponse = exchanges.some(({ answer }) => answer.status !== null);
    for (const entry of this.#entries) {
      const { id } = entry;
      const seen = entry === shown ? { exchanges } : {};
      if (id === by) this.#note(resultOf(entry, finding, seen));
      else if (id === 'answer.redirect' && hasResponse)
        this.#note(resultOf(entry, { ...finding, outcome: 'holds' }, seen));
      else this.#gate(entry, by, reason, seen);
    }
  }

  /** Whether a check of effects cannot be made, because the opening did not show how a paid order looks. */
  #isLacking(entry: CheckEntry): boolean {
    const needsTwins = entry.needs?.includes('probe') === true;
    if (!needsTwins || this.#kit.twins !== undefined) return false;
    const { findings, blind } = this.#opening;
    const failed = CATALOGUE.find(({ id }) => findings.get(id)?.outcome === 'fails');
    if (failed !== undefined) this.#gate(entry, failed.id, failed.likely);
    else this.#note(resultOf(entry, { outcome: 'unknown', sent: '', got: '', reason: blind }));
    return true;
  }

  /** Those that did not pass. Where many timed out, they are not worth another ten seconds each. */
  #toTryAgain(entries: readonly CheckEntry[]): CheckEntry[] {
    const failed = entries.filter(({ id }) => {
      const result = this.#results.get(id);
      return result !== undefined && result.verdict !== 'pass';
    });
    const isLate = ({ id }: CheckEntry) =>
      this.#results.get(id)?.exchanges.some(({ answer }) => isTimeout(answer)) === true;
    return failed.filter(isLate).length <= FEW_TIMEOUTS ? failed : failed.filter((one) => !isLate(one));
  }

  async #checkAlone(entry: CheckEntry): Promise<void> {
    if (this.#life.isDead) return this.#gateByDeath(entry);
    await this.#check(entry);
    const result = this.#results.get(entry.id);
    if (result !== undefined && (isFailure(result) || result.verdict === 'gated'))
      await this.#survive([entry]);
  }

  /** Asks a last time whether the receiver lives. */
  async #finish(): Promise<void> {
    const life = this.#life;
    await life.end([...this.#results.keys()].at(-1) ?? ALIVE);
    this.isAnswering = !life.isDead;
    if (life.isDead) this.#gateUnjudged();
    const entry = this.#entries.find(({ id }) => id === ALIVE);
    const sent = 'a right event after each check that failed, and at the end';
    const outcome = life.fatal.size > 0 ? 'fails' : 'holds';
    if (entry !== undefined) this.#note(resultOf(entry, { outcome, sent, got: life.text() }));
    else if (life.isDead) this.notes = [...this.notes, `The receiver died: ${life.text()}.`];
  }

  /** Gates what has no verdict of its own, because the receiver died. */
  #gateUnjudged(): void {
    for (const entry of this.#entries) {
      const { verdict = 'unknown', gatedBy = null } = this.#results.get(entry.id) ?? {};
      const isUnjudged = (verdict === 'unknown' || verdict === 'gated') && gatedBy === null;
      if (isUnjudged && entry.id !== ALIVE) this.#gateByDeath(entry);
    }
  }

  /** After checks that failed: where one of several was the receiver's death, none of them has a verdict of its own. */
  async #survive(entries: readonly CheckEntry[]): Promise<void> {
    const suspects = await this.#life.ask(entries, this.#results, (entry) => this.#check(entry));
    if (suspects.length > 1) for (const entry of suspects) this.#gateByDeath(entry);
  }

  #gateByDeath(entry: CheckEntry): void {
    this.#gate(entry, ALIVE, this.#life.text());
  }

  #gate(entry: CheckEntry, by: string, why: string, seen: { exchanges?: readonly Exchange[] } = {}): void {
    const reason = `${by} failed: ${why}`;
    this.#note(resultOf(entry, { outcome: 'gated', sent: '', got: '', reason, gatedBy: by }, seen));
  }

  async #check(entry: CheckEntry): Promise<void> {
    const bench = new Bench(this.#kit);
    const startedMs = performance.now();
    this.#running.add(entry.id);
    this.#showProgress();
    const finding = await this.#find(entry, bench);
    const durationMs = Math.round(performance.now() - startedMs);
    if (finding.hasCrashed === true) this.crashed.add(entry.id);
    else this.crashed.delete(entry.id);
    this.#note(resultOf(entry, finding, { exchanges: bench.exchanges, durationMs }));
  }

  async #find({ id, sends }: CheckEntry, bench: Bench): Promise<Finding> {
    const plan = PLANS[id];
    if (plan === undefined) throw new TypeError(`${id} has no plan.`);
    try {
      return await plan(bench);
    } catch (error) {
      if (error instanceof ProbeError)
        return { outcome: 'unknown', sent: sends, got: '', reason: error.message };
      if (isNoVerdict(error)) return { outcome: 'gated', sent: sends, got: '', reason: messageOf(error) };
      throw error;
    }
  }

  #note(result: CheckResult): void {
    const { reason } = result;
    const hidden = {
      got: this.#secrets.hide(result.got),
      reason: reason === null ? null : this.#secrets.hide(reason),
    };
    const shown = { ...result, ...hidden };
    this.#results.delete(result.id);
    this.#results.set(result.id, shown);
    this.#running.delete(result.id);
    this.#showProgress();
  }

  #showProgress(): void {
    const { onProgress } = this.#kit.options;
    onProgress?.({
      running: [...this.#running],
      done: this.#results.size,
      total: this.#entries.length,
    });
  }
}

/** Whether the receiver or a command kept a check from being made. */
function isNoVerdict(error: unknown): boolean {
  return [Gated, OrderError, RestartError, ProbeError].some((kind) => error instanceof kind);
}

/** Milliseconds for a receiver that died to come back. */
const REVIVAL_MS = 3_000;
const REVIVAL_PAUSE_MS = 100;
/** A receiver may respond and die right afterwards, so the checks that had just passed are suspects, too. */
const JUST_PASSED = 4;

/** Asks whether the receiver lives, and finds the check by which it died. */
class Liveness {
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
