import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { RestartError } from '../child.js';
import { sleep } from '../delivery/abort.js';
import type {
  ReceiverResponse,
  CheckEntry,
  CheckOptions,
  DeliveryExchange,
  CheckFinding,
  RestartHook,
} from './check.js';
import { createOrderEvent, type EventChanges, OrderError, type Orders, type PaidOrder } from './orders.js';
import { type ProbeDifference, formatDifferences, type TwinStates, diffFromPaidState } from './probe.js';
import { formatResponses, formatResponse, isAccepted, isTimeout } from './receiver-response.js';
import {
  type EventToSend,
  type WebhookMessage,
  createMessage,
  type MessageParts,
  createSignedParts,
  computeSignature,
  type SendTarget,
  type SignatureInput,
} from './send.js';

/** Maximum retries of a failed delivery, with growing pauses. */
const RETRIES = 3;
export const RETRY_PAUSE_MS = 100;
const MAX_EXCHANGES = 40;
/** Time limits for draining a receiver's queue, in milliseconds: per event and in total. */
const QUEUE_MS = 100;
const MOST_QUEUE_MS = 60_000;
/** Time limit in milliseconds for a slow receiver to process a burst. */
const BACKLOG_MS = 120_000;
/** Time limit in milliseconds for a crashed receiver to recover. */
const REVIVAL_MS = 3_000;
export const RESTART_DELAY_MS = 100;
const MOST_RESTART_MS = 30_000;
const RESTART_GAP_MS = 50;

/** Options shared by all checks in a run. */
export interface CheckContextOptions {
  readonly options: CheckOptions;
  readonly target: SendTarget;
  readonly orders: Orders;
  readonly signal: AbortSignal;
  /** Undefined unless the probe distinguishes paid from unpaid orders. */
  twins: TwinStates | undefined;
  responseMs: number;
  concurrency: number;
  /** Result of twenty concurrent deliveries, shared by two checks. */
  burst: Promise<DeliveryBurst> | undefined;
}

/** Responses to twenty concurrent events, and the longest event-loop delay in this process. */
export interface DeliveryBurst {
  readonly responses: readonly ReceiverResponse[];
  readonly delayMs: number;
}

export type CheckPlan = (context: CheckContext) => Promise<CheckFinding>;
export type ExpectedMessage = MessageParts & SignatureInput;
export type MessageVariant = (right: ExpectedMessage) => MessageParts;

export interface SendOptions {
  readonly variants?: readonly MessageVariant[];
  readonly changes?: EventChanges;
  readonly more?: Partial<WebhookMessage>;
}

/** A catalog entry. The engine itself performs checks without a `plan`. */
export type Check = CheckEntry & { readonly plan?: CheckPlan };

type CheckFields = Omit<Check, 'id' | 'level' | 'clause'>;

export function defineRequiredCheck(id: string, clause: string, fields: CheckFields): Check {
  return { id, level: 'must', clause, ...fields };
}

export function defineRecommendedCheck(id: string, clause: string, fields: CheckFields): Check {
  return { id, level: 'should', clause, ...fields };
}

/** Sends a check's requests and records the exchanges for the report. */
export class CheckContext {
  readonly options: CheckContextOptions;
  readonly exchanges: DeliveryExchange[] = [];

  constructor(options: CheckContextOptions) {
    this.options = options;
  }

  get isOrdered(): boolean {
    return this.options.orders.isOrdered;
  }

  get twins(): TwinStates {
    const { twins } = this.options;
    if (twins === undefined) throw new TypeError('This check requires a probe.');
    return twins;
  }

  /** Creates a charge. `amount`, e.g. `73.19`, applies only to order commands with `{amount}`. */
  charge(amount?: string): Promise<PaidOrder> {
    return this.options.orders.charge(this.options.signal, amount);
  }

  async settledCharge(): Promise<PaidOrder> {
    const charge = await this.charge();
    await this.options.orders.settle(charge);
    return charge;
  }

  event(about: PaidOrder, changes?: EventChanges): EventToSend {
    return createOrderEvent('pix.settled', about, Date.now(), changes);
  }

  /** Signs an event with a timestamp `skewS` seconds from now. */
  right(event: EventToSend, skewS = 0): ExpectedMessage {
    return createSignedParts(event, this.options.options.secret, Math.floor(Date.now() / 1000) + skewS);
  }

  async send(parts: MessageParts, more: Partial<WebhookMessage> = {}): Promise<ReceiverResponse> {
    const { target, options, signal } = this.options;
    const message = createMessage(parts, { ...more, headers: { ...options.headers, ...more.headers } });
    const response = await target.send(message, signal);
    if (this.exchanges.length < MAX_EXCHANGES) {
      const headers = Object.entries(message.headers);
      this.exchanges.push({ method: message.method, url: target.url, headers, body: message.body, response });
    }
    return response;
  }

  /** Sends each variant of a charge's `pix.settled` with a new webhook-id, so that none is a duplicate. */
  async sendEach(
    charge: PaidOrder,
    { variants = [(right) => right], changes, more }: SendOptions,
  ): Promise<ReceiverResponse[]> {
    const responses: ReceiverResponse[] = [];
    for (const variant of variants)
      responses.push(await this.send(variant(this.right(this.event(charge, changes))), more));
    return responses;
  }

  /** Delivers an event like the service, with up to three retries. */
  async deliver(
    event: EventToSend,
  ): Promise<{ readonly response: ReceiverResponse; readonly parts: ExpectedMessage }> {
    for (let attempt = 0; ; attempt += 1) {
      const parts = this.right(event);
      const response = await this.send(parts);
      if (isAccepted(response) || attempt === RETRIES) return { response, parts };
      await this.pause(RETRY_PAUSE_MS * (attempt + 1));
    }
  }

