import type { AgendaView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';
import type { Loaded } from '../model/resources.js';

export const DUE_SHOWN = 100;

/** What is due, as far as it is shown. */
export function readAgenda(model: Console): Loaded<AgendaView> {
  return model.resources.read(
    'agenda',
    (client) => client.get('agenda', { limit: DUE_SHOWN }),
    ({ kind }) => kind !== 'call',
  );
}
