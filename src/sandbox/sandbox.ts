import { clearTimeout, setTimeout } from 'node:timers';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import { createClock } from '../clock.js';
import { apply, nextDue } from '../core/apply.js';
import { assume } from '../core/assumptions.js';
import type { Command, CommandType, ResultOf } from '../core/commands.js';
import type { Effect } from '../core/effects.js';
import { seedFromText } from '../core/ids.js';
import { checkedOrigin } from '../core/organizations.js';
import type { AutoDecision } from '../core/session.js';
import type { AnnouncedEvent, World, WorldSettings } from '../core/world.js';
import { emptyWorld, SCOPES } from '../core/world.js';
import type { DestinationPolicy } from '../delivery/destination.js';
import { createHttpSender } from '../delivery/http-attempt.js';
import { ListenerHub } from '../delivery/listener-hub.js';
import type { AttemptRecords } from './attempt-records.js';
import { CallLog } from './call-log.js';
import type { Credentials, DrawBytes, SessionSecrets } from './credentials.js';
import {
  createDrawBytes,
  newSessionSecrets,
  newWebhookSecret,
  WELL_KNOWN_CREDENTIALS,
} from './credentials.js';
import { Epoch } from './epoch.js';
import { createQrDrawer } from './qr-image.js';
import type { TimeTravel } from './time-travel.js';

export interface SandboxOptions {
  /** Ids, drawn secrets and chance follow from it; without one they are random at each start. */
  readonly seed?: string | undefined;
  /** Sandbox time begins at this instant (ms) and stands still; without it, it runs with real time. */
  readonly freezeAt?: number | undefined;
  /** Choices for the assumptions register, as texts by id. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** Where deliveries may go; by default to public https addresses alone. */
  readonly policy?: DestinationPolicy | undefined;
  /** Certificate authorities that receivers' certificates are held to, instead of the usual ones (PEM). */
  readonly ca?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Charges settle by themselves after so many milliseconds of sandbox time. */
  readonly autoSettleMs?: number | undefined;
  /** False switches identity verification off (§7: 503). */
  readonly kycEnabled?: boolean | undefined;
  /** Identity sessions are decided when they are made, and can be read after this delay. */
  readonly kycAuto?: AutoDecision | undefined;
  /** Where identity pages may be embedded. */
  readonly origins?: readonly string[] | undefined;
  /** Answers as the service does and explains nothing. */
  readonly strict?: boolean | undefined;
  /** Real time in milliseconds. */
  readonly realNow?: (() => number) | undefined;
}

/** Hears what every command brought about, at which instant of sandbox time. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** The first CREDIT of the default account: 10000.00. */
const OPENING_BALANCE_CENTS = 1_000_000;
const LONGEST_TIMER_MS = 2_147_483_647;
const PUBLIC_ONLY: DestinationPolicy = { routes: new Map(), allowLocalEndpoints: false };

/** The whole TEST environment in memory. Every door does the same with it: parse, `dispatch`, present. */
export class Sandbox {
  readonly credentials: Credentials;
  readonly policy: DestinationPolicy;
  readonly strict: boolean;
  readonly realNow: () => number;
  readonly listeners = new ListenerHub();
  readonly calls = new CallLog();
  readonly drawQr = createQrDrawer();
  readonly #options: SandboxOptions;
  readonly #http;
  readonly #subscribers = new Set<Subscriber>();
  readonly #resetHooks = new Set<() => void>();
  readonly #closeHooks = new Set<() => void>();
  #epoch: Epoch;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #isClosed = false;

  /** Refuses unknown assumptions and values, and what is no origin (INVALID_REQUEST). */
  constructor(options: SandboxOptions = {}) {
    this.#options = options;
    this.credentials = options.credentials ?? WELL_KNOWN_CREDENTIALS;
    this.policy = options.policy ?? PUBLIC_ONLY;
    this.strict = options.strict ?? false;
    this.realNow = options.realNow ?? (() => Date.now());
    this.#http = createHttpSender({ policy: this.policy, ca: options.ca });
    this.#epoch = this.#begin();
    this.#createDefaultApp();
  }

  /** Everything there is, to be read and never written. */
  get world(): World {
    return this.#epoch.world;
  }

  get clock(): Clock {
    return this.#epoch.clock;
  }

  get travel(): TimeTravel {
    return this.#epoch.travel;
  }

  get records(): AttemptRecords {
    return this.#epoch.records;
  }

  get drawBytes(): DrawBytes {
    return this.#epoch.drawBytes;
  }

  get openAttempts(): number {
    return this.#epoch.openAttempts;
  }