  /** Delivers an event that the check depends on. Rejects with GatedError if the event is not accepted. */
  async must(event: EventToSend) {
    const delivered = await this.deliver(event);
    if (!isAccepted(delivered.response)) throw new GatedError(event.type, delivered.response);
    return delivered;
  }

  async settled(charge: PaidOrder) {
    await this.options.orders.settle(charge);
    const event = this.event(charge);
    return { charge, event, ...(await this.must(event)) };
  }

  async paid() {
    return this.settled(await this.charge());
  }

  /** Pays an order and waits for the effect. Rejects with GatedError if either step fails. */
  async applied() {
    const delivered = await this.paid();
    const { charge, response } = delivered;
    const missing = await this.twins.observer.awaitNone(charge, (state) =>
      diffFromPaidState(this.twins, state),
    );
    if (missing.length > 0) throw new GatedError('pix.settled', response, missing);
    return { ...delivered, before: await this.twins.observer.read(charge) };
  }

  /** Sends a valid event as a control for forged events. Rejects with GatedError unless it gets 2xx. */
  async control(): Promise<void> {
    const event = this.event(await this.charge());
    const response = await this.send(this.right(event));
    if (!isAccepted(response)) throw new GatedError(event.type, response);
  }

  /** Returns true if a valid event is accepted within `revivalMs`; a busy receiver gets more time. */
  async isAlive(revivalMs = this.options.options.revivalMs ?? REVIVAL_MS): Promise<boolean> {
    const startedMs = performance.now();
    const context = new CheckContext(this.options);
    for (;;) {
      try {
        await context.control();
        return true;
      } catch (error) {
        // A crashed application cannot create orders either.
        if (!(error instanceof GatedError || error instanceof OrderError)) throw error;
        if (performance.now() - startedMs >= (error.isLate ? BACKLOG_MS : revivalMs)) return false;
      }
      await this.pause(RESTART_DELAY_MS);
    }
  }

  /** Pays another order, whose effect shows that an asynchronous receiver processed `count` queued events. */
  async drained(count: number): Promise<void> {
    const { twins } = this.options;
    if (twins === undefined) return;
    const { charge } = await new CheckContext(this.options).paid();
    const timeoutMs = Math.min(twins.observer.timeoutMs + count * QUEUE_MS, MOST_QUEUE_MS);
    await twins.observer.awaitNone(charge, (state) => diffFromPaidState(twins, state), timeoutMs);
  }

  /** Sends requests. Returns the responses and, with a probe, the requests' effect on an order. */
  async changesBy(charge: PaidOrder, send: () => Promise<readonly ReceiverResponse[]>) {
    const { twins } = this.options;
    const before = await twins?.observer.read(charge);
    const responses = await send();
    if (twins === undefined || before === undefined) return { responses, effect: undefined };
    const after = await twins.observer.settled(charge);
    return { responses, effect: { twins, after, changed: twins.observer.differences(before, after) } };
  }

  /** Restarts the application and waits until the new process responds. Rejects with RestartError. */
  async restarted(restart: RestartHook): Promise<void> {
    const context = new CheckContext(this.options);
    let isOver = false;
    const over = restart(this.options.signal).then(() => {
      isOver = true;
    });
    // The restart command can still fail after the run has ended.
    over.catch(() => undefined);
    const until = performance.now() + MOST_RESTART_MS;
    for (let isDown = false; ;) {
      const isOther = isOver || isDown;
      const unsigned = context.right(context.event(this.options.orders.createUnknownCharge()));
      const response = await context.send({ ...unsigned, signature: undefined });
      if (response.status === null || response.status >= 500) isDown = true;
      else if (isOther) return;
      if (performance.now() > until) {
        // Some receivers crash on unsigned events.
        if (isOther && response.status !== null) return;
        const seconds = MOST_RESTART_MS / 1000;
        throw new RestartError(
          isOther
            ? `No response within ${seconds} s of the restart: ${formatResponse(response)}.`
            : `The restart command did not exit within ${seconds} s, and the application kept responding.`,
        );
      }
      const gap = context.pause(RESTART_GAP_MS);
      await (isOver ? gap : Promise.race([over, gap]));
    }
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, this.options.signal);
  }
}

/** Thrown if a required event was not accepted or applied. */
export class GatedError extends Error {
  /** Set if the receiver timed out. */
  readonly isLate: boolean;

  constructor(type: string, response: ReceiverResponse, missing?: readonly ProbeDifference[]) {
    super(
      missing === undefined
        ? `A valid ${type} was not accepted: ${formatResponse(response)}.`
        : `A valid ${type} was accepted (${formatResponse(response)}), but not applied: ${formatDifferences(missing)}.`,
    );
    this.isLate = isTimeout(response);
  }
}

export function withSignature(
  ...texts: readonly ((right: ExpectedMessage) => string | undefined)[]
): SendOptions {
  return {
    variants: texts.map((text): MessageVariant => (right) => ({ ...right, signature: text(right) })),
  };
}

/** Computes a message's signature after replacing some parts. */
export function signVariant(right: ExpectedMessage, changed: Partial<SignatureInput>): string {
  return `v1,${computeSignature({ ...right, ...changed })}`;
}

export function forgeSignature(right: ExpectedMessage): string {
  return signVariant(right, { secret: `whsec_${randomBytes(32).toString('base64')}` });
}

/** Creates a finding that passes if every response is 2xx, and otherwise lists the rejections. */
export function requireAllAccepted(responses: readonly ReceiverResponse[]): CheckFinding {
  const refused = responses.filter((response) => !isAccepted(response));
  const got = formatResponses(refused.length > 0 ? refused : responses);
  return { outcome: refused.length > 0 ? 'fails' : 'holds', got };
}
