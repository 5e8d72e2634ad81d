import { rows } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { required, text } from '../../program/options.js';
import { eventType, EXAMPLE_IDS, OF_APP, PAGE } from '../../program/shared-options.js';

const args = { id: required(rows('events')) };
const examples = [EXAMPLE_IDS.event];

export const list = declare({
  name: 'events list',
  summary: 'events, newest first',
  options: { type: eventType('only of this type'), ...OF_APP, ...PAGE },
  examples: ['', '--type pix.settled'],
});

export const show = declare({
  name: 'events show',
  summary: 'one event: its payload and its deliveries',
  args,
  examples,
});

export const resend = declare({
  name: 'events resend',
  summary: 'deliver an event again, under the same webhook-id',
  description: 'A further delivery to each endpoint that takes the event, or to one of them.',
  args,
  options: { endpoint: text('id', 'to this endpoint only', rows('endpoints')) },
  examples,
});

export default group(
  { about: 'what the service announced', related: ['deliveries', 'trigger'] },
  { list, show, resend },
  () => import('./events.js'),
);
