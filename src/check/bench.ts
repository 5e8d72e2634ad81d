import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { pause } from '../delivery/abort.js';
import type { Answer, CheckOptions, Exchange, Restart } from './check.js';
import type { Finding } from './judge.js';
import type { EventChanges, Orders, Paid } from './orders.js';
import { eventAbout, OrderError } from './orders.js';
import type { Burst } from './plan/answers.js';
import type { EventToSend, Message, Parts, Target, ToSign } from './send.js';
import { messageOf, rightParts, signatureOf } from './send.js';
import { answersText, answerText, isAccepted, isTimeout } from './response.js';
import type { Twins } from './probe.js';
import { unlikePaid } from './probe.js';

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
interface Delivered {
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

/** The longest that a restart is awaited. */
const MOST_MS = 30_000;
const GAP_MS = 50;

/** The application was not restarted, as far as could be seen. */
export class RestartError extends Error {}

/**
 * Restarts the application and waits until it answers: after its command has ended or, where that goes on because it is the application
 * itself, after a time without answers. Rejects with RestartError.
 */
export async function restarted({ kit }: Bench, restart: Restart): Promise<void> {
  // The requests are no part of the check.
  const bench = new Bench(kit);
  let isOver = false;
  const over = restart(kit.signal).then(() => {
    isOver = true;
  });
  // It may fail when all is over.
  over.catch(() => undefined);
  const until = performance.now() + MOST_MS;
  for (let isDown = false; ;) {
    const isOther = isOver || isDown;
    const answer = await unsignedAnswer(bench);
    if (!isUp(answer)) isDown = true;
    else if (isOther) return;
    if (performance.now() > until) {
      // A receiver may crash on what is unsigned.
      if (isOther && answer.status !== null) return;
      throw new RestartError(problemOf(isOther, answer));
    }
    const gap = bench.pause(GAP_MS);
    await (isOver ? gap : Promise.race([over, gap]));
  }
}

function isUp({ status }: Answer): boolean {
  return status !== null && status < 500;
}

function problemOf(isOther: boolean, answer: Answer): string {
  const seconds = MOST_MS / 1000;
  if (isOther) return `Nothing answered ${seconds} s after the restart: ${answerText(answer)}.`;
  return `The restart command did not end within ${seconds} s, and the application answered all the time.`;
}

export type Plan = (bench: Bench) => Promise<Finding>;
export type Right = Parts & ToSign;
/** Changes a rightly signed webhook. */
export type Variant = (right: Right) => Parts;

export interface Sending {
  readonly variants?: readonly Variant[];
  readonly changes?: EventChanges;
  readonly more?: Partial<Message>;
}

const AS_IT_IS: readonly Variant[] = [(right) => right];

/** Sends a `pix.settled` of a charge in each variant, each with a webhook-id of its own, so that none is a repeat. */
export async function sendEach(bench: Bench, charge: Paid, sending: Sending): Promise<Answer[]> {
  const { variants = AS_IT_IS, changes, more } = sending;
  const answers: Answer[] = [];
  for (const variant of variants) {
    const right = bench.right(eventAbout('pix.settled', charge, Date.now(), changes));
    answers.push(await bench.send(variant(right), more));
  }
  return answers;
}

/** Signs again with some parts changed; the headers stay as they were unless they are among the changed. */
export function signedAs(right: Right, changed: Partial<ToSign>): string {
  return `v1,${signatureOf({ ...right, ...changed })}`;
}

/** A secret that no receiver has. */
export function otherSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Whether all were accepted; the answers shown are those that were not. */
export function allAccepted(sent: string, answers: readonly Answer[]): Finding {
  const refused = answers.filter((answer) => !isAccepted(answer));
  const got = answersText(refused.length > 0 ? refused : answers);
  return { outcome: refused.length > 0 ? 'fails' : 'holds', sent, got };
}

/** An unsigned event of a charge that the application does not know, for comparison with a signed one. */
async function unsignedAnswer(bench: Bench): Promise<Answer> {
  const event = eventAbout('pix.settled', bench.kit.orders.strangeCharge(), Date.now());
  return bench.send({ ...bench.right(event), signature: undefined });
}
