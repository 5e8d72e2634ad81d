import type { ControlClient } from '../client/control-client.js';
import { ControlError } from '../client/control-client.js';
import { withoutHeaderSecrets } from '../core/redaction.js';
import type { AttemptResult, HttpSender } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type { DeliveryLine } from '../http/control/schema.js';
import type { Io } from './io.js';
import { attemptLines } from './attempt-lines.js';
import { presentS } from './instants.js';
import { checkDelivery } from './signatures/check-delivery.js';
import { shortened } from './text.js';

export interface ForwarderOptions {
  readonly io: Io;
  readonly target: URL;
  readonly sender: HttpSender;
  /** What every request carries beside the delivery's own headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** For whom an attempt is: the endpoint, and its secret, which is null where signatures are not to be verified. */
export interface ListenerSide {
  readonly id: string;
  readonly secret: string | null;
}

/** Verifies attempts, forwards them to the application, reports what became of them, and shows it. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #open = new Set<Promise<void>>();
  /** Attempts that the application took, and that it did not. */
  accepted = 0;
  failed = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Makes one attempt; resolves when it has been reported. */
  take(client: ControlClient, listener: ListenerSide, attempt: ListenerAttempt): Promise<void> {
    const work = this.#forward(client, listener, attempt).finally(() => this.#open.delete(work));
    this.#open.add(work);
    return work;
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #forward(
    client: ControlClient,
    { id, secret }: ListenerSide,
    attempt: ListenerAttempt,
  ): Promise<void> {
    const { io, target, sender, headers } = this.#options;
    const body = Buffer.from(attempt.body, 'base64');
    const check = await checkDelivery({ headers: attempt.headers, body, secret, nowS: presentS() });
    const sent = await sender.send({
      url: target.href,
      headers: { ...headers, ...attempt.headers },
      body,
      timeoutMs: attempt.timeout_ms,
    });
    const result = withoutEcho(sent, [...(secret === null ? [] : [secret]), ...Object.values(headers)]);
    if (result.error === null) this.accepted += 1;
    else this.failed += 1;
    const delivery = await report(client, id, attempt, result);
    const { verified } = check;
    io.emit({ type: 'attempt', ...attemptJson(attempt, result), verified, delivery });
    if (!io.json) io.say(attemptLines({ attempt, body, check, result, delivery, target, io }).join('\n'));
  }
}

/** Words of a header that are shorter, such as `Bearer`, are no credentials. */
const LEAST_CREDENTIAL = 8;

/** A result without the secrets of ours that the application repeats in its answer. */
function withoutEcho(result: AttemptResult, secrets: readonly string[]): AttemptResult {
  const { response } = result;
  if (response === null) return result;
  const words = secrets
    .flatMap((secret) => secret.split(' '))
    .filter(({ length }) => length >= LEAST_CREDENTIAL);
  const hide = (text: string) => words.reduce((left, word) => left.replaceAll(word, shortened(word)), text);
  const headers = response.headers.map(([name, value]): [string, string] => [name, hide(value)]);
  const body = Buffer.from(hide(Buffer.from(response.body).toString('latin1')), 'latin1');
  return { ...result, response: { ...response, headers, body } };
}

/** Tells the sandbox; null when it has decided otherwise meanwhile or is away. */
async function report(
  client: ControlClient,
  listenerId: string,
  attempt: ListenerAttempt,
  result: AttemptResult,
): Promise<DeliveryLine | null> {
  try {
    const answer = await client.post<{ delivery: DeliveryLine | null }>(`listeners/${listenerId}/results`, {
      attempt_id: attempt.attempt_id,
      ...resultJson(result),
    });
    return answer.delivery;
  } catch (error) {
    if (error instanceof ControlError && error.status !== 409 && error.status !== 404) throw error;
    return null;
  }
}

/** What became of an attempt, as JSON. */
export function resultJson({ status, error, detail, bodyError, latencyMs, response }: AttemptResult) {
  return {
    response_status: status,
    error,
    detail,
    body_error: bodyError,
    latency_ms: latencyMs,
    response_headers: response === null ? null : withoutHeaderSecrets(response.headers),
    response_body: response === null ? null : Buffer.from(response.body).toString('base64'),
    truncated: response?.truncated ?? false,
  };
}

function attemptJson({ delivery_id, attempt, headers, body }: ListenerAttempt, result: AttemptResult) {
  return { delivery_id, attempt, headers, body, ...resultJson(result) };
}
