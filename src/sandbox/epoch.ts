import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { type ExtraMessage, listFiredKinds, type Forgery, findForgery } from '../contract/fault-kinds.js';
import type { RateLimit } from '../contract/rate-limit.js';
import { LIMITS } from '../contract/limits.js';
import type { Effect } from '../core/effects.js';
import { type QrRenderer, selectQrDrawer, presentEvent } from '../core/resources/serialize.js';
import { getForwardTarget } from '../core/webhooks/deliveries.js';
import { listValidSecrets } from '../core/webhooks/endpoints.js';
import { EXTRA_MESSAGES } from '../core/webhooks/events.js';
import type { AnnouncedEvent, Delivery, Endpoint, World } from '../core/world.js';
import { attemptWithFaults } from '../delivery/faulty-send.js';
import type { AttemptRequest, AttemptResult, HttpSender } from '../delivery/http-attempt.js';
import type { ListenerHub } from '../delivery/listener-hub.js';
import { type AttemptJob, DeliveryWorker } from '../delivery/worker.js';
import { UNKNOWN_SECRET, signWebhook } from '../signing/webhook.js';
import type { KnownSecrets } from '../text/redaction.js';
import { parseUrl } from '../text/urls.js';
import { AttemptRecords, redactResult } from './attempt-records.js';
import { type ByteGenerator, createSessionSecrets, type SessionSecrets } from './credentials.js';
import type { RestartPort } from './options.js';
import { RateLimiter } from './rate-limiter.js';
import { RecentMap, reportBug } from './subscribers.js';
import { TimeTravel, type TimeTravelContext } from './time/time-travel.js';

interface WebhookMessage {
  readonly endpoint: Endpoint;
  readonly event: AnnouncedEvent;
  readonly body: Buffer;
  /** Sandbox time in milliseconds, used to select the valid secrets. `stampMs` is the signed timestamp. */
  readonly now: number;
  readonly stampMs: number;
}

const USER_AGENT = `PixSandbox-Webhooks/${__VERSION__}`;

/** Builds the signed request for a message. Every attempt signs the same body bytes (§5.5, §6). */
function webhookRequest(message: WebhookMessage, forgery?: Forgery): AttemptRequest {
  const { endpoint, event, body, now, stampMs } = message;
  const own = listValidSecrets(endpoint, now);
  const stampedMs = stampMs - (forgery?.ageMs ?? 0);
  const signed = signWebhook({
    id: event.id,
    timestampS: Math.floor(stampedMs / 1000),
    body,
    secrets: forgery?.secrets.flatMap((by) => (by === 'own' ? own : UNKNOWN_SECRET)) ?? own,
  });
  return {
    url: endpoint.url,
    headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json', ...signed },
    body,
    timeoutMs: endpoint.timeoutMs,
  };
}

/**
 * Re-serializes JSON in a format that no library uses by default, so that receivers cannot reproduce the
 * signed bytes from the parsed value.
 */
function reserializedBody(body: Buffer): Buffer {
  return Buffer.from(`\n${JSON.stringify(JSON.parse(body.toString()), null, 1)}\n`);
}

/** State that outlives an epoch, and callbacks to the sandbox. */
interface EpochDependencies {
  readonly http: HttpSender;
  readonly listeners: ListenerHub;
  readonly drawQr: QrRenderer;
  readonly realNow: () => number;
  /** Secrets to redact in every record. */
  readonly secrets: KnownSecrets;
  /** Resolves when all changes are stored. Attempts wait for this promise. */
  readonly flushed: () => Promise<void> | undefined;
  readonly tick: () => void;
  readonly rateLimits: Readonly<Record<'api' | 'identity', RateLimit | undefined>>;
  readonly moving: TimeTravelContext['moving'];
  readonly restart: RestartPort | undefined;
  /** Called with the outcome of a fault's extra message. */
  readonly recordExtraMessage: (job: AttemptJob, event: AnnouncedEvent, outcome: AttemptOutcome) => void;
  readonly attempted: (job: AttemptJob, outcome: AttemptOutcome) => void;
}

