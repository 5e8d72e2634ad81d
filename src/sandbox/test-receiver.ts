import type { Clock } from '../clock.js';
import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { EVENT_TYPES, type EventType } from '../contract/enums.js';
import { listDeliveriesHeldFor } from '../core/webhooks/deliveries.js';
import { findListener } from '../core/webhooks/endpoints.js';
import type { Effect } from '../core/effects.js';
import type { Endpoint, World } from '../core/world.js';
import { createCompletedAttempt, createFailedAttempt } from '../delivery/attempt-failure.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import { TEST_RECEIVER_NAME } from '../text/listener-name.js';
import type { WebhookVerdict } from '../signing/webhook.js';
import { verifyWebhook } from '../signing/webhook.js';
import type { ConnectedListenerHost, ListenerHost } from './connect-listener.js';
import { maintainConnection } from './connect-listener.js';
import type { Subscriber } from './subscribers.js';
import type { EntryContent } from './timeline/entry.js';

/**
 * A reply: a status from 200 to 599, `timeout` for no reply, `fail` to fail the next attempts with 500, or
 * `refuse` to fail every scheduled attempt of the next deliveries with 500. Later replies are 200.
 */
export type ReceiverReply = number | 'timeout' | { readonly fail: number } | { readonly refuse: number };

/** A received attempt and its reply. */
interface ReceivedAttempt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly webhookId: string;
  /** Type of the event with this webhook id; null for an unknown id. */
  readonly eventType: EventType | null;
  /** Sandbox time in milliseconds. */
  readonly receivedAt: number;
  readonly verdict: WebhookVerdict;
  /** Null for a timeout. */
  readonly status: number | null;
  readonly body: string;
}

/** Sandbox interface for the test receiver. */
interface ReceiverHost extends ListenerHost {
  readonly clock: Clock;
  readonly realNow: () => number;
  readonly note: (content: EntryContent) => void;
  readonly subscribe: (subscriber: Subscriber) => () => void;
}

/** An in-process listener that verifies each attempt and sends the configured reply. */
export class TestReceiver {
  readonly #sandbox: ReceiverHost;
  readonly #received: ReceivedAttempt[] = [];
  #reply: ReceiverReply = 200;
  /** Number of attempts left to fail. */
  #failuresLeft = 0;
  /** Ids of the deliveries refused so far. */
  readonly #refused = new Set<string>();
  #connection: ConnectedListenerHost | undefined;
  /** World of the current connection. */
  #world: World | undefined;
  #stopWatching: () => void = () => undefined;

  constructor(sandbox: ReceiverHost) {
    this.#sandbox = sandbox;
  }

  /** The receiver's listener; undefined while the receiver is off. */
  get endpoint(): Endpoint | undefined {
    return this.#sandbox.world.endpoints.get(this.#connection?.endpointId ?? '');
  }

  /** The reply to the next new delivery. `fail` and `refuse` count down; afterward, the reply is 200. */
  get answer(): ReceiverReply {
    const reply = this.#reply;
    if (typeof reply !== 'object') return reply;
    if ('fail' in reply) return this.#failuresLeft === 0 ? 200 : { fail: this.#failuresLeft };
    const left = reply.refuse - this.#refused.size;
    return left === 0 ? 200 : { refuse: left };
  }

  /** Attempts received since the last reset, newest last. */
  get received(): readonly ReceivedAttempt[] {
    return this.#received;
  }

  /**
   * Turns the receiver on or changes its reply. Throws ENDPOINT_ALREADY_EXISTS if its listener name is in
   * use.
   */
  turnOn(answer: ReceiverReply): void {
    if (this.#connection === undefined) this.#checkNameFree();
    this.#setReply(answer);
    if (this.#connection !== undefined) return this.#recordReply(this.#connection.endpointId);
    this.#connect();
    this.#stopWatching = this.#sandbox.subscribe((effects) => {
      if (effects.some((effect) => this.#isEndedBy(effect))) this.#forget();
    });
  }

  /** Turns the receiver off. Returns the number of held deliveries. */
  turnOff(): number {
    this.#connection?.end();
    this.#forget();
    const { world } = this.#sandbox;
    const away = findListener(world, appIdOf(this.#sandbox), TEST_RECEIVER_NAME);
    return away === undefined ? 0 : listDeliveriesHeldFor(away).length;
  }

  #setReply(answer: ReceiverReply): void {
    this.#reply = answer;
    this.#failuresLeft = typeof answer === 'object' && 'fail' in answer ? answer.fail : 0;
    this.#refused.clear();
  }

  /** Adds a timeline entry, so that open pages show the changed reply. */
  #recordReply(id: string): void {
    const title = `listener ${TEST_RECEIVER_NAME} replies with ${formatReply(this.#reply)}`;
    this.#sandbox.note({
      kind: 'listener',
      id,
      title,
      facts: { resource: 'endpoint', target: TEST_RECEIVER_NAME },
    });
  }

