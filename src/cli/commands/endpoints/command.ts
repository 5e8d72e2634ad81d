import { EVENT_TYPES } from '../../../contract/events.js';
import { rows } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { choices, otherwise, required, text } from '../../program/options.js';
import { APP, EXAMPLE_IDS, OF_APP } from '../../program/shared-options.js';

export const list = declare({ name: 'endpoints list', summary: 'endpoints and listeners', options: OF_APP });

export const create = declare({
  name: 'endpoints create',
  summary: 'register a webhook URL; prints its secret once',
  description:
    'Needs no signed request. The URL has to be https and public, unless `start --route` or --allow-local-endpoints says otherwise.',
  args: { url: required() },
  options: {
    events: otherwise(
      choices('types', 'separated by commas (default: all)', EVENT_TYPES, 'event'),
      EVENT_TYPES,
    ),
    description: text('text', 'what it is for'),
    ...APP,
  },
  examples: ['https://shop.example/webhooks', 'https://shop.example/hooks --events pix.settled'],
});

function change(verb: string, summary: string) {
  const args = { id: required(rows('endpoints')) };
  return declare({ name: `endpoints ${verb}`, summary, args, examples: [EXAMPLE_IDS.endpoint] });
}

const rotate = change('rotate', 'give it a new secret, printed once; both sign for 24 hours');
const remove = change('delete', 'delete an endpoint, by its whole id; its pending deliveries fail');
const disable = change('disable', 'stop delivering to it; its pending deliveries fail');
const enable = change('enable', 'start delivering to it again');

export default group(
  { about: 'registered webhook URLs and listeners', related: ['listen', 'deliveries'] },
  { list, create, rotate, remove, disable, enable },
  () => import('./endpoints.js'),
);
