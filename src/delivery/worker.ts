import { clearImmediate, setImmediate } from 'node:timers';
import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/webhooks/faults.js';
import { messageOf } from '../text/errors.js';
import { failedAttempt } from './attempt-failure.js';
import type { Aside } from './faulty-send.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';

/** One attempt that the core started and a worker has to make. */
export interface Job {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly number: number;
  /** The faults that fired on it. */
  readonly faults: readonly FiredFault<DeliveryFaultAction>[];
}

export interface WorkerPorts {
  /** Builds the request at the moment of sending, so that its timestamp is that of the dispatch; null drops the job. */
  readonly prepare: (job: Job) => AttemptRequest | null;
  /** Makes the attempt. An error before the signal aborts fails the attempt. */
  readonly send: (job: Job, request: AttemptRequest, signal: AbortSignal) => Promise<AttemptResult>;
  /** Takes the outcome; the request is null if it could not be built. */
  readonly report: (job: Job, request: AttemptRequest | null, result: AttemptResult) => void;
  /** Called with an error that failed an attempt, or that `report` threw. */
  readonly onBug: (error: unknown) => void;
  /** The most attempts in flight to one endpoint. */
  readonly concurrencyOf: (endpointId: string) => number;
}

/** Attempts that start before other work gets a turn: when many end or fall due together, starting all of them would stall it. */
const STARTS_PER_TURN = 16;

/** The outcome of an attempt that failed because of a bug in the sandbox. */
function failedBy(error: unknown): AttemptResult {
  return failedAttempt('SANDBOX_FAILED', messageOf(error));
}

type Prepared = { readonly request: AttemptRequest } | { readonly error: unknown };

interface Lane {
  inFlight: number;
  /** Those in flight that let others pass. */
  aside: number;
  /** Waiting jobs, and the number already taken from the front. */
  waiting: Job[];
  taken: number;
  /** Called once when an attempt of this lane has ended. */
  whenPassed: (() => void)[];
}

/** Jobs taken from the front of a lane that never empties are let go in pieces of this size, at least. */
const TAKEN_KEPT = 1_000;

function take(lane: Lane): void {
  lane.taken += 1;
  if (lane.taken < Math.max(TAKEN_KEPT, lane.waiting.length / 2)) return;
  lane.waiting = lane.waiting.slice(lane.taken);
  lane.taken = 0;
}

/**
 * Makes attempts, with a lane for each endpoint, so that a slow receiver delays no other. It knows no schedule: the core
 * says what is due, and gets every outcome.
 */
export class Worker {
  readonly #ports: WorkerPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();
  /** Lanes with attempts to start in the next turn, and what has started in this one. */
  readonly #held = new Set<Lane>();
  #started = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #open = 0;
  #whenSettled: (() => void)[] = [];

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
  }

  /** Attempts that have started in the world without a known outcome yet. */
  get open(): number {
    return this.#open;
  }

  add(job: Job): void {
    if (this.#stopping.signal.aborted) return;
    let lane = this.#lanes.get(job.endpointId);
    if (lane === undefined) {
      lane = { inFlight: 0, aside: 0, waiting: [], taken: 0, whenPassed: [] };
      this.#lanes.set(job.endpointId, lane);
    }
    this.#open += 1;
    lane.waiting.push(job);
    this.#fill(lane);
  }

  /** Lets the other attempts to an endpoint pass the one that asks. */
  stepAside(endpointId: string): Aside {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) throw new TypeError('Only an attempt in flight can step aside.');
    lane.aside += 1;
    return {
      overtaken: new Promise((resolve) => lane.whenPassed.push(resolve)),
      isAlone: () => {
        const isFull = lane.inFlight >= this.#ports.concurrencyOf(endpointId);
        return lane.inFlight === lane.aside && (isFull || lane.waiting.length === lane.taken);
      },
      comeBack: () => {
        lane.aside -= 1;
      },
    };
  }

  /** Resolves when no attempt is open, or when the worker stops. */
  settled(): Promise<void> {
    if (this.#open === 0 || this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  /** Aborts the attempts in flight and drops the waiting ones; no further outcome is reported. */
  stop(): void {
    this.#stopping.abort(new Error('The sandbox was reset or closed.'));
    clearImmediate(this.#nextTurn);
    this.#held.clear();
    this.#lanes.clear();
    this.#open = 0;
    this.#tellSettled();
  }

  #fill(lane: Lane): void {
    for (;;) {
      const job = lane.waiting[lane.taken];
      if (job === undefined) {
        lane.waiting = [];
        lane.taken = 0;
        return;
      }
      if (lane.inFlight >= this.#ports.concurrencyOf(job.endpointId)) return;
      if (this.#started >= STARTS_PER_TURN) {
        this.#held.add(lane);
        return;
      }
      take(lane);
      const prepared = this.#prepared(job);
      if (prepared === null) {
        this.#open -= 1;
        continue;
      }
      lane.inFlight += 1;
      this.#started += 1;
      this.#nextTurn ??= setImmediate(() => this.#takeTurn());
      void this.#make(job, prepared, lane);
    }
  }

  #takeTurn(): void {
    this.#nextTurn = undefined;
    this.#started = 0;
    const lanes = [...this.#held];
    this.#held.clear();
    for (const lane of lanes) this.#fill(lane);
  }

  /** The request, or the error that prevented it. */
  #prepared(job: Job): Prepared | null {
    try {
      const request = this.#ports.prepare(job);
      return request === null ? null : { request };
    } catch (error) {
      return { error };
    }
  }

  async #make(job: Job, prepared: Prepared, lane: Lane): Promise<void> {
    const { signal } = this.#stopping;
    let result: AttemptResult;
    try {
      result = await ('error' in prepared
        ? Promise.reject(prepared.error)
        : this.#ports.send(job, prepared.request, signal));
    } catch (error) {
      if (!signal.aborted) this.#ports.onBug(error);
      result = failedBy(error);
    }
    if (signal.aborted) return;
    this.#report(job, 'request' in prepared ? prepared.request : null, result);
    if (signal.aborted) return;
    if (lane.whenPassed.length > 0) for (const passed of lane.whenPassed.splice(0)) passed();
    lane.inFlight -= 1;
    this.#open -= 1;
    this.#fill(lane);
    if (this.#open === 0) this.#tellSettled();
  }

  /** Reports an outcome; if that throws, reports a failure instead. */
  #report(job: Job, request: AttemptRequest | null, result: AttemptResult): void {
    try {
      this.#ports.report(job, request, result);
    } catch (error) {
      this.#ports.onBug(error);
      if (this.#stopping.signal.aborted) return;
      try {
        this.#ports.report(job, request, failedBy(error));
      } catch (again) {
        this.#ports.onBug(again);
      }
    }
  }

  #tellSettled(): void {
    const waiting = this.#whenSettled;
    this.#whenSettled = [];
    for (const resolve of waiting) resolve();
  }
}
