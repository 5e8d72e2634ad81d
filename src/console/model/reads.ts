import { assumedScheme } from '../../contract/request-scheme.js';
import type { EndpointView, EntryView } from '../../http/control/schema.js';
import { listenerTarget } from '../../text/listener-name.js';
import type { Console } from './console.js';

// Responses of the control API that the screen shows, each with the entries that change it.

const NEVER = () => false;

/** The most due items that the clock's list shows. */
export const DUE_SHOWN = 100;

export function readAgenda({ resources }: Console, limit = DUE_SHOWN) {
  return resources.read(
    `agenda ${limit}`,
    (client) => client.get('agenda', { limit }),
    ({ kind }) => kind !== 'call',
  );
}

export function readApps({ resources }: Console) {
  return resources.read(
    'apps',
    (client) => client.get('apps'),
    ({ command, kind }) => command === 'app.create' || kind === 'state',
  );
}

/** A recorded request; it changes with what it created. */
export function readCall({ resources }: Console, id: string) {
  return resources.read(
    `call ${id}`,
    (client) => client.get('calls/:id', { id }),
    ({ code, resource_id: resource }) => code !== undefined || resource !== undefined,
  );
}

/** A payment by its id or its code. */
export function readCharge({ resources }: Console, id: string) {
  return resources.read(
    `charge ${id}`,
    (client) => client.get('charges/:id', { id }),
    (entry) => entry.resource === 'charge' && isNamed(entry, id),
  );
}

export function readWithdrawal({ resources }: Console, id: string) {
  return resources.read(
    `withdrawal ${id}`,
    (client) => client.get('withdrawals/:id', { id }),
    (entry) => entry.resource === 'withdrawal' && isNamed(entry, id),
  );
}

function isNamed(entry: EntryView, id: string): boolean {
  return entry.code === id || entry.id?.startsWith(id) === true;
}

/** The newest report of `check`; the navigation names its page when there is one. */
export function readCheck({ resources }: Console) {
  return resources.read(
    'check',
    (client) => client.get('check'),
    ({ command }) => command === 'check',
  );
}

/** A delivery with its attempts and its schedule. */
export function readDelivery({ resources }: Console, id: string) {
  return resources.read(
    `delivery ${id}`,
    (client) => client.get('deliveries/:id', { id }),
    (entry) =>
      entry.delivery_id === id || entry.id === id || entry.kind === 'clock' || entry.kind === 'listener',
  );
}

export function readEvent({ resources }: Console, id: string) {
  return resources.read(
    `event ${id}`,
    (client) => client.get('events/:id', { id }),
    (entry) => entry.event_id === id || entry.id === id,
  );
}

/** The body of an event as it is signed and sent, byte for byte. */
export function readBody({ resources }: Console, id: string) {
  return resources.read(`body ${id}`, (client) => client.getText('events/:id/body', { id }), NEVER);
}

export function readEnv({ resources }: Console) {
  return resources.read('env', (client) => client.get('env'), NEVER);
}

export function readFaults({ resources }: Console) {
  return resources.read(
    'faults',
    (client) => client.get('faults'),
    ({ kind, faults }) => kind === 'fault' || faults !== undefined,
  );
}

/** The test receiver, and what it received. */
export function readReceiver({ resources }: Console) {
  return resources.read(
    'receiver',
    (client) => client.get('receiver'),
    ({ kind, resource }) =>
      ['attempt', 'delivery', 'listener', 'state'].includes(kind) || resource === 'endpoint',
  ).value;
}

/** How requests are signed in this sandbox. */
export function readScheme({ resources }: Console) {
  return resources.read(
    'scheme',
    async (client) => {
      const { data } = await client.get('assumptions');
      return assumedScheme((id) => data.find((one) => one.id === id)?.value);
    },
    ({ kind }) => kind === 'state',
  );
}

export function readSession({ resources }: Console, id: string) {
  return resources.read(`session ${id}`, (client) => client.get('kyc/sessions/:id', { id }), changesSessions);
}

export function readSessions({ resources }: Console, limit: number) {
  return resources.read('sessions', (client) => client.get('kyc/sessions', { limit }), changesSessions);
}

/** Some steps of a session's page are requests only. */
function changesSessions({ kind, resource, command }: EntryView): boolean {
  return resource === 'session' || kind === 'clock' || command?.startsWith('session.') === true;
}

/** The status of the sandbox with its endpoints; other pages read only its version and its endpoints. */
export function readStatus({ resources }: Console) {
  return resources.read(
    'status',
    (client) => client.get('status'),
    ({ kind, resource, command }) =>
      kind === 'listener' ||
      resource === 'endpoint' ||
      (kind === 'command' && command !== undefined && /^(?:endpoint|deliveries)\./.test(command)),
  );
}

/** What led to a row or a request, and what followed from it. */
export function readTrace({ resources }: Console, id: string) {
  return resources.read(
    `trace ${id}`,
    (client) => client.get('trace/:id', { id }),
    ({ kind }) => kind !== 'listener',
  );
}

/** Where an endpoint delivers to: its URL, what its listener forwards to, or that one's description. */
export function targetOf({ transport, description, url }: EndpointView): string {
  if (transport !== 'listener') return url;
  return listenerTarget(description)?.target ?? description ?? url;
}
