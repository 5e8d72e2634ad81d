import { DELIVERY_STATUSES } from '../../../contract/transitions.js';
import { rows, words } from '../../completion/sources.js';
import { REFUSED } from '../../program/errors.js';
import { declare } from '../../program/declaration.js';
import { choice, count, duration, durationOf, optional, otherwise, text } from '../../program/options.js';
import { eventType, WAITS } from '../../program/shared-options.js';

export const wait = declare({
  name: 'wait',
  summary: 'wait until the sandbox is ready or idle, or a delivery is there',
  description:
    'ready: until a sandbox answers. idle: until nothing is in flight and nothing is due ' +
    'now. delivery: until at least --count deliveries match the options.',
  args: { what: optional(words(WAITS)) },
  options: {
    timeout: otherwise(
      duration('duration', 'how long, in real time (default: 30s)'),
      durationOf('30s', '--timeout'),
    ),
    status: choice('status', 'delivery: in this state', DELIVERY_STATUSES, 'delivery status'),
    type: eventType('delivery: of this event type'),
    event: text('id', 'delivery: of this event', rows('events')),
    count: otherwise(count('n', 'delivery: at least this many (default: 1)'), 1),
  },
  examples: ['ready --timeout 10s', 'delivery --type pix.settled --status DELIVERED'],
  exits: { 1: REFUSED, 3: '', 4: 'the timeout expired' },
  related: ['status', 'trigger', 'exec'],
});

export default { commands: [wait.runs(async () => (await import('./wait.js')).waitFor)] };
