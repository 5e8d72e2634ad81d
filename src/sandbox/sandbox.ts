import { createHash } from 'node:crypto';
import { type Clock, createClock } from '../clock.js';
import { LAST_INSTANT_MS } from '../contract/time.js';
import { type ApplyResult, apply, type Command, type CommandType, type ResultOf } from '../core/apply.js';
import { peekDue, nextAgendaItem } from '../core/due.js';
import { checkRekey } from '../core/identity/applications.js';
import type { JournalEntry } from '../core/journal.js';
import { exportWorld } from '../core/state/export.js';
import type { World } from '../core/world.js';
import type { DestinationPolicy } from '../delivery/destination.js';
import { createHttpSender } from '../delivery/http-attempt.js';
import { ListenerHub } from '../delivery/listener-hub.js';
import { CallLog } from './call-log.js';
import {
  createDrawBytes,
  type Credentials,
  createDefaultAppCommand,
  getDefaultCredentials,
  type DrawBytes,
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
 * Lists the first commands in a world stored in the middle of its work: listeners are gone, and outcomes of
 * attempts in flight are lost.
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

/** Makes secrets generated in a world from now on differ from earlier ones. */
function drawingMark(world: World): string {
  const secrets = Array.from(world.endpoints.values(), ({ secret }) => secret);
  const drawn = [world.apps.rows.length, world.sessions.rows.length, world.endpointCount, ...secrets];
  return createHash('sha256').update(drawn.join(' ')).digest('hex');
}

/** The whole TEST environment in memory. Every API does the same: parse, `dispatch`, serialize. */
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
  /** The current world with its clock and the work under way for it; a reset replaces it. */
  epoch: Epoch;
  /** Moves the clock to the next due attempt instead of waiting for it. */
  skipsWaits = false;
  readonly #options: SandboxOptions;
  readonly #http;
  readonly #subscribers = new Subscribers<Parameters<Subscriber>>();
  readonly #resetHooks = new Set<(isFresh: boolean) => void>();
  readonly #closeHooks = new Set<() => void>();
  readonly #wakeUp = new WakeUp(() => this.dispatch({ type: 'clock.tick' }));
  /** Final instant of a replayed journal. */
  #keptAt = 0;

  /** Refuses unknown assumptions and values, and invalid origins (INVALID_REQUEST). */
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
      this.epoch = this.#begin(false);
      this.dispatch(createDefaultAppCommand(this.credentials));
    } else {
      this.epoch = this.#resumeEpoch(options.restored, options.freezeAt ?? this.realNow());
      this.note(describeStateChange('started again'), this.world.now);
      this.#resume();
    }
  }

  /** The world; read-only. */
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
   * Does what is due at `now`, by default the clock's instant, then the command. Throws its Refusal, which
   * changed nothing.
   */
  dispatch<Type extends CommandType>(command: Command<Type>, now = this.clock.now()): ResultOf<Type> {
    const epoch = this.epoch;
    const applied = apply(epoch.world, command, now);
    this.secrets.addSecretsOf(command as Command);
    const { world } = epoch;
    this.timeline.record({ command: command as Command, applied, world, realAt: this.realNow() });
    try {
      this.#keep(command, applied);
    } finally {
      // A change takes effect even if it could not be stored.
      epoch.take(applied.effects);
      if (applied.effects.length > 0) this.#subscribers.notify(applied.effects, epoch.world.now);
      this.#wakeUp.set(epoch.clock, nextAgendaItem(epoch.world)?.at ?? Infinity);
    }
    if (applied.refusal !== undefined) throw applied.refusal;
    return applied.result;
  }

  /** Returns a function that ends the subscription. */
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

  /** Adds to the timeline what no command says. */
  note(content: EntryContent, at = this.clock.now()): void {
    this.timeline.note(content, at, this.realNow());
  }

  /** Resolves when nothing is in flight. */
  attemptsEnded(): Promise<void> {
    return this.epoch.attemptsEnded();
  }

  /** Nothing is in flight and nothing is due now. */
  get isAtRest(): boolean {
    const due = nextAgendaItem(this.world);
    return this.epoch.openAttempts === 0 && (due === undefined || due.at > this.clock.now());
  }

  /** True if the next scheduled item is a later attempt, not for example the expiry of a charge. */
  get isAttemptNext(): boolean {
    const { world, travel } = this;
    return peekDue(world)?.kind === 'delivery.attempt' && !world.deliveriesPaused && !travel.isInProgress;
  }

  /** Moves the clock, frozen or not, to the next due attempt, unless one is in flight. */
  advanceToNextAttempt(): void {
    const at = peekDue(this.world)?.at;
    if (at !== undefined && this.isAttemptNext && this.isAtRest) this.travel.jumpTo(at);
  }

  /** At rest; where waits are skipped, no attempt is due next, either. */
  isIdle(): boolean {
    return this.isAtRest && !(this.skipsWaits && this.isAttemptNext);
  }

  /** Resolves when idle; runs due items and skips allowed waits. */
  async idle(): Promise<void> {
    while (!this.isIdle()) {
      if (this.skipsWaits) this.advanceToNextAttempt();
      this.dispatch({ type: 'clock.tick' });
      await this.attemptsEnded();
    }
  }

  /** Copies the world and the clock rate under a name. Refuses what `Snapshots.save` refuses. */
  saveSnapshot(name: string): Snapshot {
    const saved = this.snapshots.save({ name, rate: this.clock.rate, world: exportWorld(this.world) });
    this.note(describeStateChange('saved', name));
    return saved;
  }

  /** Refuses (NOT_FOUND) an unknown name. */
  dropSnapshot(name: string): void {
    this.snapshots.drop(name);
    this.note(describeStateChange('dropped', name));
  }

  /** Resets to the start options. Open attempts are aborted without a trace; connected listeners register again. */
  reset(): void {
    this.epoch.end();
    this.calls.clear();
    this.epoch = this.#begin(true);
    this.dispatch(createDefaultAppCommand(this.credentials));
    for (const hook of this.#resetHooks) hook(true);
  }

  /**
   * Replaces this world with another, at that world's instant. Aborts open attempts; open attempts of the new
   * world count as failed, and connected listeners register again. The request log stays, and the default
   * application keeps the credentials of this sandbox; refuses (INVALID_REQUEST) a world in which another
   * application has them.
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
   * Calls back after each reset, and after the world was replaced (`isFresh` is then false); returns a
   * function that stops it.
   */
  onReset(hook: (isFresh: boolean) => void): () => void {
    return addHook(this.#resetHooks, hook);
  }

  /** Resolves when all changes are stored, if possible: no response or attempt may be sent earlier. */
  flushed(): Promise<void> | undefined {
    return this.#options.journal?.flushed();
  }

  /** Calls back when the sandbox closes; returns a function that stops it. */
  onClose(hook: () => void): () => void {
    return addHook(this.#closeHooks, hook);
  }

  /** Stops the sandbox: aborts open attempts and closes connections. */
  close(): void {
    for (const hook of this.#closeHooks) hook();
    this.#wakeUp.end();
    this.epoch.end();
    this.#http.close();
  }

  /** Records a command in the journal, except a refusal or a tick without effects while the clock was running. */
  #keep<Type extends CommandType>(command: Command<Type>, { effects, refusal }: ApplyResult<unknown>): void {
    if (this.#options.journal === undefined) return;
    const { now } = this.world;
    const isTick = command.type === 'clock.tick' || refusal !== undefined;
    const wasMoved = this.clock.rate === 0 && now > this.#keptAt;
    if (isTick && effects.length === 0 && !wasMoved) return;
    const flushed = isTick ? { type: 'clock.tick' as const } : (command as Command);
    this.#append({ at: now, command: flushed });
  }

  /** Keeps an entry with who made it. */
  #append(entry: JournalEntry, begun?: EntryContent): void {
    if ('command' in entry || 'world' in entry) this.#keptAt = entry.at;
    this.#options.journal?.append({ ...entry, cause: toJournalCause(this.timeline.cause, begun) });
  }

  #begin(isReset: boolean): Epoch {
    const { seed, freezeAt } = this.#options;
    const clock = createClock(this.realNow, freezeAt, undefined, LAST_INSTANT_MS);
    const world = createFreshWorld(this.#options, clock.now());
    this.#recordStart(describeStateChange(isReset ? 'reset' : 'started'), { world, rate: clock.rate });
    return this.#epochOf(world, clock, createDrawBytes(seed));
  }

  #recordStart(content: EntryContent, { world, rate }: RestoredState): void {
    const isPersisted = this.#options.journal !== undefined;
    if (isPersisted) this.#append({ at: world.now, rate, world: exportWorld(world) }, content);
    this.timeline.startWorld(content, world.now, this.realNow());
  }

  /** An epoch of a stored world, starting no earlier than the world's own instant. */
  #resumeEpoch({ world, rate }: RestoredState, instant: number): Epoch {
    const { seed, freezeAt } = this.#options;
    const isFrozen = rate === 0 || freezeAt !== undefined;
    const startAt = isFrozen && freezeAt === undefined ? world.now : Math.max(world.now, instant);
    const clock = createClock(this.realNow, startAt, isFrozen ? 0 : rate, LAST_INSTANT_MS);
    return this.#epochOf(world, clock, createDrawBytes(seed, drawingMark(world)));
  }

  #epochOf(world: World, clock: Clock, drawBytes: DrawBytes): Epoch {
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
    // At the instant at which the world stopped: what fell due since must find its listeners away.
    const { now } = this.world;
    for (const command of stoppedCommands(this.world)) this.dispatch(command, now);
    this.dispatch({ type: 'app.rekey', ...getDefaultCredentials(this.credentials) });
  }
}
