import type { AdvancedView, ClockView, NextView } from '../http/control/schema.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Control } from './control.js';

/** Sandbox time. Durations are texts such as `90s`, `45h` or `1d12h`. Every method but `now` rejects with SandboxError. */
export function clockVerbs(control: Control, sandbox: () => Sandbox) {
  return {
    now: () => new Date(sandbox().clock.now()),
    show: () => control.get<ClockView>('clock'),
    /** Moves forward and does all that falls due on the way; resolves when its attempts have ended. */
    advance: (by: string) => control.post<AdvancedView>('clock/advance', { by }),
    /** Jumps to the next thing due; `did` says what it was. */
    next: () => control.post<NextView>('clock/next'),
    /** Lets time stand still, now or at a later instant such as `2030-01-01T00:00:00Z`. */
    freeze: (at?: string) => control.post<ClockView>('clock/freeze', { at }),
    /** Sandbox seconds in a real one; 1 is real time. */
    speed: (rate: number) => control.post<ClockView>('clock/speed', { rate }),
  };
}
