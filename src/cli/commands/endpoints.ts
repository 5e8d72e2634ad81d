import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { isDisabled, TONES } from '../../contract/transitions.js';
import type { EndpointView } from '../../http/control/schema.js';
import {
  formatEndpointLabel,
  parseListenerName,
  parseListenerTarget,
  TEST_RECEIVER,
} from '../../text/listener-name.js';
import { completeRows } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import * as option from '../program/options.js';
import { APP_NAME_OPTION, EXAMPLE_IDS, APP_OPTION } from '../program/shared-options.js';
import * as shown from '../terminal/text.js';

function change(verb: string, summary: string) {
  const args = { id: option.requireArgument(completeRows('endpoints')) };
  return declareCommand({ name: `endpoints ${verb}`, summary, args, examples: [EXAMPLE_IDS.endpoint] });
}

function switching(verb: 'disable' | 'enable', summary: string) {
  return change(verb, summary).shows(
    (client, { args }) => client.post(`endpoints/:id/${verb}`, { id: args.id }),
    (io, endpoint) => {
      const state = shown.colorStatus(io, endpointState(endpoint));
      return shown.formatHanging(
        `endpoint ${endpoint.id} (${shown.toOneLine(endpoint.url, 0)}) is ${state}.`,
        io.columns,
      );
    },
  );
}

export const endpoints = {
  about: 'registered webhook URLs and listeners',
  related: ['listen', 'deliveries'],
  commands: [
    declareCommand({ name: 'endpoints list', summary: 'endpoints and listeners', options: APP_OPTION }).shows(
      (client, { options }) => client.get('endpoints', { app: options.app }),
      shown.formatList('No endpoints.', createEndpointColumns),
    ),
    declareCommand({
      name: 'endpoints create',
      summary: 'register a webhook URL; prints its secret once',
      description:
        'Needs no signed request. The URL has to be https and public, unless `start --route` or ' +
        '--allow-local-endpoints says otherwise.',
      args: { url: option.requireArgument() },
      options: {
        events: option.withDefault(
          option.defineChoices('types', 'separated by commas (default: all)', EVENT_TYPES, 'event'),
          EVENT_TYPES,
        ),
        description: option.defineText('text', 'what it is for'),
        ...APP_NAME_OPTION,
      },
      examples: ['https://shop.example/webhooks', 'https://shop.example/hooks --events pix.settled'],
    }).shows(
      (client, { args, options: { events, description, app } }) =>
        client.post('endpoints', { app, body: { url: args.url, events, description } }),
      secretText,
      () => 'Keep the secret: it is not shown again.',
    ),
    change('rotate', 'give it a new secret, printed once; both sign for 24 hours').shows(
      (client, { args }) => client.post('endpoints/:id/rotate-secret', { id: args.id }),
      secretText,
      () => 'Store the secret. The previous one also signs for 24 hours.',
    ),
    change('delete', 'delete an endpoint, by its whole id; its pending deliveries fail').shows(
      (client, { args }) => client.delete('endpoints/:id', { id: args.id }),
      (_, __, ___, { args }) => `endpoint ${shown.toOneLine(args.id, 0)} is deleted.`,
    ),
    switching('disable', 'stop delivering to it; its pending deliveries fail'),
    switching('enable', 'start delivering to it again'),
  ],
};

/** Returns the command to reconnect a listener, from its URL and description as an endpoint. */
export function formatListenCommand(program: string, url: string | null, description: string | null): string {
  const name = parseListenerName(url ?? '');
  if (name === TEST_RECEIVER) return 'turn on the test receiver again: v in the terminal of `start`';
  const { target } = parseListenerTarget(description) ?? {};
  const forward = target === undefined ? '' : ` --forward-to ${target}`;
  return `start \`${program} listen --name ${name}${forward}\` again`;
}

/** Describes its state: listeners are connected or away, endpoints ACTIVE or DISABLED. */
function endpointState({ status, connected }: EndpointView): string {
  if (connected === null || isDisabled(status)) return status;
  return connected ? 'connected' : 'away';
}

export function createEndpointColumns(io: Io): readonly shown.TextColumn<EndpointView>[] {
  return [
    shown.createColumn('id'),
    {
      title: 'STATE',
      value: endpointState,
      paint: (text, endpoint) => shown.colorStatus(io, endpointState(endpoint), text),
    },
    { title: 'URL', value: formatEndpointLabel, minWidth: 48 },
    { title: 'RETRIES', value: ({ retries }) => (retries === 'real' ? '' : retries), optional: true },
    {
      title: 'EVENTS',
      value: ({ events }) => (events.length === EVENT_TYPES.length ? 'all' : events.join(' ')),
      wraps: true,
      optional: true,
    },
    shown.createColumn('deliveries', { optional: true }),
    {
      title: 'DESCRIPTION',
      value: ({ transport, description }) => (transport === 'listener' ? '' : (description ?? '')),
      wraps: true,
      optional: true,
    },
  ];
}

function secretText(io: Io, endpoint: EndpointView & { readonly secret: string }): string {
  const state = endpointState(endpoint);
  return shown.formatFacts(io, [
    ['endpoint', endpoint.id],
    ['url', endpoint.url],
    ['state', state, (text) => shown.colorStatus(io, state, text)],
    ['events', endpoint.events.join(' ')],
    ['description', endpoint.description],
    ['secret', endpoint.secret],
  ]);
}

/** More endpoints would not be read. */
const MOST = 3;

/**
 * Explains why no endpoint receives an event of this type, with the fix: disabled or away, otherwise
 * subscribed to other events. Newest first; empty without endpoints.
 */
export function findUnreachedHints(
  program: string,
  type: EventType,
  endpoints: readonly EndpointView[],
): readonly string[] {
  const newest = endpoints.toReversed();
  const stopped = newest.filter(
    (endpoint) => endpoint.events.includes(type) && TONES[endpointState(endpoint)] !== 'good',
  );
  const others = newest.filter(({ events }) => !events.includes(type));
  return (stopped.length > 0 ? stopped : others)
    .slice(0, MOST)
    .map((endpoint) => hint(program, type, endpoint));
}

function hint(program: string, type: EventType, endpoint: EndpointView): string {
  const { id, url, description, events, connected } = endpoint;
  const name =
    connected === null ? `endpoint ${shown.toOneLine(url, 0)}` : `listener ${parseListenerName(url)}`;
  if (!events.includes(type)) {
    const only = `The ${name} receives only ${events.join(', ')};`;
    return connected === null
      ? `${only} \`${program} endpoints create ${shown.toOneLine(url, 0)} --events ${type}\` registers one for ${type}.`
      : `${only} its --events, or the setting \`events\`, has to include ${type}.`;
  }
  return isDisabled(endpointState(endpoint))
    ? `The ${name} is disabled; \`${program} endpoints enable ${id}\` enables it.`
    : `The ${name} is away; ${formatListenCommand(program, url, description)}.`;
}
