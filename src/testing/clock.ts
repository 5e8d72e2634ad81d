import type { Sandbox } from '../sandbox/sandbox.js';
import type { ControlClient } from '../client/control.js';

/** Sandbox time. Durations are texts such as `90s`, `45h` or `1d12h`. Every method but `now` rejects with SandboxError. */
export function clockVerbs(control: ControlClient, sandbox: () => Sandbox) {
  return {
    now: () => new Date(sandbox().clock.now()),
    show: () => control.get('clock'),
    /** Moves forward and does all that falls due on the way; resolves when its attempts have ended. */
    advance: (by: string) => control.post('clock/advance', { body: { by } }),
    /** Jumps to the next thing due; `did` says what it was. */
    next: () => control.post('clock/next'),
    /** Lets time stand still, now or at a later instant such as `2030-01-01T00:00:00Z`. */
    freeze: (at?: string) => control.post('clock/freeze', { body: { at } }),
    /** Sandbox seconds in a real one; 1 is real time. */
    speed: (rate: number) => control.post('clock/speed', { body: { rate } }),
  };
}
