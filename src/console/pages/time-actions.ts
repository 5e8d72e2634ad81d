import { clockActions } from '../clock/actions.js';
import type { Prepared, Values } from '../dialogs/form.js';
import { filled, numberOrText } from '../dialogs/form.js';
import { commandLine } from '../model/command.js';
import type { Words } from '../words/words.js';

/** What the form to advance does. */
export function advanceAction(words: Words, values: Values): Prepared {
  return { ...clockActions(words).advance(filled(values, 'by') ?? ''), problems: {} };
}

/** What the form to freeze the clock does: at an instant to come, or now. */
export function freezeAction({ clock, payments }: Words, values: Values): Prepared {
  const at = filled(values, 'at');
  return {
    done: at === undefined ? clock.isFrozen : payments.time.frozenAt(at),
    command: commandLine('clock freeze', at === undefined ? [] : [at]),
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
    command: commandLine('clock speed', [text]),
    run: (client) => client.post('clock/speed', { body: { rate } }),
    problems: {},
  };
}
