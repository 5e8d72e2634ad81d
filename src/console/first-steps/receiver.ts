import type { ReceiverView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';

/** The test receiver, and what it got. */
export function readReceiver(model: Console): ReceiverView | undefined {
  return model.resources.read(
    'receiver',
    (client) => client.get('receiver'),
    ({ kind, resource }) =>
      ['attempt', 'delivery', 'listener', 'state'].includes(kind) || resource === 'endpoint',
  ).value;
}