  newWebhookSecret(): string {
    return newWebhookSecret(this.#epoch.drawBytes);
  }

  /** The id and the form token of a new identity session. */
  newSessionSecrets(): SessionSecrets {
    return newSessionSecrets(this.#epoch.drawBytes);
  }

  bodyOf(event: AnnouncedEvent): Buffer {
    return this.#epoch.bodyOf(event);
  }

  /** Does what is due, then the command, at the clock's instant. Throws its Refusal; a refused command changed nothing. */
  dispatch<Type extends CommandType>(command: Command<Type>): ResultOf<Type> {
    const epoch = this.#epoch;
    const applied = apply(epoch.world, command, epoch.clock.now());
    epoch.take(applied.effects);
    if (applied.effects.length > 0) {
      for (const subscriber of this.#subscribers) subscriber(applied.effects, epoch.world.now);
    }
    this.#setTimer();
    if (applied.refusal !== undefined) throw applied.refusal;
    return applied.result;
  }

  /** Returns what ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Changes how fast sandbox time passes: 1 is real time, 0 stands still. */
  setRate(rate: number): void {
    this.clock.setRate(rate);
    this.#timerAt = Infinity;
    this.dispatch({ type: 'clock.tick' });
  }

  /** Resolves when nothing is in flight. */
  attemptsEnded(): Promise<void> {
    return this.#epoch.attemptsEnded();
  }

  /** Nothing is in flight and nothing is due now. */
  isIdle(): boolean {
    const due = nextDue(this.world);
    return this.openAttempts === 0 && (due === undefined || due.at > this.clock.now());
  }

  /** Resolves when nothing is in flight and nothing is due now. */
  async idle(): Promise<void> {
    while (!this.isIdle()) {
      this.dispatch({ type: 'clock.tick' });
      await this.#epoch.attemptsEnded();
    }
  }

  /** Goes back to the start options. Open attempts are aborted and leave nothing; connected listeners register again. */
  reset(): void {
    this.#epoch.end();
    this.calls.clear();
    this.#epoch = this.#begin();
    this.#timerAt = Infinity;
    this.#createDefaultApp();
    for (const hook of this.#resetHooks) hook();
  }

  /** Calls back after each reset; returns what ends it. */
  onReset(hook: () => void): () => void {
    this.#resetHooks.add(hook);
    return () => this.#resetHooks.delete(hook);
  }

  /** Calls back when the sandbox closes; returns what ends it. */
  onClose(hook: () => void): () => void {
    this.#closeHooks.add(hook);
    return () => this.#closeHooks.delete(hook);
  }

  /** Stops: open attempts are aborted, connections closed. */
  close(): void {
    this.#isClosed = true;
    for (const hook of this.#closeHooks) hook();
    clearTimeout(this.#timer);
    this.#epoch.end();
    this.#http.close();
  }

  #begin(): Epoch {
    const { seed, freezeAt } = this.#options;
    const clock = createClock(this.realNow, freezeAt);
    const worldSeed = seedFromText(seed ?? randomBytes(16).toString('hex'));
    const world = emptyWorld(worldSeed, assume(this.#options.assume), clock.now(), this.#settings());
    const epoch: Epoch = new Epoch(world, clock, createDrawBytes(seed), {
      http: this.#http,
      listeners: this.listeners,
      drawQr: this.drawQr,
      realNow: this.realNow,
      tick: () => {
        if (this.#epoch === epoch) this.dispatch({ type: 'clock.tick' });
      },
      attempted: ({ deliveryId, number }, { status, error }) => {
        this.dispatch({ type: 'delivery.attempted', deliveryId, number, status, error });
      },
    });
    return epoch;
  }

  #settings(): WorldSettings {
    const { autoSettleMs, kycEnabled = true, kycAuto, origins = [] } = this.#options;
    return {
      autoSettleMs: autoSettleMs ?? null,
      kycEnabled,
      kycAuto: kycAuto ?? null,
      origins: origins.map(checkedOrigin),
    };
  }

  #createDefaultApp(): void {
    const { token, signingSecret, accountId, kycToken, kycPublishableKey } = this.credentials;
    this.dispatch({
      type: 'app.create',
      name: 'default',
      token,
      signingSecret,
      scopes: SCOPES,
      accountId,
      openingBalanceCents: OPENING_BALANCE_CENTS,
      organization: { name: 'default', kycToken, publishableKey: kycPublishableKey },
    });
  }

  /** Wakes up when the next thing falls due, unless time stands still. */
  #setTimer(): void {
    const { clock, world } = this.#epoch;
    const dueAt = clock.rate === 0 ? Infinity : (nextDue(world)?.at ?? Infinity);
    if (dueAt === this.#timerAt || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timerAt = dueAt;
    if (dueAt === Infinity) return;
    const waitMs = Math.min(Math.max(dueAt - clock.now(), 0) / clock.rate, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.dispatch({ type: 'clock.tick' });
    }, Math.ceil(waitMs));
    this.#timer.unref();
  }
}
