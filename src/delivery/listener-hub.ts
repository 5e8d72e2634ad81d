import { clearTimeout, setTimeout } from 'node:timers';
import { createFailedAttempt } from './attempt-failure.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';
import type { AttemptJob } from './worker.js';

/** An attempt in the format sent to a listener. `body` is base64-encoded to preserve every byte. */
export interface ListenerAttempt {
  readonly attempt_id: string;
  readonly delivery_id: string;
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeout_ms: number;
  /** True for a copy that the receiver must reject: it has an invalid signature and no delivery. */
  readonly forged?: true;
}

interface OpenAttempt {
  readonly endpointId: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: AttemptResult) => void;
  readonly release: () => void;
}

/** Extra time after a listener's own time limit, used only to detect a hanging listener. */
const GRACE_MS = 2_000;

/** Manages listener connections: sends attempts over a stream and matches results by attempt id. */
export class ListenerHub {
  readonly #connections = new Map<string, (attempt: ListenerAttempt) => void>();
  readonly #open = new Map<string, OpenAttempt>();
  #sent = 0;

  /**
   * Binds an endpoint to a listener's connection. Returns a function that removes this binding and returns
   * true, or returns false if the binding was already removed or replaced.
   */
  attach(endpointId: string, send: (attempt: ListenerAttempt) => void): () => boolean {
    this.#connections.set(endpointId, send);
    return () => {
      const isOwn = this.#connections.get(endpointId) === send;
      if (isOwn) this.detach(endpointId);
      return isOwn;
    };
  }

  detach(endpointId: string): void {
    this.#connections.delete(endpointId);
    for (const [attemptId, open] of this.#open) {
      if (open.endpointId !== endpointId) continue;
      this.#settle(
        attemptId,
        createFailedAttempt('LISTENER_NOT_CONNECTED', 'The listener disconnected during the attempt.'),
      );
    }
  }

  has(endpointId: string): boolean {
    return this.#connections.has(endpointId);
  }

  /** Sends an attempt over the listener's connection. Rejects on abort or if sending throws. */
  deliver(
    job: Omit<AttemptJob, 'faults'> & Pick<ListenerAttempt, 'forged'>,
    request: AttemptRequest,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const send = this.#connections.get(job.endpointId);
    if (send === undefined) {
      return Promise.resolve(createFailedAttempt('LISTENER_NOT_CONNECTED', 'No listener is connected.'));
    }
    // A serial number makes attempt ids unique, because delivery ids repeat after a reset with a seed.
    this.#sent += 1;
    const attemptId = `${job.deliveryId}.${job.number}.${this.#sent}`;
    return new Promise((resolve, reject) => {
      const late = createFailedAttempt('TIMEOUT', 'The listener did not respond in time.', request.timeoutMs);
      const timer = setTimeout(() => this.#settle(attemptId, late), request.timeoutMs + GRACE_MS);
      const callOff = () => {
        this.#close(attemptId);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', callOff, { once: true });
      const release = () => signal.removeEventListener('abort', callOff);
      this.#open.set(attemptId, { endpointId: job.endpointId, timer, resolve, release });
      try {
        send({
          attempt_id: attemptId,
          delivery_id: job.deliveryId,
          attempt: job.number,
          headers: request.headers,
          body: Buffer.from(request.body).toString('base64'),
          timeout_ms: request.timeoutMs,
          ...(job.forged ? { forged: true } : {}),
        });
      } catch (error) {
        this.#close(attemptId);
        reject(error);
      }
    });
  }

  /**
   * Accepts a listener's result. Returns false if the attempt is not in flight or belongs to another
   * listener.
   */
  reply(endpointId: string, attemptId: string, result: AttemptResult): boolean {
    if (this.#open.get(attemptId)?.endpointId !== endpointId) return false;
    this.#settle(attemptId, result);
    return true;
  }

  #settle(attemptId: string, result: AttemptResult): void {
    this.#close(attemptId)?.resolve(result);
  }

  /** Closes an attempt, so that later results are ignored. */
  #close(attemptId: string): OpenAttempt | undefined {
    const open = this.#open.get(attemptId);
    if (open === undefined) return undefined;
    clearTimeout(open.timer);
    open.release();
    this.#open.delete(attemptId);
    return open;
  }
}
