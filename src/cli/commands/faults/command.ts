import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../../../contract/fault-kinds.js';
import { described, rows, words } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { duration, flag, number, optional, text } from '../../program/options.js';
import { EVENT_PATTERNS, EXAMPLE_IDS, method } from '../../program/shared-options.js';

const add = declare({
  name: 'faults add',
  summary: 'make something go wrong with calls or deliveries',
  description:
    `On calls: ${Object.keys(CALL_FAULTS).join(', ')}. On deliveries: ` +
    `${Object.keys(DELIVERY_FAULTS).join(', ')}.`,
  args: { fault: optional(described({ ...CALL_FAULTS, ...DELIVERY_FAULTS })) },
  options: {
    on: text('what', 'call or delivery, where the fault is known to both', words(['call', 'delivery'])),
    method: method('calls: of this method'),
    path: text('path', 'calls: to this path, * for anything; some route must have it'),
    door: text('door', 'calls: at this door (api, identity)', words(FAULT_DOORS)),
    event: text('type', 'deliveries: of this event type, * for anything', words(EVENT_PATTERNS)),
    endpoint: text('id', 'deliveries: to this endpoint, or to a URL such as */webhooks', rows('endpoints')),
    attempt: number('n', 'deliveries: on this attempt'),
    code: text('code', 'about the charge or withdrawal of this code, * for anything'),
    resource: number('n', 'about the nth charge, withdrawal or session, in order of creation'),
    nth: number('n', 'only on the nth of those that match'),
    status: number('status', 'the status to answer'),
    delay: duration('duration', 'how much to delay, in real time'),
    copies: number('n', 'how many extra copies to send'),
    parallel: flag('send the copies at once with the original'),
    when: text('when', 'restart: before the attempt, or answered (the default)', words(RESTART_MOMENTS)),
    probability: number('p', 'how likely, above 0 and up to 1 (default: 1)'),
    count: number('n', 'how many times at most (default: unlimited)'),
  },
  examples: [
    'lose-response --path /api/public/v1/pix --count 1',
    'duplicate --event pix.* --probability 0.2',
    'lose-response --path /api/public/v1/pix --nth 2',
  ],
});

const list = declare({ name: 'faults list', summary: 'the faults, and how often each fired' });

const remove = declare({
  name: 'faults remove',
  summary: 'remove one fault, by its whole id, or all',
  args: { id: optional(rows('faults')) },
  options: { all: flag('all of them') },
  examples: ['--all', EXAMPLE_IDS.fault],
});

export const FAULTS = { add, list, remove };

export default group(
  { about: 'deliberate failures of calls and deliveries', related: ['calls', 'deliveries show', 'listen'] },
  FAULTS,
  async () => (await import('./faults.js')).faults,
  {
    add: {
      when: ({ args }) => args.fault === undefined,
      load: async () => (await import('./faults.js')).addFaultQuestions,
    },
  },
);
