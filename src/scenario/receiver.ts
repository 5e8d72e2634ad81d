import { ListenerConnection, type ReportResult } from '../client/listener.js';
import { EVENT_TYPES } from '../contract/enums.js';
import { createCompletedAttempt, createFailedAttempt } from '../delivery/attempt-failure.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type { EndpointView } from '../http/control/schema.js';
import { verifyWebhook } from '../signing/webhook.js';
import { StepFailure } from './api-clients.js';
import type { StepContext } from './expectations.js';
import type { ScenarioReply, ReceiverSpec } from './steps.js';
import { parseJson } from '../text/json.js';

/** Forwards a delivery to an application. Resolves to the result and never rejects. */
export type ForwardHandler = (delivery: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
}) => Promise<AttemptResult>;

interface Received {
  readonly type: string | null;
  readonly code: string | null;
  readonly id: string;
  readonly attempt: number;
  answer: number | string;
  readonly verified: boolean;
  readonly cause: string | null;
  readonly duplicate: boolean;
  /** Numbers of the secrets that signed the delivery, newest first. 1 is the receiver's first secret. */
  readonly signed_with: readonly number[];
  /** Name of the current step, or its number as a string. */
  readonly during: string;
  readonly payload: unknown;
}

interface Payload {
  readonly type?: string;
  readonly data?: { readonly object?: { readonly code?: string } };
}

/** Verifies signatures, sends the configured replies or forwards deliveries, and records requests. */
export class ScenarioReceiver {
  readonly received: Received[] = [];
  readonly #context: StepContext;
  readonly #connection: ListenerConnection;
  readonly #stampIsReal: boolean;
  readonly #accepted = new Set<string>();
  #answers: ScenarioReply[] = [];
  #secrets: string[] = [];
  #listener: EndpointView | undefined;
  #whenReady: () => void = () => undefined;

  private constructor(context: StepContext, stampIsReal: boolean) {
    this.#context = context;
    this.#stampIsReal = stampIsReal;
    this.#connection = new ListenerConnection(context.clients.control, {
      onNotice: (notice) => {
        if (notice.type !== 'ready') return;
        this.#listener = notice.listener;
        this.#secrets = [notice.secret];
        this.#whenReady();
      },
      onAttempt: (attempt, report) => this.#handleAttempt(attempt, report),
    });
  }

  /** Connects the receiver and resolves when it can receive deliveries. Rejects with StepFailure. */
  static async connect(
    context: StepContext,
    { answers, events = [...EVENT_TYPES], retries = 'real' }: ReceiverSpec,
  ): Promise<ScenarioReceiver> {
    const register = await context.clients.assumptions();
    const stamp = register.find(({ id }) => id === 'webhook.timestamp')?.value;
    const receiver = new ScenarioReceiver(context, stamp !== 'sandbox');
    receiver.answer(answers);
    const description = `scenario receiver${context.forward === undefined ? '' : ' → application'}`;
    await receiver.#connection.connect({ name: receiver.facts.name, events, retries, description });
    if (receiver.#listener === undefined)
      throw new StepFailure('The sandbox closed the receiver’s connection.');
    return receiver;
  }

  get facts() {
    const { id = '', url = '' } = this.#listener ?? {};
    return { id, url, name: `scenario-${this.#context.run}` };
  }

  /** Resolves when the sandbox registers the receiver again after a reset, which removes all listeners. */
  registered(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenReady = resolve;
    });
  }

  /** Sets the next replies, in order. The last reply repeats. */
  answer(answers: ReceiverSpec['answers'] = [200]): void {
    this.#answers = [...answers];
  }

  /** Adds a new secret. Earlier secrets stay valid. */
  addSecret(secret: string): void {
    this.#secrets.push(secret);
  }

  forget(): void {
    this.received.length = 0;
    this.#accepted.clear();
  }

  async leave(): Promise<void> {
    await this.#context.clients.control.delete('endpoints/:id', { id: this.facts.id }).catch(() => undefined);
    this.#connection.disconnect();
  }

  async #handleAttempt(
    { headers, attempt, timeout_ms: timeoutMs, body: sent }: ListenerAttempt,
    report: ReportResult,
  ) {
    const body = Buffer.from(sent, 'base64');
    const id = headers['webhook-id'] ?? '';
    const nowS = this.#stampIsReal ? Math.floor(Date.now() / 1000) : Number(headers['webhook-timestamp']);
    const verdicts = this.#secrets.map((secrets) => verifyWebhook({ body, headers, secrets, nowS }));
    const signedWith = verdicts.flatMap(({ ok }, index) => (ok ? [index + 1] : [])).reverse();
    const verified = signedWith.length > 0;
    const refusal = verdicts.find((verdict) => !verdict.ok);
    const payload = parsed(body);
    const row: Received = {
      type: payload?.type ?? null,
      code: payload?.data?.object?.code ?? null,
      id,
      attempt,
      answer: 0,
      verified,
      cause: verified ? null : (refusal?.cause ?? null),
      duplicate: this.#accepted.has(id),
      signed_with: signedWith,
      during: this.#context.during,
      payload: payload ?? body.toString(),
    };
    this.received.push(row);
    const { forward } = this.#context;
    const [next = 200] = !verified
      ? [400]
      : this.#answers.length > 1
        ? this.#answers.splice(0, 1)
        : this.#answers;
    const isAccepted = typeof next === 'number' && next < 300;
    const result =
      isAccepted && forward !== undefined ? await forward({ headers, body, timeoutMs }) : resultOf(next);
    const { status, error } = result;
    row.answer = status ?? (error === 'TIMEOUT' ? 'timeout' : 'reset');
    if (error === null) this.#accepted.add(id);
    // The scenario may have stopped in the meantime.
    await report(result).catch(() => undefined);
  }
}

function resultOf(answer: ScenarioReply): AttemptResult {
  const detail = 'the scenario receiver';
  if (answer === 'timeout') return createFailedAttempt('TIMEOUT', detail);
  if (answer === 'reset') return createFailedAttempt('CONNECTION_RESET', detail);
  return createCompletedAttempt(answer, answer < 300 ? null : detail);
}

function parsed(body: Buffer): Payload | undefined {
  const value = parseJson(body.toString());
  return typeof value === 'object' && value !== null ? value : undefined;
}
