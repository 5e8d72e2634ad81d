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

/** Resends of a failed delivery, and the pause before each. */
const RETRIES = 3;
export const RETRY_PAUSE_MS = 100;
const MOST_KEPT = 40;
/** Milliseconds allowed to a receiver's queue per event, and for all. */
const QUEUE_MS = 100;
const MOST_QUEUE_MS = 60_000;
/** Milliseconds for a slow receiver to work off a burst. */
const BACKLOG_MS = 120_000;
/** Milliseconds for a receiver that died to come back. */
const REVIVAL_MS = 3_000;
export const REVIVAL_PAUSE_MS = 100;
const MOST_RESTART_MS = 30_000;
const RESTART_GAP_MS = 50;

/** Shared by all checks of a run. */
export interface CheckContextOptions {
  readonly options: CheckOptions;
  readonly target: SendTarget;
  readonly orders: Orders;
  readonly signal: AbortSignal;
  /** Undefined without a probe able to distinguish paid from unpaid orders. */
  twins: TwinStates | undefined;
  responseMs: number;
  lanes: number;
  /** Twenty concurrent events, which two checks look at. */
  burst: Promise<DeliveryBurst> | undefined;
}

/** Responses to twenty concurrent events, and how long our own event loop was held up meanwhile. */
export interface DeliveryBurst {
  readonly answers: readonly ReceiverResponse[];
  readonly delayMs: number;
}

export type CheckPlan = (bench: CheckContext) => Promise<CheckFinding>;
export type CorrectMessage = MessageParts & SignatureInput;
export type MessageVariant = (right: CorrectMessage) => MessageParts;

export interface SendOptions {
  readonly variants?: readonly MessageVariant[];
  readonly changes?: EventChanges;
  readonly more?: Partial<WebhookMessage>;
}

/** A check of the catalogue, and its plan; the run itself makes the ones without. */
export type Check = CheckEntry & { readonly plan?: CheckPlan };

type CheckFields = Omit<Check, 'id' | 'level' | 'clause'>;

export function defineMust(id: string, clause: string, fields: CheckFields): Check {
  return { id, level: 'must', clause, ...fields };
}

export function defineShould(id: string, clause: string, fields: CheckFields): Check {
  return { id, level: 'should', clause, ...fields };
}

/** Sends the requests of one check, and records them for the report. */
export class CheckContext {
  readonly kit: CheckContextOptions;
  readonly exchanges: DeliveryExchange[] = [];

  constructor(kit: CheckContextOptions) {
    this.kit = kit;
  }

  get isOrdered(): boolean {
    return this.kit.orders.isOrdered;
  }

  get twins(): TwinStates {
    const { twins } = this.kit;
    if (twins === undefined) throw new TypeError('This check needs a probe.');
    return twins;
  }

  /** A new charge; `amount` is a decimal with a point, for an order command that takes it. */
  charge(amount?: string): Promise<PaidOrder> {
    return this.kit.orders.charge(this.kit.signal, amount);
  }

  async settledCharge(): Promise<PaidOrder> {
    const charge = await this.charge();
    await this.kit.orders.settle(charge);
    return charge;
  }

  event(about: PaidOrder, changes?: EventChanges): EventToSend {
    return createOrderEvent('pix.settled', about, Date.now(), changes);
  }

  /** An event, correctly signed now or some seconds away from it. */
  right(event: EventToSend, skewS = 0): CorrectMessage {
    return createSignedParts(event, this.kit.options.secret, Math.floor(Date.now() / 1000) + skewS);
  }

  async send(parts: MessageParts, more: Partial<WebhookMessage> = {}): Promise<ReceiverResponse> {
    const { target, options, signal } = this.kit;
    const message = createMessage(parts, { ...more, headers: { ...options.headers, ...more.headers } });
    const answer = await target.send(message, signal);
    if (this.exchanges.length < MOST_KEPT) {
      const headers = Object.entries(message.headers);
      this.exchanges.push({ method: message.method, url: target.url, headers, body: message.body, answer });
    }
    return answer;
  }

  /** Sends a `pix.settled` of a charge in each variant, each with its own webhook-id, so that none is a repeat. */
  async sendEach(
    charge: PaidOrder,
    { variants = [(right) => right], changes, more }: SendOptions,
  ): Promise<ReceiverResponse[]> {
    const answers: ReceiverResponse[] = [];
    for (const variant of variants)
      answers.push(await this.send(variant(this.right(this.event(charge, changes))), more));
    return answers;
  }

  /** Sends an event like the service: resends up to three times until accepted. */
  async deliver(
    event: EventToSend,
  ): Promise<{ readonly answer: ReceiverResponse; readonly parts: CorrectMessage }> {
    for (let attempt = 0; ; attempt += 1) {
      const parts = this.right(event);
      const answer = await this.send(parts);
      if (isAccepted(answer) || attempt === RETRIES) return { answer, parts };
      await this.pause(RETRY_PAUSE_MS * (attempt + 1));
    }
  }

  /** Delivers an event required to continue the check. Throws Gated. */
  async must(event: EventToSend) {
    const delivered = await this.deliver(event);
    if (!isAccepted(delivered.answer)) throw new GatedError(event.type, delivered.answer);
    return delivered;
  }

  async settled(charge: PaidOrder) {
    await this.kit.orders.settle(charge);
    const event = this.event(charge);
    return { charge, event, ...(await this.must(event)) };
  }

