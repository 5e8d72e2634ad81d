import type { EndpointView } from '../../../http/control/schema.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { present } from '../../sandbox/present.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging, oneLine } from '../../terminal/text.js';
import type * as declared from './command.js';
import { endpointFacts, endpointState, endpointTable } from './text.js';

export const list: BodyOf<typeof declared.list> = present(
  (client, { options }) => client.get('endpoints', { app: options.app }),
  (io, { data }) => (data.length === 0 ? 'No endpoints.' : endpointTable(io, data)),
);

export const create: BodyOf<typeof declared.create> = present(
  (client, { args, options }) => {
    const { events, description } = options;
    return client.post('endpoints', { app: options.app, body: { url: args.url, events, description } });
  },
  secretText,
  () => 'Keep the secret: it is not shown again.',
);

type OfOne = Invocation<{ readonly id: string }>;

export const rotate = present(
  (client, { args }: OfOne) => client.post('endpoints/:id/rotate-secret', { id: args.id }),
  secretText,
  () => 'Keep the secret. The one before it signs beside it for 24 hours.',
);

export const remove = present(
  (client, { args }: OfOne) => client.delete('endpoints/:id', { id: args.id }),
  (_, __, { args }) => `endpoint ${oneLine(args.id, 0)} is deleted.`,
);

export const disable = change('disable');
export const enable = change('enable');

function change(verb: 'disable' | 'enable') {
  return present(
    (client, { args }: OfOne) => client.post(`endpoints/:id/${verb}`, { id: args.id }),
    (io, endpoint) => {
      const state = paintStatus(io, endpointState(endpoint));
      return hanging(`endpoint ${endpoint.id} (${oneLine(endpoint.url, 0)}) is ${state}.`, io.columns);
    },
  );
}

function secretText(io: Io, endpoint: EndpointView & { readonly secret: string }): string {
  return facts(io, [...endpointFacts(io, endpoint), ['secret', endpoint.secret]]);
}
