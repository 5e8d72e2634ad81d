import { type Given, type Streams } from '../client/routes.js';
import { EVENT_TYPES } from '../contract/enums.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type { EndpointView } from '../http/control/schema.js';
import { verifyWebhook } from '../signing/webhook.js';
import { StepFailure } from './doors.js';
import type { ReceiverAnswer, ReceiverSpec } from './steps.js';
import type { Stage } from './run.js';

/** Passes a delivery on to an application; resolves to the outcome, and never rejects. */
export type Forward = (delivery: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
}) => Promise<Outcome>;

type Outcome = Pick<AttemptResult, 'status' | 'error' | 'detail'>;

/** One request to the receiver. */
export interface Received {
  readonly type: string | null;
  /** The code of the charge or withdrawal. */
  readonly code: string | null;
  /** The `webhook-id`. */
  readonly id: string;
  readonly attempt: number;
  answer: number | string;
  readonly verified: boolean;
  /** Why the signature is invalid. */
  readonly cause: string | null;
  /** It was accepted before. */
  readonly duplicate: boolean;
  /** The secrets that signed it, newest first: 1 is the receiver's first secret. */
  readonly signed_with: readonly number[];
  /** The step at that time: its name, or its number as a text. */
  readonly during: string;
  readonly payload: unknown;
}

const BAD_REQUEST = 400;

/**
 * The built-in receiver: a listener that verifies every signature, gives the configured answers, and records
 * each request. Accepted deliveries are forwarded to the application, if there is one.
 */
export class ScenarioReceiver {
  /** All requests, in the order of arrival. */
  readonly received: Received[] = [];
  readonly #stage: Stage;
  readonly #hangUp = new AbortController();
  readonly #stampIsReal: boolean;
  readonly #accepted = new Set<string>();
  #answers: ReceiverAnswer[] = [];
  #secrets: string[] = [];
  #listener: EndpointView | undefined;
  #whenReady: () => void = () => undefined;

  private constructor(stage: Stage, answers: ReceiverSpec['answers'], stampIsReal: boolean) {
    this.#stage = stage;
    this.#stampIsReal = stampIsReal;
    this.answer(answers);
  }

  /** Connects; resolves when deliveries can come. Rejects with StepFailure. */
  static async connect(stage: Stage, spec: ReceiverSpec): Promise<ScenarioReceiver> {
    const register = await stage.doors.assumptions();
    const stamp = register.find(({ id }) => id === 'webhook.timestamp')?.value;
    const receiver = new ScenarioReceiver(stage, spec.answers, stamp !== 'sandbox');
    const ended = receiver.#listen({
      name: receiver.facts.name,
      events: spec.events ?? EVENT_TYPES,
      retries: spec.retries ?? 'real',
      description:
        stage.forward === undefined ? 'receiver of a scenario' : 'receiver of a scenario → application',
    });
    await Promise.race([receiver.registered(), ended]);
    if (receiver.#listener === undefined)
      throw new StepFailure('The sandbox closed the receiver’s connection.');
    return receiver;
  }

  /** The fields that steps may refer to. */
  get facts() {
    return {
      id: this.#listener?.id ?? '',
      url: this.#listener?.url ?? '',
      name: `scenario-${this.#stage.run}`,
    };
  }

  /** Resolves when the sandbox registers it again: a reset removes all listeners. */
  registered(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenReady = resolve;
    });
  }

  /** Sets its next answers, in order; the last one repeats. */
  answer(answers: ReceiverSpec['answers']): void {
    this.#answers = [...(answers ?? [200])];
  }

  /** Adds a new secret; the earlier ones stay valid here. */
  learn(secret: string): void {
    this.#secrets.push(secret);
  }

  forget(): void {
    this.received.length = 0;
    this.#accepted.clear();
  }

  /** Removes the listener and disconnects. */
  async leave(): Promise<void> {
    await this.#stage.doors.control.delete('endpoints/:id', { id: this.facts.id }).catch(() => undefined);
    this.#hangUp.abort();
  }

  async #listen(body: Given<Streams, 'POST listeners'>['body']): Promise<void> {
    const { signal } = this.#hangUp;
    try {
      for await (const message of this.#stage.doors.control.stream('POST listeners', { body, signal })) {
        if (message.type === 'attempt') void this.#take(message);
        if (message.type !== 'ready') continue;
        this.#listener = message.listener;
        this.#secrets = [message.secret];
        this.#whenReady();
      }
    } catch (error) {
      if (this.#listener === undefined) throw error;
      // A broken connection ends the deliveries, which the expectations will report.
    }
  }

  async #take(attempt: ListenerAttempt): Promise<void> {
    const body = Buffer.from(attempt.body, 'base64');
    const row = this.#row(attempt, body);
    this.received.push(row);
    const { status, error, detail } = await this.#outcome(row, attempt, body);
    row.answer = status ?? (error === 'TIMEOUT' ? 'timeout' : 'reset');
    if (error === null) this.#accepted.add(row.id);
    const report = { attempt_id: attempt.attempt_id, response_status: status, error, detail };
    // The sandbox may have decided the attempt meanwhile, and then takes no result.
    await this.#stage.doors.control
      .post('listeners/:id/results', { id: this.facts.id, body: report })
      .catch(() => undefined);
  }

  #row({ headers, attempt }: ListenerAttempt, body: Buffer): Received {
    const id = headers['webhook-id'] ?? '';
    const nowS = this.#stampIsReal ? Math.floor(Date.now() / 1000) : Number(headers['webhook-timestamp']);
    const verdicts = this.#secrets.map((secret) => verifyWebhook({ body, headers, secrets: secret, nowS }));
    const signedWith = verdicts.flatMap(({ ok }, index) => (ok ? [index + 1] : [])).reverse();
    const refusal = signedWith.length > 0 ? undefined : verdicts.find((verdict) => !verdict.ok);
    const payload = parsed(body);
    return {
      type: payload?.type ?? null,
      code: payload?.data?.object?.code ?? null,
      id,
      attempt,
      answer: 0,
      verified: refusal === undefined,
      cause: refusal?.cause ?? null,
      duplicate: this.#accepted.has(id),
      signed_with: signedWith,
      during: this.#stage.during,
      payload: payload ?? body.toString(),
    };
  }

  #outcome(
    row: Received,
    { headers, timeout_ms: timeoutMs }: ListenerAttempt,
    body: Buffer,
  ): Promise<Outcome> | Outcome {
    const { forward } = this.#stage;
    if (!row.verified) return outcomeOf(BAD_REQUEST);
    const [answer = 200] = this.#answers.length > 1 ? this.#answers.splice(0, 1) : this.#answers;
    const isAccepted = typeof answer === 'number' && answer < 300;
    return isAccepted && forward !== undefined ? forward({ headers, body, timeoutMs }) : outcomeOf(answer);
  }
}

function outcomeOf(answer: ReceiverAnswer): Outcome {
  const detail = 'the receiver of the scenario';
  if (answer === 'timeout') return { status: null, error: 'TIMEOUT', detail };
  if (answer === 'reset') return { status: null, error: 'CONNECTION_RESET', detail };
  if (answer < 300) return { status: answer, error: null, detail: null };
  return { status: answer, error: answer < 400 ? 'REDIRECT' : 'HTTP_STATUS', detail };
}

interface Payload {
  readonly type?: string;
  readonly data?: { readonly object?: { readonly code?: string } };
}

function parsed(body: Buffer): Payload | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
