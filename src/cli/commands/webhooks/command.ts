import { EVENT_TYPES } from '../../../contract/enums.js';
import { DELIVERY_STATUSES } from '../../../contract/transitions.js';
import { rows, words } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import {
  choice,
  choices,
  count,
  flag,
  numbered,
  optional,
  otherwise,
  required,
  text,
} from '../../program/options.js';
import { APP, EVENT_PATTERNS, eventType, EXAMPLE_IDS, OF_APP, PAGE } from '../../program/shared-options.js';

const OF_EVENT = { args: { id: required(rows('events')) }, examples: [EXAMPLE_IDS.event] };
const OF_DELIVERY = { id: required(rows('deliveries')) };

export const EVENTS = {
  list: declare({
    name: 'events list',
    summary: 'events, newest first',
    options: { type: eventType('only of this type'), ...OF_APP, ...PAGE },
    examples: ['', '--type pix.settled'],
  }),
  show: declare({ name: 'events show', summary: 'one event: its payload and its deliveries', ...OF_EVENT }),
  resend: declare({
    name: 'events resend',
    summary: 'deliver an event again, under the same webhook-id',
    description: 'A further delivery to each endpoint that takes the event, or to one of them.',
    ...OF_EVENT,
    options: { endpoint: text('id', 'to this endpoint only', rows('endpoints')) },
  }),
};

export const DELIVERIES = {
  list: declare({
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
  }),
  show: declare({
    name: 'deliveries show',
    summary: 'one delivery with every attempt',
    description:
      'With --curl a command for sh, bash and zsh that sends an attempt again at any time, ' +
      'signed with the secret from an environment variable that it names.',
    args: OF_DELIVERY,
    options: {
      attempt: count('number', 'only this attempt'),
      curl: flag('print the command that sends the attempt (default: the last)'),
    },
    examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} --curl`],
  }),
  diff: declare({
    name: 'deliveries diff',
    summary: 'what differs in two attempts of a delivery, by default the last two',
    args: { ...OF_DELIVERY, from: numbered(), to: numbered() },
    examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} 1 3`],
  }),
  retry: declare({
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
  }),
  pause: declare({
    name: 'deliveries pause',
    summary: 'hold back every attempt from now on',
    description:
      'Attempts under way finish. What falls due waits for `deliveries resume`; until then it ' +
      'counts neither as in flight nor as due, so the clock passes it and the sandbox is idle.',
  }),
  resume: declare({ name: 'deliveries resume', summary: 'release the held deliveries, in order' }),
};

function change(verb: string, summary: string) {
  const args = { id: required(rows('endpoints')) };
  return declare({ name: `endpoints ${verb}`, summary, args, examples: [EXAMPLE_IDS.endpoint] });
}

export const ENDPOINTS = {
  list: declare({ name: 'endpoints list', summary: 'endpoints and listeners', options: OF_APP }),
  create: declare({
    name: 'endpoints create',
    summary: 'register a webhook URL; prints its secret once',
    description:
      'Needs no signed request. The URL has to be https and public, unless `start --route` or ' +
      '--allow-local-endpoints says otherwise.',
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
  }),
  rotate: change('rotate', 'give it a new secret, printed once; both sign for 24 hours'),
  remove: change('delete', 'delete an endpoint, by its whole id; its pending deliveries fail'),
  disable: change('disable', 'stop delivering to it; its pending deliveries fail'),
  enable: change('enable', 'start delivering to it again'),
};

const load = () => import('./webhooks.js');

export const events = group(
  { about: 'what the service announced', related: ['deliveries', 'trigger'] },
  EVENTS,
  async () => (await load()).events,
);

export const deliveries = group(
  {
    about: 'deliveries of events to endpoints, with every attempt',
    related: ['events', 'endpoints', 'clock advance', 'logs'],
  },
  DELIVERIES,
  async () => (await load()).deliveries,
);

export const endpoints = group(
  { about: 'registered webhook URLs and listeners', related: ['listen', 'deliveries'] },
  ENDPOINTS,
  async () => (await load()).endpoints,
);
