import type { EntryView, EndpointView } from '../../../http/control/schema.js';
import { listenerTarget } from '../../../text/listener-name.js';
import type { Console } from '../../model/console.js';

/** The status of the sandbox with its endpoints; other pages read only its version and its endpoints. */
export function readStatus(model: Console) {
  return model.resources.read('status', (client) => client.get('status'), changesEndpoints);
}

/** Whether an endpoint, its connection, or the pausing of deliveries may have changed. */
function changesEndpoints({ kind, resource, command }: EntryView): boolean {
  return (
    kind === 'listener' ||
    resource === 'endpoint' ||
    (kind === 'command' && command !== undefined && /^(?:endpoint|deliveries)\./.test(command))
  );
}

/** Where it delivers to: the URL, or what a listener forwards to, or the description of one that forwards to nothing. */
export function targetOf({ transport, description, url }: EndpointView): string {
  if (transport !== 'listener') return url;
  return listenerTarget(description)?.target ?? description ?? url;
}
