import type { Clock } from '../clock.js';
import { validSecrets } from '../core/endpoints.js';
import type { Effect } from '../core/effects.js';
import { LIMITS } from '../core/limits.js';
import type { DrawQr } from '../core/present.js';
import { eventDrawQr, presentEvent } from '../core/present.js';
import type { AnnouncedEvent, World } from '../core/world.js';
import type { AttemptRequest, HttpSender } from '../delivery/http-attempt.js';
import type { ListenerHub } from '../delivery/listener-hub.js';
import type { Job } from '../delivery/worker.js';
import { Worker } from '../delivery/worker.js';
import { signWebhook } from '../signing/webhook.js';
import { AttemptRecords } from './attempt-records.js';
import type { DrawBytes } from './credentials.js';
import { Recent } from './recent.js';
import type { Vehicle } from './time-travel.js';
import { TimeTravel } from './time-travel.js';

/** What outlives an epoch, and what it tells the sandbox. */
export interface Surroundings {
  readonly http: HttpSender;
  readonly listeners: ListenerHub;
  readonly drawQr: DrawQr;
  readonly realNow: () => number;
  readonly tick: () => void;
  readonly attempted: (job: Job, outcome: Pick<AttemptOutcome, 'status' | 'error'>) => void;
}

type AttemptOutcome = Awaited<ReturnType<HttpSender['send']>>;

/** Bodies kept ready, so that many endpoints and attempts share the work of making one. */
const BODIES_KEPT = 256;
const USER_AGENT = `PixSandbox-Webhooks/${__VERSION__}`;

/**
 * One world with its clock and the work under way for it. A reset puts another epoch in its place; the outcomes of this one
 * are then dropped with it.
 */
export class Epoch {
  readonly world: World;
  readonly clock: Clock;
  readonly drawBytes: DrawBytes;
  readonly records = new AttemptRecords();
  readonly travel: TimeTravel;
  readonly #worker: Worker;
  readonly #around: Surroundings;
  readonly #bodies = new Recent<Buffer>(BODIES_KEPT);
  readonly #ending = new AbortController();

  constructor(world: World, clock: Clock, drawBytes: DrawBytes, around: Surroundings) {
    this.world = world;
    this.clock = clock;
    this.drawBytes = drawBytes;
    this.#around = around;
    this.#worker = new Worker({
      inFlightPerEndpoint: LIMITS.attemptsInFlightPerEndpoint,
      prepare: (job) => this.#prepare(job),
      send: (job, request, signal) =>
        world.endpoints.get(job.endpointId)?.transport === 'listener'
          ? around.listeners.deliver(job, request, signal)
          : around.http.send(request, signal),
      report: (job, request, result) => {
        this.records.add(job.deliveryId, {
          number: job.number,
          realAt: around.realNow() - result.latencyMs,
          requestHeaders: request.headers,
          result,
        });
        around.attempted(job, result);
      },
    });
    const vehicle: Vehicle = {
      world,
      clock,
      tick: around.tick,
      attemptsEnded: () => this.#worker.settled(),
      signal: this.#ending.signal,
    };
    this.travel = new TimeTravel(vehicle);
  }

  /** Attempts whose outcome is not known. */
  get openAttempts(): number {
    return this.#worker.open;
  }

  attemptsEnded(): Promise<void> {
    return this.#worker.settled();
  }

  /** Takes up the attempts that a command started. */
  take(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type !== 'attempt') continue;
      const { delivery, number } = effect;
      this.#worker.add({ deliveryId: delivery.id, endpointId: delivery.endpointId, number });
    }
  }

  /** The bytes that every attempt of the event carries (§6). */
  bodyOf(event: AnnouncedEvent): Buffer {
    const kept = this.#bodies.get(event.id);
    if (kept !== undefined) return kept;
    const drawQr = eventDrawQr(this.world, this.#around.drawQr);
    const body = Buffer.from(JSON.stringify(presentEvent(event, drawQr)));
    this.#bodies.set(event.id, body);
    return body;
  }

  end(): void {
    this.#ending.abort();
    this.#worker.stop();
  }

  #prepare({ deliveryId, endpointId }: Job): AttemptRequest | null {
    const delivery = this.world.deliveries.byId.get(deliveryId);
    const endpoint = this.world.endpoints.get(endpointId);
    if (delivery === undefined || endpoint === undefined || !delivery.inFlight) return null;
    const body = this.bodyOf(delivery.event);
    const now = this.clock.now();
    const stampMs = this.world.assumed['webhook.timestamp'] === 'real' ? this.#around.realNow() : now;
    const signed = signWebhook({
      id: delivery.event.id,
      timestampS: Math.floor(stampMs / 1000),
      body,
      secrets: validSecrets(endpoint, now),
    });
    return {
      url: endpoint.url,
      headers: { ...signed, 'user-agent': USER_AGENT, 'content-type': 'application/json' },
      body,
      timeoutMs: endpoint.timeoutMs,
    };
  }
}