  #checkNameFree(): void {
    const { world } = this.#sandbox;
    if (!findListener(world, appIdOf(this.#sandbox), TEST_RECEIVER_NAME)?.connected) return;
    throw new Refusal('ENDPOINT_ALREADY_EXISTS', `A listener named ${TEST_RECEIVER_NAME} is connected.`, {
      hint: 'Stop that `listen` command or run it with another --name; the test receiver requires this name.',
    });
  }

  /**
   * Returns true if another client removed the listener. Returns false for a replaced world, because the
   * listener reconnects.
   */
  #isEndedBy(effect: Effect): boolean {
    if (effect.type !== 'endpoint' || this.#world !== this.#sandbox.world) return false;
    const isGone = effect.change === 'away' || effect.change === 'deleted';
    return isGone && effect.endpoint.id === this.#connection?.endpointId;
  }

  #connect(): void {
    const { listeners } = this.#sandbox;
    const listener = { name: TEST_RECEIVER_NAME, events: EVENT_TYPES, description: TEST_RECEIVER_NAME };
    this.#connection = maintainConnection(this.#sandbox, listener, {
      onConnected: (_, isFresh = false) => {
        this.#world = this.#sandbox.world;
        if (isFresh) this.#received.length = 0;
        this.#setReply(this.#reply);
      },
      send: (attempt, { id, secret }) => {
        listeners.reply(id, attempt.attempt_id, this.#receive(secret, attempt));
      },
    });
  }

  #forget(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#stopWatching();
    connection?.forget();
  }

  #receive(secret: string, { delivery_id: deliveryId, attempt, ...sent }: ListenerAttempt): AttemptResult {
    const { world, clock, realNow } = this.#sandbox;
    const { headers } = sent;
    const body = Buffer.from(sent.body, 'base64');
    const verdict = verifyWebhook({ headers, body, secrets: secret, nowS: Math.floor(realNow() / 1000) });
    const webhookId = headers['webhook-id'] ?? '';
    const result = this.#result(deliveryId, attempt, sent.timeout_ms);
    this.#received.push({
      deliveryId,
      attempt,
      webhookId,
      eventType: world.events.byId.get(webhookId)?.type ?? null,
      receivedAt: clock.now(),
      verdict,
      status: result.status,
      body: body.toString('utf8'),
    });
    if (this.#received.length > LIMITS.receiverKept) this.#received.shift();
    return result;
  }

  #result(deliveryId: string, attempt: number, timeoutMs: number): AttemptResult {
    const reply = this.#reply;
    if (reply === 'timeout')
      return createFailedAttempt('TIMEOUT', 'The test receiver is configured not to respond.', timeoutMs);
    const status = typeof reply === 'number' ? reply : this.#fails(reply, deliveryId, attempt) ? 500 : 200;
    return createCompletedAttempt(
      status,
      status < 300 ? null : `The test receiver is configured to respond with ${status}.`,
    );
  }

  #fails(reply: Exclude<ReceiverReply, number | 'timeout'>, deliveryId: string, attempt: number): boolean {
    if ('fail' in reply) {
      if (this.#failuresLeft === 0) return false;
      this.#failuresLeft -= 1;
      return true;
    }
    // Do not fail manual retries, which follow the scheduled attempts.
    if (attempt > RETRY_SCHEDULES[this.endpoint?.schedule ?? 'real'].length) return false;
    if (this.#refused.size < reply.refuse) this.#refused.add(deliveryId);
    return this.#refused.has(deliveryId);
  }
}

function formatReply(reply: ReceiverReply): string {
  if (typeof reply !== 'object') return String(reply);
  return 'fail' in reply
    ? `500 to the next attempts (${reply.fail}), then 200`
    : `500 to the next deliveries (${reply.refuse}) until they are dead letters, then 200`;
}

function appIdOf({ world }: ReceiverHost): string {
  return world.apps.rows[0]?.id ?? '';
}
