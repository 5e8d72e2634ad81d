/** Tracks sandbox time (ms since 1970), which is scaled from real time or frozen, and never goes back. */
export interface Clock {
  /** Returns the current sandbox time. */
  now(): number;
  /** Sandbox milliseconds per real millisecond: 1 normally, 0 while frozen. */
  readonly rate: number;
  setRate(rate: number): void;
  /** Moves the clock forward to an instant. An earlier instant leaves the clock unchanged. */
  jumpTo(instant: number): void;
  /** True while holds freeze the clock, regardless of its rate. */
  readonly isHeld: boolean;
  /** Freezes the clock until the returned function is called. `jumpTo` still moves a held clock. */
  hold(): () => void;
}

/**
 * Creates a clock based on real time. With `startAt`, the clock starts there, frozen unless a rate is
 * provided; otherwise it starts at the current real time and runs. The clock stops at `end`. `realNow`
 * returns real milliseconds and may go back (a corrected system clock); sandbox time then waits.
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
