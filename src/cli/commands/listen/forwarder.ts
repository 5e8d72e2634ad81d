import { attemptReport, reportAttempt } from '../../../client/attempt-report.js';
import type { ControlClient } from '../../../client/control.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { answeredAttempt } from '../../../delivery/attempt-failure.js';
import type { AttemptResult, HttpSender } from '../../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import { withoutSecrets } from '../../../sandbox/attempt-records.js';
import type { KnownSecrets } from '../../../text/known-secrets.js';
import { shortened } from '../../../text/redaction.js';
import { shownBody } from '../../../text/exchange/shown.js';
import { presentS } from '../../program/options.js';
import type { Io } from '../../program/io.js';
import { ownSecrets } from '../../program/configured-options.js';
import { checkDelivery } from '../../signatures/check-delivery.js';
import { attemptLines, forgedLines } from './attempt-text.js';

export interface ForwarderOptions {
  readonly io: Io;
  /** Without it, each attempt is verified and answered 200. */
  readonly target: URL | undefined;
  readonly sender: HttpSender;
  readonly headers: Readonly<Record<string, string>>;
  /** The sandbox ends before anyone can type a command for it. */
  readonly endsSoon?: boolean;
  /** Gives up what is in flight, without a report. */
  readonly abandoned?: AbortSignal | undefined;
}

/** The endpoint of an attempt and its secret; null skips verification. */
export interface ListenerSide {
  readonly id: string;
  readonly secret: string | null;
}

/** Verifies attempts, forwards them to the application, then reports and prints the results. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #secrets: KnownSecrets;
  readonly #open = new Set<Promise<void>>();
  /** For each connection, because ids may repeat after a reset. */
  readonly #extraSends = new WeakMap<ListenerSide, ExtraSends>();
  accepted = 0;
  failed = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#secrets = ownSecrets(options.io.env, options.headers);
  }

  take(client: ControlClient, listener: ListenerSide, attempt: ListenerAttempt): Promise<void> {
    const work = this.#forward(client, listener, attempt)
      .catch((error: unknown) => {
        if (this.#options.abandoned?.aborted !== true) throw error;
      })
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
    return work;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #forward(client: ControlClient, listener: ListenerSide, attempt: ListenerAttempt): Promise<void> {
    const { io, target, endsSoon = false } = this.#options;
    const { id, secret } = listener;
    const { headers, forged = false } = attempt;
    const extraSends = this.#extraSends.get(listener) ?? new ExtraSends();
    this.#extraSends.set(listener, extraSends);
    const remark = forged ? '' : extraSends.remarkOn(attempt);
    const body = Buffer.from(attempt.body, 'base64');
    const check = await checkDelivery({ headers, body, secret, nowS: presentS() });
    const { verified } = check;
    const sent = await this.#send(attempt, body, forged && verified === false);
    this.#secrets.learn([secret, client.token].filter((known) => typeof known === 'string'));
    const result = withoutSecrets(sent, this.#secrets);
    if (!forged) this[result.error === null ? 'accepted' : 'failed'] += 1;
    const delivery = await reportAttempt(client, id, attempt.attempt_id, result);
    const shownJson = { headers, ...shownBody(body), ...shownResult(result) };
    if (forged) {
      io.emit({ type: 'forged', ...shownJson });
      return io.say(forgedLines({ io, body, result }).join('\n'));
    }
    extraSends.forgetEnded(attempt, delivery);
    const { delivery_id, attempt: number } = attempt;
    io.emit({ type: 'attempt', delivery_id, attempt: number, ...shownJson, verified, delivery });
    if (io.json) return;
    const known = secret === null ? {} : { secret: `${shortened(secret)} (SANDBOX_WEBHOOK_SECRET)` };
    const shown = { attempt, body, check, result, delivery, remark, target, ...known, io, endsSoon };
    io.say(attemptLines(shown).join('\n'));
  }

  /** Sends an attempt to the target; without one, answers it here. */
  #send(attempt: ListenerAttempt, body: Buffer, isForgery: boolean): Promise<AttemptResult> {
    const { target, sender, headers, abandoned } = this.#options;
    if (target === undefined) return Promise.resolve(answeredAttempt(isForgery ? 400 : 200, null));
    const request = {
      url: target.href,
      headers: { ...headers, ...attempt.headers },
      body,
      timeoutMs: attempt.timeout_ms,
    };
    return sender.send(request, abandoned);
  }
}

export function shownResult(result: AttemptResult) {
  const { response_body: _bytes, ...shown } = attemptReport(result);
  const { response } = result;
  if (response === null) return { ...shown, response_body: null };
  const { body, body_base64: encoded } = shownBody(response.body, response.truncated);
  return {
    ...shown,
    ...(encoded === undefined ? { response_body: body } : { response_body_base64: encoded }),
  };
}

/** Recognises what faults send in addition to an attempt: such extra sends repeat its delivery and number. */
class ExtraSends {
  /** For each delivery, the attempt in flight and how often each webhook-id came. */
  readonly #open = new Map<string, { readonly number: number; readonly counts: Map<string, number> }>();

  /** What a fault made of this send, in words; empty for the attempt itself. */
  remarkOn({ delivery_id, attempt, headers, body }: ListenerAttempt): string {
    const known = this.#open.get(delivery_id);
    const open = known?.number === attempt ? known : { number: attempt, counts: new Map<string, number>() };
    this.#open.set(delivery_id, open);
    const id = headers['webhook-id'] ?? '';
    const isFirst = open.counts.size === 0;
    const count = (open.counts.get(id) ?? 0) + 1;
    open.counts.set(id, count);
    if (count > 1) return `duplicate: a fault sent it ${count === 2 ? 'twice' : `${count} times`}`;
    if (isFirst) return '';
    const { type } = JSON.parse(Buffer.from(body, 'base64').toString()) as { readonly type: string };
    return EVENT_TYPES.some((event) => event === type)
      ? 'stale: a fault sent this event after a newer one'
      : 'unknown: a fault sent an event of a type that does not exist yet';
  }

  /** Forgets an attempt that has ended; null is a delivery that was decided elsewhere. */
  forgetEnded({ delivery_id, attempt }: ListenerAttempt, delivery: DeliveryLine | null): void {
    const isEnded = delivery === null || !delivery.in_flight || delivery.attempts >= attempt;
    if (isEnded && this.#open.get(delivery_id)?.number === attempt) this.#open.delete(delivery_id);
  }
}
