import { formatDuration } from '../../contract/time.js';
import { commandLine } from '../dialogs/command-line.js';
import type { Prepared, Values } from '../dialogs/form.js';
import { filled, numberOrText } from '../dialogs/form.js';
import type { Action } from '../model/actions.js';
import { instant } from '../words/format.js';
import type { Words } from '../words/words.js';

/** Goes forward by a duration. */
export function advanceBy({ clock }: Words, by: string): Action {
  return {
    done: clock.moved(by),
    command: commandLine(['clock', 'advance', by], {}),
    run: (client) => client.post('clock/advance', { body: { by } }),
  };
}

/** Goes to an instant to come, and does all that falls due on the way and at it. `now` is sandbox time, in milliseconds. */
export function jumpTo(words: Words, at: string, now: number): Action {
  const by = formatDuration(Math.max(0, Date.parse(at) - now));
  return { ...advanceBy(words, by), done: words.payments.time.jumped(instant(at)) };
}

/** What the form to advance does. */
export function advanceAction(words: Words, values: Values): Prepared {
  return { ...advanceBy(words, filled(values, 'by') ?? ''), problems: {} };
}

/** What the form to freeze the clock does: at an instant to come, or now. */
export function freezeAction({ clock, payments }: Words, values: Values): Prepared {
  const at = filled(values, 'at');
  return {
    done: at === undefined ? clock.isFrozen : payments.time.frozenAt(at),
    command: commandLine(at === undefined ? ['clock', 'freeze'] : ['clock', 'freeze', at], {}),
    run: (client) => client.post('clock/freeze', { body: { at } }),
    problems: {},
  };
}

/** What the form for the speed of the clock does. */
export function speedAction({ clock }: Words, values: Values): Prepared {
  const text = filled(values, 'rate') ?? '';
  const rate = numberOrText(text);
  return {
    done: rate === 1 ? clock.runs : clock.runsFast(rate),
    command: commandLine(['clock', 'speed', text], {}),
    run: (client) => client.post('clock/speed', { body: { rate } }),
    problems: {},
  };
}
