import type { EventType } from '../../../contract/events.js';
import type { EndpointView } from '../../../http/control/schema.js';
import { listenerNameOf } from '../../../text/listener-name.js';
import { oneLine } from '../../terminal/text.js';
import { againText, endpointState } from './text.js';

/** More endpoints would not be read. */
const MOST = 3;

/**
 * Why none of these endpoints receives an event of this type, and what to type: that they are disabled or away, otherwise that
 * they want other events. Newest first; empty if there are none.
 */
export function unreachedHints(
  program: string,
  type: EventType,
  endpoints: readonly EndpointView[],
): readonly string[] {
  const newest = endpoints.toReversed();
  const stopped = newest.filter(
    (endpoint) => endpoint.events.includes(type) && ['DISABLED', 'away'].includes(endpointState(endpoint)),
  );
  const others = newest.filter(({ events }) => !events.includes(type));
  return (stopped.length > 0 ? stopped : others)
    .slice(0, MOST)
    .map((endpoint) => hint(program, type, endpoint));
}

function hint(program: string, type: EventType, endpoint: EndpointView): string {
  const { id, url, description, events, connected } = endpoint;
  const name = connected === null ? `endpoint ${oneLine(url, 0)}` : `listener ${listenerNameOf(url)}`;
  if (!events.includes(type)) {
    const only = `The ${name} receives only ${events.join(', ')};`;
    return connected === null
      ? `${only} \`${program} endpoints create ${oneLine(url, 0)} --events ${type}\` registers one for ${type}.`
      : `${only} its --events, or the setting \`events\`, has to include ${type}.`;
  }
  return endpointState(endpoint) === 'DISABLED'
    ? `The ${name} is disabled; \`${program} endpoints enable ${id}\` enables it.`
    : `The ${name} is away; ${againText(program, url, description)}.`;
}
