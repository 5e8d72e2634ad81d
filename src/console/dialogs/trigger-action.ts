import type { NewTrigger } from '../../client/routes.js';
import { readOverrides } from '../../text/overrides.js';
import { commandLine } from '../model/command.js';
import type { Words } from '../words/words.js';
import type { Prepared, Values } from './form.js';
import { filled, linesOf, numberOrText } from './form.js';
import type { Payment } from './payment-fields.js';
import { paymentGiven, readLines } from './payment-fields.js';

/** What an event is about. */
export function subjectOf(type: string): Payment {
  return type.startsWith('pix.') ? 'charge' : 'withdrawal';
}

/** What the form of the trigger does as it is filled in: fields that do not belong to its event count for nothing. */
export function triggerAction(words: Words, values: Values): Prepared {
  const type = filled(values, 'type') ?? '';
  const subject = subjectOf(type);
  const existing = filled(values, subject);
  const made = paymentGiven(existing === undefined ? values : {}, subject);
  const reason = type.endsWith('.failed') ? filled(values, 'reason') : undefined;
  const late = type === 'pix.settled' && values['late'] !== undefined;
  const lines = linesOf(values, 'override');
  const override = readLines('override', readOverrides(lines));
  const count = filled(values, 'count');
  const app = filled(values, 'app');
  const body: NewTrigger = {
    type,
    ...(existing === undefined ? {} : { [subject]: existing }),
    ...(Object.keys(made.body).length === 0 ? {} : { with: made.body }),
    ...(reason === undefined ? {} : { reason }),
    ...(late ? { late } : {}),
    ...(lines.length === 0 ? {} : { override: override.values }),
    ...(count === undefined ? {} : { count: numberOrText(count) }),
    ...(app === undefined ? {} : { app }),
  };
  return {
    done: words.trigger.done(type),
    command: commandLine('trigger', [type], {
      [subject]: existing,
      ...made.options,
      reason,
      late,
      override: lines,
      count,
      app,
    }),
    run: (client) => client.post('trigger', { body }),
    problems: { ...made.problems, ...override.problems },
  };
}
