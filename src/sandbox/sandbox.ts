import { createHash } from 'node:crypto';
import { type Clock, createClock } from '../clock.js';
import { LAST_INSTANT_MS } from '../contract/time.js';
import {
  type ApplyResult,
  applyCommand,
  type Command,
  type CommandType,
  type ResultOf,
} from '../core/apply.js';
import { nextAgendaItem, nextWorkItem } from '../core/due.js';
import { checkRekey } from '../core/identity/applications.js';
import type { JournalEntry } from '../core/journal.js';
import { exportWorld } from '../core/state/export.js';
import type { World } from '../core/world.js';
import type { DestinationPolicy } from '../delivery/destination.js';
import { createHttpSender } from '../delivery/http-attempt.js';
import { ListenerHub } from '../delivery/listener-hub.js';
import { CallLog } from './call-log.js';
import {
  createByteGenerator,
  type Credentials,
  createDefaultAppCommand,
  getDefaultCredentials,
  type ByteGenerator,
  SandboxSecrets,
  WELL_KNOWN_CREDENTIALS,
} from './credentials.js';
import { Epoch } from './epoch.js';
import {
  createFreshWorld,
  PUBLIC_ONLY_POLICY,
  type RestartPort,
  type RestoredState,
  type SandboxOptions,
} from './options.js';
import { createQrDrawer } from './qr/image.js';
import { type Snapshot, Snapshots } from './snapshots.js';
import { addHook, type Subscriber, Subscribers } from './subscribers.js';
import { TestReceiver } from './test-receiver.js';
import { type TimeTravel, WakeUp } from './time/time-travel.js';
import { toJournalCause, createClockMove } from './timeline/cause.js';
import type { EntryContent } from './timeline/entry.js';
import { describeSideEvent, describeRate, describeStateChange } from './timeline/entry-content.js';
import { Timeline } from './timeline/timeline.js';

/**
 * Lists the commands that resume an interrupted world: they disconnect its listeners and fail its in-flight
 * attempts.
 */
function stoppedCommands(world: World): Command[] {
  const gone = [...world.endpoints.values()].filter(({ connected }) => connected);
  const open = world.deliveries.rows.filter(({ inFlight }) => inFlight);
  return [
    ...gone.map(({ id }): Command => ({ type: 'listener.lose', endpointId: id })),
    ...open.map(({ id, attempts }): Command => ({
      type: 'delivery.attempted',
      deliveryId: id,
      number: attempts,
      status: null,
      error: 'SANDBOX_STOPPED',
    })),
  ];
}

/** Hashes a world's secrets and counters, so that newly generated secrets differ from existing secrets. */
function secretSeedSuffix(world: World): string {
  const secrets = Array.from(world.endpoints.values(), ({ secret }) => secret);
  const drawn = [world.apps.rows.length, world.sessions.rows.length, world.endpointCount, ...secrets];
  return createHash('sha256').update(drawn.join(' ')).digest('hex');
}

/** An in-memory TEST environment. Every API parses a request, calls `dispatch`, and serializes the result. */
export class Sandbox {
  readonly credentials: Credentials;
  readonly policy: DestinationPolicy;
  readonly strict: boolean;
  readonly program: string | undefined;
  readonly restart: RestartPort | undefined;
  readonly realNow: () => number;
  readonly listeners = new ListenerHub();
  readonly secrets = new SandboxSecrets();
  readonly calls = new CallLog((text) => this.secrets.hide(text));
  readonly drawQr = createQrDrawer();
  readonly snapshots = new Snapshots();
  readonly testReceiver = new TestReceiver(this);
  readonly timeline: Timeline;
  /** The current epoch. A reset or a replacement of the world replaces the epoch. */
  epoch: Epoch;
  /** True if `idle` moves the clock to the next attempt instead of waiting. */
  skipsWaits = false;
  readonly #options: SandboxOptions;
  readonly #http;
  readonly #subscribers = new Subscribers<Parameters<Subscriber>>();
  readonly #resetHooks = new Set<(isFresh: boolean) => void>();
  readonly #closeHooks = new Set<() => void>();
  readonly #wakeUp = new WakeUp(() => this.dispatch({ type: 'clock.tick' }));
  /** Sandbox time of the last journaled command or world. */
  #journaledAt = 0;

  /** Rejects unknown assumptions, unknown values and invalid origins (INVALID_REQUEST). */
  constructor(options: SandboxOptions = {}) {
    this.#options = options;
    this.credentials = options.credentials ?? WELL_KNOWN_CREDENTIALS;
    this.policy = options.policy ?? PUBLIC_ONLY_POLICY;
    this.strict = options.strict ?? false;
    this.program = options.program;
    this.restart = options.restart;
    this.realNow = options.realNow ?? (() => Date.now());
    this.#http = createHttpSender({ policy: this.policy, ca: options.ca });
    this.timeline = options.restored?.timeline ?? new Timeline();
    this.timeline.hide = (text) => this.secrets.hide(text);
    this.calls.subscribe((call, open) => this.timeline.recordCall(call, open));
    if (options.restored === undefined) {
      this.epoch = this.#startEpoch(false);
      this.dispatch(createDefaultAppCommand(this.credentials));
    } else {
      this.epoch = this.#resumeEpoch(options.restored, options.freezeAt ?? this.realNow());
      this.note(describeStateChange('started again'), this.world.now);
      this.#resume();
    }
  }

