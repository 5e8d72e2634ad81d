import { DELIVERY_STATUSES } from '../../../contract/transitions.js';
import { rows, words } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { choice, count, flag, numbered, optional, required, text } from '../../program/options.js';
import { EVENT_PATTERNS, eventType, EXAMPLE_IDS, OF_APP, PAGE } from '../../program/shared-options.js';

export const list = declare({
  name: 'deliveries list',
  summary: 'deliveries, newest first',
  options: {
    status: choice('status', 'PENDING, DELIVERED or FAILED', DELIVERY_STATUSES, 'delivery status'),
    type: eventType('only of this event type'),
    endpoint: text('id', 'only to this endpoint', rows('endpoints')),
    event: text('id', 'only of this event', rows('events')),
    ...OF_APP,
    ...PAGE,
  },
  examples: ['', '--status FAILED'],
});

export const show = declare({
  name: 'deliveries show',
  summary: 'one delivery with every attempt',
  description:
    'With --curl a command for sh, bash and zsh that sends an attempt again at any time, signed with the secret from an environment variable that it names.',
  args: { id: required(rows('deliveries')) },
  options: {
    attempt: count('number', 'only this attempt'),
    curl: flag('print the command that sends the attempt (default: the last)'),
  },
  examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} --curl`],
});

export const diff = declare({
  name: 'deliveries diff',
  summary: 'what differs in two attempts of a delivery, by default the last two',
  args: { id: required(rows('deliveries')), from: numbered(), to: numbered() },
  examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} 1 3`],
});

export const retry = declare({
  name: 'deliveries retry',
  summary: 'make one more attempt for a dead letter, or for all of them',
  description: 'A dead letter is FAILED; after the attempt it is DELIVERED or FAILED again.',
  args: { id: optional(rows('deadLetters')) },
  options: {
    failed: flag('every delivery that is FAILED'),
    event: text('type', '--failed: only of this event type, such as pix.*', words(EVENT_PATTERNS)),
    endpoint: text('id', '--failed: only to this endpoint, or listener by its name', rows('endpoints')),
  },
  examples: [EXAMPLE_IDS.delivery, '--failed', '--failed --event pix.*'],
});

const pause = declare({
  name: 'deliveries pause',
  summary: 'hold back every attempt from now on',
  description:
    'Attempts under way finish. What falls due waits for `deliveries resume`; until then it counts neither as in flight nor as due, so the clock passes it and the sandbox is idle.',
});

const resume = declare({ name: 'deliveries resume', summary: 'release the held deliveries, in order' });

export default group(
  {
    about: 'deliveries of events to endpoints, with every attempt',
    related: ['events', 'endpoints', 'clock advance', 'logs'],
  },
  { list, show, diff, retry, pause, resume },
  () => import('./deliveries.js'),
);
