import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import type { Clock } from '../../clock.js';
import { type DueItem, peekDue } from '../../core/due.js';
import { Refusal } from '../../contract/refusals.js';
import { LAST_INSTANT_MS } from '../../contract/time.js';
import type { World } from '../../core/world.js';

/** Dependencies for time travel. */
export interface TimeTravelContext {
  readonly world: World;
  readonly clock: Clock;
  /** Runs all items due at the current sandbox time. */
  readonly tick: () => void;
  /** Creates a clock move with the current cause. */
  readonly moving: () => ClockMove;
  /** Resolves when no attempt is in flight. */
  readonly attemptsEnded: () => Promise<void>;
  /** Aborts when this world is replaced. */
  readonly signal: AbortSignal;
}

/** Returns a function that runs the items due between two instants. */
export type ClockMove = (from: number, to: number) => () => void;

export interface AdvanceOptions {
  /** Stops the advance between two steps. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((due: DueItem) => void) | undefined;
}

export interface AdvanceResult {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** False if the advance stopped before its target. */
  readonly finished: boolean;
}

/** Maximum number of steps before yielding to the event loop. */
const STEPS_PER_TURN = 256;

function checkReach(instant: number): void {
  if (instant <= LAST_INSTANT_MS) return;
  throw new Refusal('INVALID_REQUEST', 'The clock cannot move past the year 9999.');
}

/**
 * Moves sandbox time from each due item to the next. Each step waits for its attempts, so that items
 * scheduled by their outcomes also run before the target is reached.
 */
export class TimeTravel {
  readonly #context: TimeTravelContext;
  #isInProgress = false;

  constructor(context: TimeTravelContext) {
    this.#context = context;
  }

  get isInProgress(): boolean {
    return this.#isInProgress;
  }

  /** Advances to an instant. Rejects past instants (INVALID_REQUEST) and concurrent advances (CLOCK_BUSY). */
  async advanceTo(target: number, options: AdvanceOptions = {}): Promise<AdvanceResult> {
    if (target < this.#context.clock.now()) {
      throw new Refusal('INVALID_REQUEST', 'Sandbox time cannot move backward.', {
        hint: 'Start a sandbox with --freeze to begin at an earlier instant.',
      });
    }
    checkReach(target);
    return this.#travel((moving) => this.#stepTo(target, moving, options));
  }

  /** Freezes the clock, then advances by this many milliseconds. */
  async advanceBy(ms: number, options: AdvanceOptions = {}): Promise<AdvanceResult> {
    return this.#travel((moving) => {
      const target = this.#context.clock.now() + ms;
      checkReach(target);
      return this.#stepTo(target, moving, options);
    });
  }

  /** Jumps to the next scheduled item, runs it and returns it. Returns undefined if nothing is scheduled. */
  async next(options: AdvanceOptions = {}): Promise<DueItem | undefined> {
    return this.#travel(async (moving) => {
      const { world, clock, attemptsEnded, signal } = this.#context;
      await attemptsEnded();
      const due = peekDue(world);
      if (due === undefined || signal.aborted) return undefined;
      checkReach(due.at);
      await this.#stepTo(Math.max(due.at, clock.now()), moving, options);
      await attemptsEnded();
      return due;
    });
  }

  /** Jumps to an instant (at most year 9999) and runs all due items without waiting for their attempts. */
  jumpTo(instant: number): void {
    if (instant > LAST_INSTANT_MS) return;
    const { clock, moving } = this.#context;
    const tick = moving()(clock.now(), instant);
    clock.jumpTo(instant);
    tick();
  }

  async #travel<Result>(journey: (moving: ClockMove) => Promise<Result>): Promise<Result> {
    if (this.#isInProgress) {
      throw new Refusal('CLOCK_BUSY', 'Another clock advance is in progress.', {
        hint: 'Wait until it finishes, or stop it with Ctrl-C in its terminal.',
      });
    }
    const { clock, tick, signal, moving } = this.#context;
    const { rate } = clock;
    this.#isInProgress = true;
    clock.setRate(0);
    try {
      return await journey(moving());
    } finally {
      this.#isInProgress = false;
      clock.setRate(rate);
      if (!signal.aborted) tick();
    }
  }

  async #stepTo(
    target: number,
    moving: ClockMove,
    { signal, onStep }: AdvanceOptions,
  ): Promise<AdvanceResult> {
    const { world, clock, attemptsEnded } = this.#context;
    const from = clock.now();
    const tick = moving(from, target);
    let steps = 0;
    for (;;) {
      await attemptsEnded();
      if (signal?.aborted || this.#context.signal.aborted) {
        return { from, to: clock.now(), steps, finished: false };
      }
      const due = peekDue(world);
      if (due === undefined || due.at > target) break;
      clock.jumpTo(due.at);
      tick();
      steps += 1;
      onStep?.(due);
      if (steps % STEPS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    clock.jumpTo(target);
    tick();
    return { from, to: target, steps, finished: true };
  }
}

const LONGEST_TIMER_MS = 2_147_483_647;

/** Runs a callback when a running clock reaches an instant. Does not keep the process alive. */
export class WakeUp {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isOver = false;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Schedules the callback for an instant of sandbox time (ms), replacing the previous instant. */
  set(clock: Clock, instant: number): void {
    const dueAt = clock.rate === 0 || clock.isHeld || instant > LAST_INSTANT_MS ? Infinity : instant;
    if (dueAt === this.#dueAt || this.#isOver) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    if (dueAt === Infinity) return;
    const waitMs = Math.min(Math.max(dueAt - clock.now(), 0) / clock.rate, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.forget();
      this.#call();
    }, Math.ceil(waitMs));
    this.#timer.unref();
  }

  /**
   * Cancels the callback, so that `set` reschedules the same instant after the clock or its rate has changed.
   */
  forget(): void {
    this.#dueAt = Infinity;
    clearTimeout(this.#timer);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