  /** The current world. Change it only through `dispatch`. */
  get world(): World {
    return this.epoch.world;
  }

  get clock(): Clock {
    return this.epoch.clock;
  }

  get travel(): TimeTravel {
    return this.epoch.travel;
  }

  /**
   * Runs all items due at `now` (default: the current sandbox time), then the command. A refused command
   * throws a Refusal and changes nothing.
   */
  dispatch<Type extends CommandType>(command: Command<Type>, now = this.clock.now()): ResultOf<Type> {
    const epoch = this.epoch;
    const applied = applyCommand(epoch.world, command, now);
    this.secrets.addSecretsOf(command as Command);
    const { world } = epoch;
    this.timeline.record({ command: command as Command, applied, world, realAt: this.realNow() });
    try {
      this.#journalCommand(command, applied);
    } finally {
      // Apply the effects even if journaling failed.
      epoch.take(applied.effects);
      if (applied.effects.length > 0) this.#subscribers.notify(applied.effects, epoch.world.now);
      this.#wakeUp.set(epoch.clock, nextAgendaItem(epoch.world)?.at ?? Infinity);
    }
    if (applied.refusal !== undefined) throw applied.refusal;
    return applied.result;
  }

  /** Subscribes to the effects of commands. Returns a function that unsubscribes. */
  subscribe(subscriber: Subscriber): () => void {
    return this.#subscribers.add(subscriber);
  }

  /** Changes the speed of sandbox time: 1 is real time, 0 is frozen. */
  setRate(rate: number): void {
    this.clock.setRate(rate);
    this.#wakeUp.forget();
    this.#append({ at: this.clock.now(), rate });
    this.note(describeRate(rate));
    this.dispatch({ type: 'clock.tick' });
  }

  /** Adds a timeline entry without a command. */
  note(content: EntryContent, at = this.clock.now()): void {
    this.timeline.note(content, at, this.realNow());
  }

  /** Resolves when no attempt is in flight. */
  attemptsEnded(): Promise<void> {
    return this.epoch.attemptsEnded();
  }

  /** Returns true if no attempt is in flight and nothing is due. */
  get isAtRest(): boolean {
    const due = nextAgendaItem(this.world);
    return this.epoch.openAttempts === 0 && (due === undefined || due.at > this.clock.now());
  }

  /**
   * Returns true if the next scheduled item, apart from starts and ends of faults, is an attempt, deliveries are
   * not paused, and the clock is not advancing.
   */
  get isAttemptNext(): boolean {
    const { world, travel } = this;
    return (
      nextWorkItem(world)?.kind === 'delivery.attempt' && !world.deliveriesPaused && !travel.isInProgress
    );
  }

  /** Moves the clock, even if frozen, to the next scheduled attempt, unless an attempt is in flight. */
  advanceToNextAttempt(): void {
    const at = nextWorkItem(this.world)?.at;
    if (at !== undefined && this.isAttemptNext && this.isAtRest) this.travel.jumpTo(at);
  }

  /** Returns true if the sandbox is at rest and, while waits are skipped, the next item is not an attempt. */
  isIdle(): boolean {
    return this.isAtRest && !(this.skipsWaits && this.isAttemptNext);
  }

  /** Runs due items, skipping waits if enabled, until the sandbox is idle. */
  async idle(): Promise<void> {
    while (!this.isIdle()) {
      if (this.skipsWaits) this.advanceToNextAttempt();
      this.dispatch({ type: 'clock.tick' });
      await this.attemptsEnded();
    }
  }

  /** Saves the world and the clock rate as a snapshot. Throws the same Refusal as `Snapshots.save`. */
  saveSnapshot(name: string): Snapshot {
    const saved = this.snapshots.save({ name, rate: this.clock.rate, world: exportWorld(this.world) });
    this.note(describeStateChange('saved', name));
    return saved;
  }

  /** Drops a snapshot. Rejects an unknown name (NOT_FOUND). */
  dropSnapshot(name: string): void {
    this.snapshots.drop(name);
    this.note(describeStateChange('dropped', name));
  }

