import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { isDisabled, STATUS_TONES } from '../../contract/transitions.js';
import type { EndpointView } from '../../http/control/schema.js';
import {
  formatEndpointLabel,
  parseListenerName,
  parseListenerTarget,
  TEST_RECEIVER_NAME,
} from '../../text/listener-name.js';
import { completeRows } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import * as option from '../program/options.js';
import { APP_NAME_OPTION, EXAMPLE_IDS, APP_OPTION } from '../program/shared-options.js';
import * as shown from '../terminal/text.js';

function declareEndpointCommand(verb: string, summary: string, ...aliases: readonly string[]) {
  return declareCommand({
    name: `endpoints ${verb}`,
    aliases: Object.fromEntries(aliases.map((alias) => [alias, {}])),
    summary,
    args: { id: option.requireArgument(completeRows('endpoints')) },
    examples: [EXAMPLE_IDS.endpoint],
  });
}

function declareEndpointSwitch(verb: 'disable' | 'enable', summary: string) {
  return declareEndpointCommand(verb, summary).shows(
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
  about: 'manage webhook endpoints and listeners',
  related: ['listen', 'deliveries'],
  commands: [
    declareCommand({
      name: 'endpoints list',
      summary: 'list endpoints and listeners',
      options: APP_OPTION,
    }).shows(
      (client, { options }) => client.get('endpoints', { app: options.app }),
      shown.formatList('No endpoints.', createEndpointColumns),
    ),
    declareCommand({
      name: 'endpoints create',
      summary: 'register a webhook URL and print its secret once',
      description:
        'No signed request is required. The URL must be public and use https, unless `start --route` or ' +
        '--allow-local-endpoints permits other URLs.',
      args: { url: option.requireArgument() },
      options: {
        events: option.withDefault(
          option.defineChoices('types', 'comma-separated event types (default: all)', EVENT_TYPES, 'event'),
          EVENT_TYPES,
        ),
        description: option.defineText('text', 'endpoint description'),
        ...APP_NAME_OPTION,
      },
      examples: ['https://shop.example/webhooks', 'https://shop.example/hooks --events pix.settled'],
    }).shows(
      (client, { args, options: { events, description, app } }) =>
        client.post('endpoints', { app, body: { url: args.url, events, description } }),
      secretText,
      () => 'Save this secret now; it is not shown again.',
    ),
    declareEndpointCommand(
      'rotate',
      'rotate the secret and print the new one once; deliveries are signed with both secrets for 24 hours',
      'endpoints rotate-secret',
    ).shows(
      (client, { args }) => client.post('endpoints/:id/rotate-secret', { id: args.id }),
      secretText,
      () => 'Save this secret now. The previous secret also signs deliveries for 24 hours.',
    ),
    declareEndpointCommand('delete', 'delete an endpoint by its full id; pending deliveries fail').shows(
      (client, { args }) => client.delete('endpoints/:id', { id: args.id }),
      (_, __, ___, { args }) => `endpoint ${shown.toOneLine(args.id, 0)} is deleted.`,
    ),
    declareEndpointSwitch('disable', 'disable an endpoint; pending deliveries fail'),
    declareEndpointSwitch('enable', 'enable an endpoint again'),
  ],
};

/** Returns the command to reconnect a listener. */
export function formatListenCommand(program: string, url: string | null, description: string | null): string {
  const name = parseListenerName(url ?? '');
  if (name === TEST_RECEIVER_NAME) return 'press v in the `start` terminal to turn the test receiver back on';
  const { target } = parseListenerTarget(description) ?? {};
  const forward = target === undefined ? '' : ` --forward-to ${target}`;
  return `start \`${program} listen --name ${name}${forward}\` again`;
}

/** Returns `connected` or `away` for a listener, otherwise the endpoint's status. */
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

/** Limits the hints to a readable number. */
const MAX_HINTS = 3;

/**
 * Suggests how to get this event type delivered. Lists disabled or disconnected endpoints, or if there are
 * none, endpoints subscribed to other events, newest first.
 */
export function findUnreachedHints(
  program: string,
  type: EventType,
  endpoints: readonly EndpointView[],
): readonly string[] {
  const newest = endpoints.toReversed();
  const stopped = newest.filter(
    (endpoint) => endpoint.events.includes(type) && STATUS_TONES[endpointState(endpoint)] !== 'good',
  );
  const others = newest.filter(({ events }) => !events.includes(type));
  return (stopped.length > 0 ? stopped : others)
    .slice(0, MAX_HINTS)
    .map((endpoint) => hint(program, type, endpoint));
}

function hint(program: string, type: EventType, endpoint: EndpointView): string {
  const { id, url, description, events, connected } = endpoint;
  const name =
    connected === null ? `endpoint ${shown.toOneLine(url, 0)}` : `listener ${parseListenerName(url)}`;
  if (!events.includes(type)) {
    const only = `The ${name} receives only ${events.join(', ')};`;
    return connected === null
      ? `${only} \`${program} endpoints create ${shown.toOneLine(url, 0)} --events ${type}\` ` +
          `adds an endpoint for ${type}.`
      : `${only} its --events, or the setting \`events\`, must include ${type}.`;
  }
  return isDisabled(endpointState(endpoint))
    ? `The ${name} is disabled; \`${program} endpoints enable ${id}\` enables it.`
    : `The ${name} is not connected; ${formatListenCommand(program, url, description)}.`;
}
