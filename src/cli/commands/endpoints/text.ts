import { EVENT_TYPES } from '../../../contract/events.js';
import type { EndpointView } from '../../../http/control/schema.js';
import { listenerNameOf, listenerTarget, TEST_RECEIVER } from '../../../text/listener-name.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { table } from '../../terminal/text.js';
import type { Fact } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';

/** How a listener that is away comes back, from its URL and description as an endpoint. */
export function againText(program: string, url: string | null, description: string | null): string {
  const name = listenerNameOf(url ?? '');
  if (name === TEST_RECEIVER) return 'turn on the test receiver again: v in the terminal of `start`';
  const { target } = listenerTarget(description) ?? {};
  const forward = target === undefined ? '' : ` --forward-to ${target}`;
  return `start \`${program} listen --name ${name}${forward}\` again`;
}

/** Whether it receives deliveries: a listener is connected or away, an endpoint ACTIVE or DISABLED. */
export function endpointState({ status, connected }: EndpointView): string {
  if (connected === null || status === 'DISABLED') return status;
  return connected ? 'connected' : 'away';
}

function eventsText({ events }: EndpointView): string {
  return events.length === EVENT_TYPES.length ? 'all' : events.join(' ');
}

export function endpointTable(io: Io, endpoints: readonly EndpointView[]): string {
  const columns: Column<EndpointView>[] = [
    { title: 'ID', value: ({ id }) => id },
    {
      title: 'STATE',
      value: endpointState,
      paint: (text, endpoint) => paintStatus(io, endpointState(endpoint), text),
    },
    { title: 'URL', value: ({ url }) => url, leastWidth: 24 },
    { title: 'RETRIES', value: ({ retries }) => (retries === 'real' ? '' : retries), optional: true },
    { title: 'EVENTS', value: eventsText, leastWidth: 11, optional: true },
    { title: 'DELIVERIES', value: ({ deliveries }) => String(deliveries), optional: true },
    { title: 'DESCRIPTION', value: ({ description }) => description ?? '', leastWidth: 12, optional: true },
  ];
  return table(io, endpoints, columns);
}

export function endpointFacts(io: Io, endpoint: EndpointView): Fact[] {
  const state = endpointState(endpoint);
  return [
    ['endpoint', endpoint.id],
    ['url', endpoint.url],
    ['state', state, (text) => paintStatus(io, state, text)],
    ['events', endpoint.events.join(' ')],
    ['description', endpoint.description ?? ''],
  ];
}
