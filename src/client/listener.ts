import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptResult } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type { DeliveryLine } from '../http/control/exchanges.js';
import { redactHeaders } from '../text/redaction.js';
import { type ControlClient, NotReachableError, SandboxError } from './control.js';
import type { ResponseOf, ControlStreams } from './routes.js';

type Message = ResponseOf<ControlStreams, 'POST listeners'>;
type Registration = ControlStreams['POST listeners']['body'] & { readonly app?: string | undefined };
/** Messages from a sandbox to a listener, excluding attempts. */
export type ListenerNotice = Exclude<Message, { readonly type: 'attempt' }>;

/**
 * Reports an attempt's result. Resolves to null if the sandbox already has a different result or has stopped.
 */
export type ReportResult = (result: AttemptResult) => Promise<DeliveryLine | null>;

interface ListenerHandlers {
  readonly onNotice?: (notice: ListenerNotice) => void;
  readonly onAttempt: (attempt: ListenerAttempt, report: ReportResult) => Promise<void>;
}

/** A listener's connection to a sandbox over the control API. */
export class ListenerConnection {
  /** The listener's id, which changes after a reset. */
  id: string | undefined;
  readonly #control: ControlClient;
  readonly #handlers: ListenerHandlers;
  readonly #hangUp = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #isConnected = false;
  #hasLeft = false;
  #onAcknowledged: () => void = () => undefined;
  /** Resolves once the sandbox has accepted or refused the listener. */
  readonly #responded = new Promise<void>((resolve) => {
    this.#onAcknowledged = resolve;
  });

  constructor(control: ControlClient, handlers: ListenerHandlers) {
    this.#control = control;
    this.#handlers = handlers;
  }

  /**
   * Resolves once the listener is connected. Rejects for the same reasons as `run`, but ignores later
   * disconnects.
   */
  async connect(body: Registration): Promise<void> {
    const ended = this.run(body);
    ended.catch(() => undefined);
    await this.#responded;
    if (!this.#isConnected) await ended;
  }

  /**
   * Resolves when an established connection ends. Rejects if the sandbox is unreachable or refuses the
   * listener.
   */
  async run({ app, ...body }: Registration): Promise<void> {
    try {
      for await (const message of this.#control.stream('POST listeners', {
        app,
        body,
        signal: this.#hangUp.signal,
      })) {
        this.#isConnected = true;
        if (message.type === 'ready') this.id = message.listener.id;
        if (message.type !== 'attempt') this.#handlers.onNotice?.(message);
        else if (this.id !== undefined && !this.#hasLeft) this.#handle(message, this.id);
        this.#onAcknowledged();
      }
    } catch (error) {
      if (this.#hangUp.signal.aborted) return;
      // Ignore this error: an established connection breaks when the sandbox stops.
      if (!(this.#isConnected && error instanceof NotReachableError)) throw error;
    } finally {
      this.#onAcknowledged();
    }
  }

  /**
   * Asks the sandbox to hold pending deliveries, waits up to `timeoutMs` for in-flight attempts, and
   * disconnects. Returns the number of held deliveries.
   */
  async leave(timeoutMs?: number): Promise<number> {
    await this.#responded;
    const id = this.id;
    const left =
      id === undefined
        ? undefined
        : await this.#control.post('listeners/:id/leave', { id }).catch(() => undefined);
    this.#hasLeft = true;
    const settled = Promise.allSettled(this.#inFlight);
    const timeout = timeoutMs === undefined ? [] : [sleep(timeoutMs, undefined, { ref: false })];
    await Promise.race([settled, ...timeout]);
    this.disconnect();
    return left?.held ?? 0;
  }

  disconnect(): void {
    this.#hangUp.abort();
  }

  #handle(attempt: ListenerAttempt, id: string): void {
    const report: ReportResult = (result) => reportAttempt(this.#control, id, attempt.attempt_id, result);
    const work = this.#handlers.onAttempt(attempt, report).finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }
}

async function reportAttempt(
  client: ControlClient,
  listenerId: string,
  attemptId: string,
  result: AttemptResult,
): Promise<DeliveryLine | null> {
  try {
    const body = { attempt_id: attemptId, ...toAttemptReport(result) };
    return (await client.post('listeners/:id/results', { id: listenerId, body })).delivery;
  } catch (error) {
    if (error instanceof NotReachableError) return null;
    if (error instanceof SandboxError && (error.status === 409 || error.status === 404)) return null;
    throw error;
  }
}

export function toAttemptReport({ status, error, detail, bodyError, latencyMs, response }: AttemptResult) {
  return {
    response_status: status,
    error,
    detail,
    body_error: bodyError,
    latency_ms: latencyMs,
    response_headers: response === null ? null : redactHeaders(response.headers),
    response_body: response === null ? null : Buffer.from(response.body).toString('base64'),
    truncated: response?.truncated ?? false,
  };
}
