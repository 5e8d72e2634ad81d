import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/webhooks/faults.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';

/** One attempt that the core started and that somebody has to make. */
export interface Job {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly number: number;
  /** What is to go wrong with it. */
  readonly faults: readonly FiredFault<DeliveryFaultAction>[];
}

export interface WorkerPorts {
  /** Builds the request at the moment of sending, so that its timestamp is that of the dispatch; null drops the job. */
  readonly prepare: (job: Job) => AttemptRequest | null;
  /** Makes the attempt. What it throws or rejects with before the signal aborts has failed the attempt. */
  readonly send: (job: Job, request: AttemptRequest, signal: AbortSignal) => Promise<AttemptResult>;
  /** Takes what became of it; the request is null where it could not be built. */
  readonly report: (job: Job, request: AttemptRequest | null, result: AttemptResult) => void;
  /** Hears of an error that failed an attempt, or that `report` threw. */
  readonly onBug: (error: unknown) => void;
  /** How many attempts an endpoint takes at a time. */
  readonly concurrencyOf: (endpointId: string) => number;
}

/** The outcome of an attempt that failed by an error of ours. */
function failedBy(error: unknown): AttemptResult {
  const detail = error instanceof Error ? error.message : String(error);
  return {
    status: null,
    error: 'SANDBOX_FAILED',
    detail,
    bodyError: null,
    latencyMs: 0,
    response: null,
  };
}

type Prepared = { readonly request: AttemptRequest } | { readonly error: unknown };

interface Lane {
  inFlight: number;
  /** Jobs that wait, and how many of them have been taken from the front. */
  waiting: Job[];
  taken: number;
  /** Called, and forgotten, when an attempt of this lane has ended. */
  whenPassed: (() => void)[];
}

/**
 * Makes attempts, each endpoint in a lane of its own, so that a slow receiver holds up nobody else. It knows no schedule:
 * what is due comes from the core, and every outcome goes back there.
 */
export class Worker {
  readonly #ports: WorkerPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();
  #open = 0;
  #whenSettled: (() => void)[] = [];

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
  }

  /** Attempts that have started in the world and whose outcome is not known. */
  get open(): number {
    return this.#open;
  }

  add(job: Job): void {
    if (this.#stopping.signal.aborted) return;
    let lane = this.#lanes.get(job.endpointId);
    if (lane === undefined) {
      lane = { inFlight: 0, waiting: [], taken: 0, whenPassed: [] };
      this.#lanes.set(job.endpointId, lane);
    }
    this.#open += 1;
    lane.waiting.push(job);
    this.#fill(lane);
  }

  /** Resolves when another attempt to this endpoint has ended. */
  overtaken(endpointId: string): Promise<void> {
    return new Promise((resolve) => this.#lanes.get(endpointId)?.whenPassed.push(resolve));
  }

  /** Resolves when nothing is open, or when the worker was stopped. */
  settled(): Promise<void> {
    if (this.#open === 0 || this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  /** Aborts what is in flight and drops what waits: no outcome is reported any more. */
  stop(): void {
    this.#stopping.abort(new Error('The sandbox was reset or closed.'));
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
      lane.taken += 1;
      const prepared = this.#prepared(job);
      if (prepared === null) {
        this.#open -= 1;
        continue;
      }
      lane.inFlight += 1;
      void this.#make(job, prepared, lane);
    }
  }

  /** The request, or what kept it from being built. */
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
    const result = await this.#outcomeOf(job, prepared);
    if (signal.aborted) return;
    this.#report(job, 'request' in prepared ? prepared.request : null, result);
    if (signal.aborted) return;
    for (const passed of lane.whenPassed.splice(0)) passed();
    lane.inFlight -= 1;
    this.#open -= 1;
    this.#fill(lane);
    if (this.#open === 0) this.#tellSettled();
  }

  async #outcomeOf(job: Job, prepared: Prepared): Promise<AttemptResult> {
    const { signal } = this.#stopping;
    try {
      if ('error' in prepared) throw prepared.error;
      return await this.#ports.send(job, prepared.request, signal);
    } catch (error) {
      if (!signal.aborted) this.#ports.onBug(error);
      return failedBy(error);
    }
  }

  /** Reports an outcome; one that cannot be reported is reported as a failure. */
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
