import { performance } from 'node:perf_hooks';
import { pause } from '../../delivery/pause.js';
import { oneLineOf } from '../judge.js';
import type { Answer, CheckOptions, Exchange } from '../check.js';
import type { EventToSend, Message, Parts, ToSign } from '../exchange/message.js';
import { messageOf, rightParts } from '../exchange/message.js';
import type { Target } from '../exchange/target.js';
import type { Orders } from '../order.js';
import { OrderError } from '../order.js';
import type { Twins } from '../probe/effects.js';
import { unlikePaid } from '../probe/effects.js';
import type { Burst } from './answers.js';
import type { Paid } from './events.js';
import { eventAbout } from './events.js';

/** How often a delivery that failed is sent again, and the pause before. */
const RETRIES = 3;
export const RETRY_PAUSE_MS = 100;
/** Exchanges that the report of a check keeps. */
const MOST_KEPT = 40;

/** Milliseconds that a receiver's queue may take for an event, and for all. */
const QUEUE_MS = 100;
const MOST_QUEUE_MS = 60_000;
/** Milliseconds for a slow receiver to work off a burst. */
export const BACKLOG_MS = 120_000;

/** What all checks of a run share. */
export interface Kit {
  readonly options: CheckOptions;
  readonly target: Target;
  readonly orders: Orders;
  readonly signal: AbortSignal;
  /** How long this thread has waited for a processor until now, in milliseconds. */
  readonly waitedMs: () => number;
  /** Undefined without a probe that can tell a paid order from an unpaid one. */
  twins: Twins | undefined;
  /** Milliseconds that the receiver took for the first event. */
  responseMs: number;
  /** Checks that run at the same time. */
  lanes: number;
  /** Twenty events at once, which two checks look at. */
  burst: Promise<Burst> | undefined;
}

/** A delivery, and the parts with which it was accepted or given up. */
export interface Delivered {
  readonly answer: Answer;
  readonly parts: Parts & ToSign;
}

/** Where one check sends its requests; what went over the wire is kept for the report. */
export class Bench {
  readonly kit: Kit;
  readonly exchanges: Exchange[] = [];

  constructor(kit: Kit) {
    this.kit = kit;
  }

  get isOrdered(): boolean {
    return this.kit.orders.isOrdered;
  }

  /** A new charge; `amount` is a decimal with a point, for an order command that takes it. */
  charge(amount?: string): Promise<Paid> {
    return this.kit.orders.charge(this.kit.signal, amount);
  }

  /** An event, rightly signed now or some seconds away from it. */
  right(event: EventToSend, skewS = 0): Parts & ToSign {
    return rightParts(event, this.kit.options.secret, Math.floor(Date.now() / 1000) + skewS);
  }

  async send(parts: Parts, more: Partial<Message> = {}): Promise<Answer> {
    const { target, options, signal } = this.kit;
    const message = messageOf(parts, { ...more, headers: { ...options.headers, ...more.headers } });
    const answer = await target.send(message, signal);
    if (this.exchanges.length < MOST_KEPT) {
      const headers = Object.entries(message.headers);
      this.exchanges.push({ method: message.method, url: target.url, headers, body: message.body, answer });
    }
    return answer;
  }

  /** Sends an event as the service does: what is not accepted is sent again, up to three times. */
  async deliver(event: EventToSend): Promise<Delivered> {
    for (let attempt = 0; ; attempt += 1) {
      const parts = this.right(event);
      const answer = await this.send(parts);
      if (isAccepted(answer) || attempt === RETRIES) return { answer, parts };
      await this.pause(RETRY_PAUSE_MS * (attempt + 1));
    }
  }

  /** A new charge that is paid: its event was delivered. Throws Gated if that is refused. */
  async paid(): Promise<Delivered & { readonly charge: Paid; readonly event: EventToSend }> {
    const charge = await this.charge();
    return { charge, ...(await this.settled(charge)) };
  }

  /** Delivers the `pix.settled` of a charge. Throws Gated if that is refused. */
  async settled(charge: Paid) {
    await this.kit.orders.settle(charge);
    const event = eventAbout('pix.settled', charge, Date.now());
    return { event, ...(await this.must(event)) };
  }

  /** Delivers an event that has to be accepted before the check can go on. */
  async must(event: EventToSend): Promise<Delivered> {
    const delivered = await this.deliver(event);
    if (!isAccepted(delivered.answer)) throw new Gated(event.type, delivered.answer);
    return delivered;
  }

  /** Sends one right event, of which a forged one differs in one respect. Throws Gated if it is refused. */
  async control(): Promise<void> {
    const charge = await this.charge();
    const event = eventAbout('pix.settled', charge, Date.now());
    const answer = await this.send(this.right(event));
    if (!isAccepted(answer)) throw new Gated(event.type, answer);
  }

  /** Waits until a valid event is accepted in time again, where the receiver is busy with a burst. */
  async recovered(): Promise<void> {
    const untilMs = performance.now() + BACKLOG_MS;
    const bench = new Bench(this.kit);
    for (let isBusy = true; isBusy && performance.now() < untilMs;) {
      isBusy = await bench.control().then(
        () => false,
        (error: unknown) => {
          if (error instanceof Gated || error instanceof OrderError) return error.isLate;
          throw error;
        },
      );
    }
  }

  /**
   * Waits until what was sent before has been worked off: a receiver may respond first and work through a queue. Pays an order and waits for
   * its effect, for as long as that many events may take.
   */
  async drained(count: number): Promise<void> {
    const { twins } = this.kit;
    if (twins === undefined) return;
    const bench = new Bench(this.kit);
    const { charge } = await bench.paid();
    const { observer } = twins;
    await observer.awaitNone(
      charge,
      (state) => unlikePaid(twins, state),
      Math.min(observer.patienceMs + count * QUEUE_MS, MOST_QUEUE_MS),
    );
  }

  async pause(ms: number): Promise<void> {
    await pause(ms, this.kit.signal);
  }
}

/** What has to be accepted for a check to say anything was refused. */
export class Gated extends Error {
  /** Whether the receiver was still busy when the time limit was over. */
  readonly isLate: boolean;

  constructor(type: string, answer: Answer, missing?: string) {
    super(
      missing === undefined
        ? `A right ${type} was not accepted: ${answerText(answer)}.`
        : `A right ${type} was accepted (${answerText(answer)}), but not applied: ${missing}.`,
    );
    this.isLate = isTimeout(answer);
  }
}

export function isAccepted({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function isRefused({ status }: Answer): boolean {
  return status !== null && status >= 400 && status < 500;
}

export function isTimeout({ error }: Answer): boolean {
  return error?.startsWith('TIMEOUT') === true;
}

/** An answer in words: `400 "The signature does not hold."` */
export function answerText({ status, error, body }: Answer): string {
  if (status === null) return `no answer (${error})`;
  const text = oneLineOf(Buffer.from(body).toString('utf8'));
  return text === '' ? String(status) : `${status} "${text}"`;
}

/** Answers in words, equal ones once. */
export function answersText(answers: readonly Answer[]): string {
  return [...new Set(answers.map(answerText))].join(', ');
}
