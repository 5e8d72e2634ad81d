import { assumedScheme } from '../../contract/request-scheme.js';
import type { CurlScheme } from '../../text/shell/again.js';
import type { CallDetail, DeliveryView, EventView, TraceView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';
import type { Loaded } from '../model/resources.js';

/** A call, fetched again when something happens to what it made. */
export function readCall(model: Console, id: string): Loaded<CallDetail> {
  return model.resources.read(
    `call ${id}`,
    (client) => client.get('calls/:id', { id }),
    ({ code, resource_id: resource }) => code !== undefined || resource !== undefined,
  );
}

/** A delivery with its attempts, and when those to come are due. */
export function readDelivery(model: Console, id: string): Loaded<DeliveryView> {
  return model.resources.read(
    `delivery ${id}`,
    (client) => client.get('deliveries/:id', { id }),
    (entry) =>
      entry.delivery_id === id || entry.id === id || entry.kind === 'clock' || entry.kind === 'listener',
  );
}

/** An event with its deliveries. */
export function readEvent(model: Console, id: string): Loaded<EventView> {
  return model.resources.read(
    `event ${id}`,
    (client) => client.get('events/:id', { id }),
    (entry) => entry.event_id === id || entry.id === id,
  );
}

/** The body of an event as it is signed and sent, byte for byte. */
export function readBody(model: Console, id: string): Loaded<string> {
  return model.resources.read(
    `body ${id}`,
    (client) => client.getText('events/:id/body', { id }),
    () => false,
  );
}

/** The story of a row or a call. */
export function readTrace(model: Console, id: string): Loaded<TraceView> {
  return model.resources.read(
    `trace ${id}`,
    (client) => client.get('trace/:id', { id }),
    ({ kind }) => kind !== 'listener',
  );
}

/** How requests are signed in this sandbox. */
export function readScheme(model: Console): Loaded<CurlScheme> {
  return model.resources.read(
    'scheme',
    async (client) => {
      const { data } = await client.get('assumptions');
      return assumedScheme((id) => data.find((one) => one.id === id)?.value);
    },
    ({ kind }) => kind === 'state',
  );
}