  /**
   * Resets the sandbox to its initial options. Drops in-flight attempts and reconnects connected listeners.
   */
  reset(): void {
    this.epoch.end();
    this.calls.clear();
    this.epoch = this.#startEpoch(true);
    this.dispatch(createDefaultAppCommand(this.credentials));
    for (const hook of this.#resetHooks) hook(true);
  }

  /**
   * Replaces the world and resumes at its sandbox time. Aborts in-flight attempts, fails the new world's
   * in-flight attempts, and reconnects connected listeners. Preserves the request log and the default
   * application's credentials. Rejects a world in which another application uses these credentials
   * (INVALID_REQUEST).
   */
  replaceWorld(restored: RestoredState, content = describeStateChange('restored')): void {
    checkRekey(restored.world, getDefaultCredentials(this.credentials));
    this.epoch.end();
    this.epoch = this.#resumeEpoch(restored, restored.world.now);
    this.#recordStart(content, restored);
    this.#resume();
    for (const hook of this.#resetHooks) hook(false);
  }

  /**
   * Calls `hook` after each reset (`isFresh` is true) or replacement of the world (`isFresh` is false).
   * Returns a function that removes the hook.
   */
  onReset(hook: (isFresh: boolean) => void): () => void {
    return addHook(this.#resetHooks, hook);
  }

  /**
   * Resolves when all changes are stored or storing has failed. Responses and attempts must wait for this
   * promise.
   */
  flushed(): Promise<void> | undefined {
    return this.#options.journal?.flushed();
  }

  /** Calls `hook` when the sandbox closes. Returns a function that removes the hook. */
  onClose(hook: () => void): () => void {
    return addHook(this.#closeHooks, hook);
  }

  /** Stops the sandbox: aborts in-flight attempts and closes connections. */
  close(): void {
    for (const hook of this.#closeHooks) hook();
    this.#wakeUp.end();
    this.epoch.end();
    this.#http.close();
  }

  /**
   * Journals a command. Skips ticks and refused commands without effects, unless a frozen clock has moved.
   */
  #journalCommand<Type extends CommandType>(
    command: Command<Type>,
    { effects, refusal }: ApplyResult<unknown>,
  ): void {
    if (this.#options.journal === undefined) return;
    const { now } = this.world;
    const isTick = command.type === 'clock.tick' || refusal !== undefined;
    const wasMoved = this.clock.rate === 0 && now > this.#journaledAt;
    if (isTick && effects.length === 0 && !wasMoved) return;
    const flushed = isTick ? { type: 'clock.tick' as const } : (command as Command);
    this.#append({ at: now, command: flushed });
  }

  /** Appends an entry with its cause to the journal. */
  #append(entry: JournalEntry, begun?: EntryContent): void {
    if ('command' in entry || 'world' in entry) this.#journaledAt = entry.at;
    this.#options.journal?.append({ ...entry, cause: toJournalCause(this.timeline.cause, begun) });
  }

  #startEpoch(isReset: boolean): Epoch {
    const { seed, freezeAt } = this.#options;
    const clock = createClock(this.realNow, freezeAt, undefined, LAST_INSTANT_MS);
    const world = createFreshWorld(this.#options, clock.now());
    this.#recordStart(describeStateChange(isReset ? 'reset' : 'started'), { world, rate: clock.rate });
    return this.#createEpoch(world, clock, createByteGenerator(seed));
  }

  #recordStart(content: EntryContent, { world, rate }: RestoredState): void {
    const isPersisted = this.#options.journal !== undefined;
    if (isPersisted) this.#append({ at: world.now, rate, world: exportWorld(world) }, content);
    this.timeline.startWorld(content, world.now, this.realNow());
  }

  /** Creates an epoch for a stored world. Its clock starts at the world's sandbox time or later. */
  #resumeEpoch({ world, rate }: RestoredState, instant: number): Epoch {
    const { seed, freezeAt } = this.#options;
    const isFrozen = rate === 0 || freezeAt !== undefined;
    const startAt = isFrozen && freezeAt === undefined ? world.now : Math.max(world.now, instant);
    const clock = createClock(this.realNow, startAt, isFrozen ? 0 : rate, LAST_INSTANT_MS);
    return this.#createEpoch(world, clock, createByteGenerator(seed, secretSeedSuffix(world)));
  }

  #createEpoch(world: World, clock: Clock, drawBytes: ByteGenerator): Epoch {
    this.secrets.addAllSecrets(world);
    this.#wakeUp.forget();
    const tick = () => {
      if (this.epoch === epoch) this.dispatch({ type: 'clock.tick' });
    };
    const epoch: Epoch = new Epoch(world, clock, drawBytes, {
      http: this.#http,
      listeners: this.listeners,
      drawQr: this.drawQr,
      realNow: this.realNow,
      secrets: this.secrets,
      flushed: () => this.flushed(),
      tick,
      rateLimits: { api: this.#options.rateLimit, identity: this.#options.kycRateLimit },
      moving: () => createClockMove(this.timeline, tick),
      restart: this.restart,
      recordExtraMessage: ({ deliveryId, number }, event, outcome) => {
        const content = describeSideEvent(this.world, event, { deliveryId, number, ...outcome });
        this.timeline.note(content, this.clock.now(), this.realNow(), undefined, deliveryId);
      },
      attempted: ({ deliveryId, number }, { status, error }) =>
        void this.dispatch({ type: 'delivery.attempted', deliveryId, number, status, error }),
    });
    return epoch;
  }

  #resume(): void {
    // Use the world's last sandbox time, so that listeners are disconnected before later items run.
    const { now } = this.world;
    for (const command of stoppedCommands(this.world)) this.dispatch(command, now);
    this.dispatch({ type: 'app.rekey', ...getDefaultCredentials(this.credentials) });
  }
}
