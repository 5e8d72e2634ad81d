import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers';
import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/world.js';
import { getErrorMessage } from '../text/errors.js';
import { createFailedAttempt } from './attempt-failure.js';
import type { OvertakenAttempt } from './faulty-send.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';

/** An attempt that the core has started. */
export interface AttemptJob {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly number: number;
  readonly faults: readonly FiredFault<DeliveryFaultAction>[];
}

interface WorkerPorts {
  /** Builds the request at dispatch time, so that its timestamp is current. Returns null to drop the job. */
  readonly prepare: (job: AttemptJob) => AttemptRequest | null;
  /** Sends the attempt. A thrown error fails the attempt, unless the signal has aborted. */
  readonly send: (job: AttemptJob, request: AttemptRequest, signal: AbortSignal) => Promise<AttemptResult>;
  /** Receives the outcome; `request` is null if building the request failed. */
  readonly report: (job: AttemptJob, request: AttemptRequest | null, result: AttemptResult) => void;
  /** Called with errors thrown by `prepare`, `send` or `report`. */
  readonly onBug: (error: unknown) => void;
  /** Returns the maximum number of concurrent attempts to an endpoint. */
  readonly concurrencyOf: (endpointId: string) => number;
}

interface Lane {
  inFlight: number;
  /** Number of in-flight attempts that other attempts can overtake. */
  overtakable: number;
  /** Job queue; the first `started` jobs have already started. */
  readonly jobs: AttemptJob[];
  started: number;
  passedCallbacks: (() => void)[];
}

/** Maximum number of attempts started per event loop turn, so that a burst does not block other work. */
const STARTS_PER_TURN = 16;
/** Batch size for removing started jobs from the front of a queue. */
const REMOVED_TOGETHER = 1_000;

/**
 * Sends attempts in one lane per endpoint, so that a slow receiver does not delay other receivers. The core
 * schedules the attempts and receives every outcome.
 */
export class DeliveryWorker {
  readonly #ports: WorkerPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();
  /** Lanes to resume in the next event loop turn. */
  readonly #held = new Set<Lane>();
  #startedInTurn = 0;
  #open = 0;
  #settledCallbacks: (() => void)[] = [];

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
    // Allow unlimited listeners, because every in-flight attempt adds one.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Number of queued and in-flight attempts. */
  get open(): number {
    return this.#open;
  }

  add(job: AttemptJob): void {
    if (this.#stopping.signal.aborted) return;
    let lane = this.#lanes.get(job.endpointId);
    if (lane === undefined) {
      lane = { inFlight: 0, overtakable: 0, jobs: [], started: 0, passedCallbacks: [] };
      this.#lanes.set(job.endpointId, lane);
    }
    this.#open += 1;
    lane.jobs.push(job);
    this.#fill(lane);
  }

  /** Lets other attempts to an endpoint overtake the current attempt. */
  allowOvertaking(endpointId: string): OvertakenAttempt {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) throw new TypeError('Only an in-flight attempt can be overtaken.');
    lane.overtakable += 1;
    return {
      overtaken: new Promise((resolve) => lane.passedCallbacks.push(resolve)),
      isEndpointIdle: () => {
        const isFull = lane.inFlight >= this.#ports.concurrencyOf(endpointId);
        return lane.inFlight === lane.overtakable && (isFull || lane.jobs.length === lane.started);
      },
      stopOvertaking: () => {
        lane.overtakable -= 1;
      },
    };
  }

  /** Resolves when no attempt is queued or in flight, or when the worker stops. */
  settled(): Promise<void> {
    if (this.#open === 0 || this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#settledCallbacks.push(resolve));
  }

  /** Aborts in-flight attempts and drops queued attempts. No further outcomes are reported. */
  stop(): void {
    this.#stopping.abort(new Error('The sandbox was reset or closed.'));
    this.#lanes.clear();
    this.#held.clear();
    this.#open = 0;
    this.#resolveSettled();
  }

  /** Starts queued jobs up to the endpoint's concurrency limit. */
  #fill(lane: Lane): void {
    for (;;) {
      const job = lane.jobs[lane.started];
      if (job === undefined || lane.inFlight >= this.#ports.concurrencyOf(job.endpointId)) return;
      if (this.#startedInTurn === STARTS_PER_TURN) {
        this.#held.add(lane);
        return;
      }
      if (this.#startedInTurn === 0) setImmediate(() => this.#startTurn());
      this.#startedInTurn += 1;
      lane.started += 1;
      if (lane.started === REMOVED_TOGETHER || lane.started === lane.jobs.length) {
        lane.jobs.splice(0, lane.started);
        lane.started = 0;
      }
      lane.inFlight += 1;
      void this.#make(job, lane);
    }
  }

  #startTurn(): void {
    this.#startedInTurn = 0;
    const lanes = [...this.#held];
    this.#held.clear();
    for (const lane of lanes) this.#fill(lane);
  }

  async #make(job: AttemptJob, lane: Lane): Promise<void> {
    const { prepare, send, onBug } = this.#ports;
    const { signal } = this.#stopping;
    let request: AttemptRequest | null = null;
    let result: AttemptResult;
    try {
      request = prepare(job);
      if (request === null) {
        lane.inFlight -= 1;
        this.#open -= 1;
        return;
      }
      result = await send(job, request, signal);
    } catch (error) {
      // Let the command that started the attempt finish before reporting the outcome.
      await Promise.resolve();
      if (!signal.aborted) onBug(error);
      result = failedByBug(error);
    }
    if (signal.aborted) return;
    this.#report(job, request, result);
    if (signal.aborted) return;
    for (const passed of lane.passedCallbacks.splice(0)) passed();
    lane.inFlight -= 1;
    this.#open -= 1;
    this.#fill(lane);
    if (this.#open === 0) this.#resolveSettled();
  }

  /** Reports an outcome; if reporting throws, reports a failure instead. */
  #report(job: AttemptJob, request: AttemptRequest | null, result: AttemptResult): void {
    const { report, onBug } = this.#ports;
    try {
      report(job, request, result);
    } catch (error) {
      onBug(error);
      if (this.#stopping.signal.aborted) return;
      try {
        report(job, request, failedByBug(error));
      } catch (again) {
        onBug(again);
      }
    }
  }

  #resolveSettled(): void {
    for (const resolve of this.#settledCallbacks.splice(0)) resolve();
  }
}

function failedByBug(error: unknown): AttemptResult {
  return createFailedAttempt('SANDBOX_FAILED', getErrorMessage(error));
}