type AttemptOutcome = Pick<AttemptResult, 'status' | 'error'>;

/** Maximum number of cached event bodies, shared by all endpoints and attempts. */
const BODIES_KEPT = 256;

/** A world with its clock and in-flight attempts. A reset ends the epoch and drops its attempts' outcomes. */
export class Epoch {
  readonly world: World;
  readonly clock: Clock;
  readonly drawBytes: ByteGenerator;
  readonly records: AttemptRecords;
  readonly travel: TimeTravel;
  /** Rate limits of the APIs. Buckets are not part of the world: a new epoch starts with full buckets. */
  readonly limiters;
  readonly #worker: DeliveryWorker;
  readonly #dependencies: EpochDependencies;
  readonly #bodies = new RecentMap<Buffer>(BODIES_KEPT);
  readonly #ending = new AbortController();

  constructor(world: World, clock: Clock, drawBytes: ByteGenerator, dependencies: EpochDependencies) {
    this.world = world;
    this.clock = clock;
    this.drawBytes = drawBytes;
    this.#dependencies = dependencies;
    const { api, identity } = dependencies.rateLimits;
    this.limiters = { api: new RateLimiter(api), identity: new RateLimiter(identity) };
    this.records = new AttemptRecords(dependencies.secrets);
    this.#worker = new DeliveryWorker({
      concurrencyOf: (endpointId) =>
        world.endpoints.get(endpointId)?.concurrency ?? LIMITS.attemptsInFlightPerEndpoint,
      prepare: (job) => this.#prepare(job),
      send: (job, request, signal) => this.#send(job, request, signal),
      report: (job, request, result) => this.#report(job, request, result),
      onBug: reportBug,
    });
    const travelContext: TimeTravelContext = {
      world,
      clock,
      tick: dependencies.tick,
      moving: dependencies.moving,
      attemptsEnded: () => this.#worker.settled(),
      signal: this.#ending.signal,
    };
    this.travel = new TimeTravel(travelContext);
  }

  newSessionSecrets(): SessionSecrets {
    return createSessionSecrets(this.drawBytes);
  }

  /** Number of attempts without a known outcome. */
  get openAttempts(): number {
    return this.#worker.open;
  }

  attemptsEnded(): Promise<void> {
    return this.#worker.settled();
  }

  /** Queues the attempts in a command's effects, and deletes the records of dropped deliveries. */
  take(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === 'dropped') this.records.drop(effect.deliveries.map(({ id }) => id));
      if (effect.type !== 'attempt') continue;
      const { delivery, number } = effect;
      this.#worker.add({
        deliveryId: delivery.id,
        endpointId: delivery.endpointId,
        number,
        faults: delivery.faults,
      });
    }
  }

  /** Returns the event's body, which is identical in every attempt (§6). */
  bodyOf(event: AnnouncedEvent): Buffer {
    const flushed = this.#bodies.get(event.id);
    if (flushed !== undefined) return flushed;
    const drawQr = selectQrDrawer(this.world, this.#dependencies.drawQr);
    const body = Buffer.from(JSON.stringify(presentEvent(event, drawQr)));
    this.#bodies.set(event.id, body);
    return body;
  }

  /**
   * Sends a copy of a delivery's event with a new webhook-id and an invalid signature, without recording an
   * attempt. Resolves to undefined if the endpoint was deleted or the epoch has ended.
   */
  async sendForgedCopy({ endpointId, event }: Delivery): Promise<AttemptResult | undefined> {
    const { signal } = this.#ending;
    const endpoint = this.world.endpoints.get(endpointId);
    if (endpoint === undefined || signal.aborted) return undefined;
    const copy = { ...event, id: `evt_${randomBytes(16).toString('hex')}` };
    const request = webhookRequest(
      this.#message(endpoint, copy),
      findForgery([{ action: 'wrong-signature' }]),
    );
    const job = { deliveryId: randomUUID(), endpointId, number: 1, forged: true } as const;
    const { http, listeners, secrets } = this.#dependencies;
    try {
      const result =
        endpoint.transport === 'listener'
          ? await listeners.deliver(job, request, signal)
          : await http.send(request, signal);
      return redactResult(result, secrets);
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }

  end(): void {
    this.#ending.abort();
    this.#worker.stop();
  }

  /** Stores the attempt's record and reports the outcome, even if storing fails. */
  #report(job: AttemptJob, request: AttemptRequest | null, result: AttemptResult): void {
    try {
      this.records.add(job.deliveryId, {
        number: job.number,
        realAt: this.#dependencies.realNow() - result.latencyMs,
        requestHeaders: request?.headers ?? {},
        result,
      });
    } finally {
      this.#dependencies.attempted(job, result);
    }
  }

  /** Builds an attempt's request. Returns null if the attempt became obsolete while queued. */
  #prepare({ deliveryId, endpointId, number, faults }: AttemptJob): AttemptRequest | null {
    const delivery = this.world.deliveries.byId.get(deliveryId);
    const endpoint = this.world.endpoints.get(endpointId);
    if (delivery === undefined || endpoint === undefined) return null;
    if (!delivery.inFlight || delivery.attempts !== number) return null;
    const message = this.#message(endpoint, delivery.event);
    const isReserialized = listFiredKinds('delivery', faults, 'reserialize').length > 0;
    const body = isReserialized ? reserializedBody(message.body) : message.body;
    return webhookRequest({ ...message, body }, findForgery(faults));
  }

  #message(endpoint: Endpoint, event: AnnouncedEvent): WebhookMessage {
    const now = this.clock.now();
    const stampMs = this.world.assumed['webhook.timestamp'] === 'real' ? this.#dependencies.realNow() : now;
    return { endpoint, event, body: this.bodyOf(event), now, stampMs };
  }

  #send(job: AttemptJob, request: AttemptRequest, signal: AbortSignal): Promise<AttemptResult> {
    const flushing = this.#dependencies.flushed();
    const send = () => this.#sendNow(job, request, signal);
    return flushing === undefined ? send() : flushing.then(send);
  }

  #sendNow(job: AttemptJob, request: AttemptRequest, signal: AbortSignal): Promise<AttemptResult> {
    const { http, listeners } = this.#dependencies;
    const endpoint = this.world.endpoints.get(job.endpointId);
    const event = this.world.deliveries.byId.get(job.deliveryId)?.event;
    const send = (message: AttemptRequest) =>
      endpoint?.transport === 'listener'
        ? listeners.deliver(job, message, signal)
        : http.send(message, signal);
    if (job.faults.length === 0 || endpoint === undefined || event === undefined) return send(request);
    const sendExtraMessage = async (message: ExtraMessage) => {
      const other = EXTRA_MESSAGES[message](this.world, event);
      if (other === null) return;
      const outcome = await send(webhookRequest(this.#message(endpoint, other)));
      if (!signal.aborted) this.#dependencies.recordExtraMessage(job, other, outcome);
    };
    return attemptWithFaults(request, job.faults, {
      send,
      sendExtraMessage,
      allowOvertaking: () => this.#worker.allowOvertaking(job.endpointId),
      restart: () => this.#restart(endpoint, signal),
      signal,
    });
  }

  /** Restarts the application while the clock is held, so that nothing expires during a slow start. */
  async #restart(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    const { restart, tick } = this.#dependencies;
    if (restart === undefined) throw new Error('This sandbox is not configured to restart the application.');
    const release = this.clock.hold();
    try {
      const { transport, url } = endpoint;
      const target = transport === 'listener' ? getForwardTarget(endpoint) : url;
      await restart(signal, parseUrl(target ?? ''));
    } finally {
      release();
      if (!signal.aborted) tick();
    }
  }
}
