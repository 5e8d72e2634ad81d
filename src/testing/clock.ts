import type { ControlClient } from '../client/control.js';
import type { AdvancedView, ClockView, NextView } from '../shapes.js';

/** Sandbox time. Durations are texts such as `90s`, `45h` or `1d12h`. Every method but `now` rejects with SandboxError. */
export interface ClockVerbs<Now> {
  readonly now: () => Now;
  readonly show: () => Promise<ClockView>;
  /** Moves forward and does all that falls due on the way; resolves when its attempts have ended. */
  readonly advance: (by: string) => Promise<AdvancedView>;
  /** Jumps to the next thing due; `did` says what it was. */
  readonly next: () => Promise<NextView>;
  /** Lets time stand still, now or at a later instant such as `2030-01-01T00:00:00Z`. */
  readonly freeze: (at?: string) => Promise<ClockView>;
  /** Sandbox seconds in a real one; 1 is real time. */
  readonly speed: (rate: number) => Promise<ClockView>;
}

/** @internal */
export function clockVerbs<Now>(control: ControlClient, now: () => Now): ClockVerbs<Now> {
  return {
    now,
    show: () => control.get('clock'),
    advance: (by) => control.post('clock/advance', { body: { by } }),
    next: () => control.post('clock/next'),
    freeze: (at) => control.post('clock/freeze', { body: { at } }),
    speed: (rate) => control.post('clock/speed', { body: { rate } }),
  };
}
