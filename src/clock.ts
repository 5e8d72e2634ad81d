/** Tracks sandbox time (ms since 1970): scaled real time or frozen, never moving backward. */
export interface Clock {
  /** Returns the current sandbox time. */
  now(): number;
  /** Sandbox milliseconds per real millisecond: 1 for real time, 0 if frozen. */
  readonly rate: number;
  setRate(rate: number): void;
  /** Moves the clock forward to an instant. An earlier instant leaves the clock unchanged. */
  jumpTo(instant: number): void;
  /** True while `hold` freezes the clock, regardless of its rate. */
  readonly isHeld: boolean;
  /** Freezes the clock until the returned function is called. `jumpTo` still moves a held clock. */
  hold(): () => void;
}

/**
 * Creates a clock based on real time. With `startAt`, the clock starts at that instant and is frozen unless a
 * rate is provided; otherwise, the clock starts at the current real time and runs. The clock stops at `end`.
 * If `realNow` moves backward (a corrected system clock), sandbox time pauses.
 */
export function createClock(
  realNow: () => number,
  startAt?: number,
  startRate = startAt === undefined ? 1 : 0,
  end = Infinity,
): Clock {
  let rate = startRate;
  let anchorReal = realNow();
  let anchor = startAt ?? anchorReal;
  let latest = anchor;
  const holds = new Set<() => void>();

  function now(): number {
    if (rate === 0 || holds.size > 0) return latest;
    const reached = Math.floor(anchor + (realNow() - anchorReal) * rate);
    latest = Math.max(latest, Math.min(reached, end));
    return latest;
  }

  function anchorAt(instant: number): void {
    anchor = instant;
    anchorReal = realNow();
    latest = instant;
  }

  return {
    now,
    get rate() {
      return rate;
    },
    setRate(newRate) {
      anchorAt(now());
      rate = newRate;
    },
    jumpTo(instant) {
      anchorAt(Math.max(instant, now()));
    },
    get isHeld() {
      return holds.size > 0;
    },
    hold() {
      anchorAt(now());
      const release = () => {
        anchorAt(now());
        holds.delete(release);
      };
      holds.add(release);
      return release;
    },
  };
}