  async paid() {
    return this.settled(await this.charge());
  }

  /** Pays an order and waits for the effect. Throws Gated without one. */
  async applied() {
    const delivered = await this.paid();
    const { charge, answer } = delivered;
    const missing = await this.twins.observer.awaitNone(charge, (state) =>
      diffFromPaidState(this.twins, state),
    );
    if (missing.length > 0) throw new GatedError('pix.settled', answer, missing);
    return { ...delivered, before: await this.twins.observer.read(charge) };
  }

  /** Sends one valid event, of which a forged one differs in one respect. Throws Gated if it is refused. */
  async control(): Promise<void> {
    const event = this.event(await this.charge());
    const answer = await this.send(this.right(event));
    if (!isAccepted(answer)) throw new GatedError(event.type, answer);
  }

  /**
   * Checks that a valid event is accepted within the time allowed to a restarting receiver; a busy one gets
   * longer.
   */
  async isAlive(revivalMs = this.kit.options.revivalMs ?? REVIVAL_MS): Promise<boolean> {
    const startedMs = performance.now();
    const bench = new CheckContext(this.kit);
    for (;;) {
      try {
        await bench.control();
        return true;
      } catch (error) {
        // A dead application creates no orders, either.
        if (!(error instanceof GatedError || error instanceof OrderError)) throw error;
        if (performance.now() - startedMs >= (error.isLate ? BACKLOG_MS : revivalMs)) return false;
      }
      await this.pause(REVIVAL_PAUSE_MS);
    }
  }

  /** Waits until a receiver that responds first has worked off this many events: pays an order, awaits its effect. */
  async drained(count: number): Promise<void> {
    const { twins } = this.kit;
    if (twins === undefined) return;
    const { charge } = await new CheckContext(this.kit).paid();
    const patienceMs = Math.min(twins.observer.patienceMs + count * QUEUE_MS, MOST_QUEUE_MS);
    await twins.observer.awaitNone(charge, (state) => diffFromPaidState(twins, state), patienceMs);
  }

  /** The responses to requests and, with a probe, their effect on an order. */
  async changesBy(charge: PaidOrder, send: () => Promise<readonly ReceiverResponse[]>) {
    const { twins } = this.kit;
    const before = await twins?.observer.read(charge);
    const answers = await send();
    if (twins === undefined || before === undefined) return { answers, effect: undefined };
    const after = await twins.observer.settled(charge);
    return { answers, effect: { twins, after, changed: twins.observer.differences(before, after) } };
  }

  /** Restarts the application and waits until another process responds. Rejects with RestartError. */
  async restarted(restart: RestartHook): Promise<void> {
    const bench = new CheckContext(this.kit);
    let isOver = false;
    const over = restart(this.kit.signal).then(() => {
      isOver = true;
    });
    // It may fail after the run.
    over.catch(() => undefined);
    const until = performance.now() + MOST_RESTART_MS;
    for (let isDown = false; ;) {
      const isOther = isOver || isDown;
      const unsigned = bench.right(bench.event(this.kit.orders.strangeCharge()));
      const answer = await bench.send({ ...unsigned, signature: undefined });
      if (answer.status === null || answer.status >= 500) isDown = true;
      else if (isOther) return;
      if (performance.now() > until) {
        // A receiver may crash on an unsigned event.
        if (isOther && answer.status !== null) return;
        const seconds = MOST_RESTART_MS / 1000;
        throw new RestartError(
          isOther
            ? `Nothing answered ${seconds} s after the restart: ${formatResponse(answer)}.`
            : `The restart command did not end within ${seconds} s, and the application kept responding.`,
        );
      }
      const gap = bench.pause(RESTART_GAP_MS);
      await (isOver ? gap : Promise.race([over, gap]));
    }
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, this.kit.signal);
  }
}

/** Thrown if a required event was not accepted and applied. */
export class GatedError extends Error {
  /** True if the receiver was still busy at the time limit. */
  readonly isLate: boolean;

  constructor(type: string, answer: ReceiverResponse, missing?: readonly ProbeDifference[]) {
    super(
      missing === undefined
        ? `A right ${type} was not accepted: ${formatResponse(answer)}.`
        : `A right ${type} was accepted (${formatResponse(answer)}), but not applied: ${formatDifferences(missing)}.`,
    );
    this.isLate = isTimeout(answer);
  }
}

export function withSignature(
  ...texts: readonly ((right: CorrectMessage) => string | undefined)[]
): SendOptions {
  return {
    variants: texts.map((text): MessageVariant => (right) => ({ ...right, signature: text(right) })),
  };
}

/** Signs again with some parts changed; the headers stay as they were unless they are among the changed. */
export function signVariant(right: CorrectMessage, changed: Partial<SignatureInput>): string {
  return `v1,${computeSignature({ ...right, ...changed })}`;
}

export function forgeSignature(right: CorrectMessage): string {
  return signVariant(right, { secret: `whsec_${randomBytes(32).toString('base64')}` });
}

/** Passes if all were accepted; shows the refusals. */
export function requireAllAccepted(answers: readonly ReceiverResponse[]): CheckFinding {
  const refused = answers.filter((answer) => !isAccepted(answer));
  const got = formatResponses(refused.length > 0 ? refused : answers);
  return { outcome: refused.length > 0 ? 'fails' : 'holds', got };
}
