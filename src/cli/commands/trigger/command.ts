import { EVENT_TYPES } from '../../../contract/enums.js';
import { rows, words } from '../../completion/sources.js';
import { NEW_CHARGE, NEW_WITHDRAWAL } from '../payments/command.js';
import { declare, type OptionSpec } from '../../program/declaration.js';
import {
  count,
  duration,
  durationOf,
  flag,
  optional,
  otherwise,
  text,
  valuesOf,
} from '../../program/options.js';
import { APP, REASON } from '../../program/shared-options.js';
import { readOverrides } from '../../../text/overrides.js';

export const trigger = declare({
  name: 'trigger',
  summary: 'make an event happen, and show its deliveries',
  description:
    'Without --charge or --withdrawal, a new one is created. Waits for the first attempt of ' +
    'every delivery, or with --wait until each is DELIVERED or FAILED. --override changes ' +
    'only the payload, not the resource; the value takes the type of the field that it ' +
    'replaces.',
  args: { event: optional(words(EVENT_TYPES)) },
  options: {
    charge: text('id', 'move this charge (id or code) instead of a new one', rows('charges')),
    withdrawal: text('id', 'move this withdrawal (id or code)', rows('withdrawals')),
    ...NEW_CHARGE,
    ...NEW_WITHDRAWAL,
    ...REASON,
    late: flag('pix.settled: the charge expires first'),
    override: overrides('path=value', 'change a value in the payload; path:=json changes its type, too'),
    count: count('n', 'how many times; --json then adds a summary'),
    rate: count('n', 'how many per second of real time (default: all at once)'),
    wait: flag('until every delivery has ended; exit 1 when one failed'),
    timeout: otherwise(
      duration('duration', 'how long to wait, in real time (default: 30s)'),
      durationOf('30s', '--timeout'),
    ),
    ...APP,
  },
  examples: [
    'pix.settled',
    'withdrawal.failed --amount 25.00 --reason AC03',
    'pix.settled --override data.object.amount=1.00 --wait',
    'pix.settled --override data.object.amount:=1',
  ],
  exits: {
    1: 'refused; with --wait: a delivery failed, or nothing receives the event',
    3: '',
    4: 'with --wait: not every delivery has ended in time',
  },
  related: ['listen', 'charges', 'withdrawals', 'deliveries show', 'clock advance'],
});

export default {
  commands: [
    trigger.runs(async () => (await import('./trigger.js')).triggerEvent, {
      when: ({ args }) => args.event === undefined,
      load: async () => (await import('./trigger.js')).triggerQuestions,
    }),
  ],
};

/**
 * A repeatable option that takes `path=value` and `path:=json`: the body of `override`, as the control API
 * reads it.
 */
export function overrides(
  placeholder: string,
  description: string,
): OptionSpec<Readonly<Record<string, unknown>> | undefined> {
  return {
    placeholder,
    description,
    repeats: true,
    read: (given, flag) =>
      Array.isArray(given) ? valuesOf(flag, readOverrides(given.map(String))) : undefined,
  };
}
