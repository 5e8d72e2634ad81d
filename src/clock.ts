/** Sandbox time in milliseconds since 1970. It runs at a multiple of real time or is frozen, and never goes back. */
export interface Clock {
  /** The sandbox's instant. */
  now(): number;
  /** Sandbox milliseconds per real millisecond: 1 normally, 0 while frozen. */
  readonly rate: number;
  setRate(rate: number): void;
  /** Moves forward to an instant; an earlier one leaves the clock unchanged. */
  jumpTo(instant: number): void;
  /** True while frozen by holds, whatever its rate. */
  readonly isHeld: boolean;
  /** Holds it; returns a function that releases this hold. It can still be moved. */
  hold(): () => void;
}

/**
 * A clock on top of real time. With `startAt` it starts there, frozen unless a rate is given; otherwise it
 * starts at the current real time and runs, until `end`, where it stays. `realNow` returns real milliseconds
 * and may go back (a corrected system clock): sandbox time then waits.
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
