import type { Action } from '../model/actions.js';
import { commandLine } from '../model/command.js';
import type { Words } from '../words/words.js';

/** The actions of the clock; keys and buttons share them. */
export function clockActions({ clock }: Words) {
  const advance = (by: string): Action => ({
    done: clock.moved(by),
    command: commandLine('clock advance', [by]),
    run: (client) => client.post('clock/advance', { body: { by } }),
  });
  const freeze: Action = {
    done: clock.isFrozen,
    command: 'clock freeze',
    run: (client) => client.post('clock/freeze'),
  };
  const speed = (rate: number): Action => ({
    done: rate === 1 ? clock.runs : clock.runsFast(rate),
    command: rate === 1 ? 'clock reset' : `clock speed ${rate}`,
    run: (client) =>
      rate === 1 ? client.post('clock/reset') : client.post('clock/speed', { body: { rate } }),
  });
  return {
    next: {
      done: clock.didNext,
      command: 'clock next',
      run: (client) => client.post('clock/next'),
    } as Action,
    advance,
    freeze,
    speed,
    /** Freezes a running clock, and lets a frozen one run. */
    freezeOrRun: (rate: number): Action => (rate === 0 ? speed(1) : freeze),
  };
}
