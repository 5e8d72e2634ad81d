import type { EndpointView } from '../../../http/control/schema.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import { pathFor, present } from '../../sandbox/present.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging, oneLine } from '../../terminal/text.js';
import type * as declared from './command.js';
import { endpointFacts, endpointState, endpointTable } from './text.js';

export const list = present(
  (client) => client.get<{ data: EndpointView[] }>('endpoints'),
  (io, { data }) => (data.length === 0 ? 'No endpoints.' : endpointTable(io, data)),
);

export const create: BodyOf<typeof declared.create> = present(
  (client, { args, options }) => {
    const { events, description } = options;
    const fields = { url: args.url, events, description };
    return client.post<EndpointView & { secret: string }>(pathFor(['endpoints'], options), fields);
  },
  (io, endpoint) => facts(io, [...endpointFacts(io, endpoint), ['secret', endpoint.secret]]),
  () => 'Keep the secret: it is not shown again.',
);

type OfOne = Invocation<{ readonly id: string }>;

export const remove = (invocation: OfOne) => {
  const { id } = invocation.args;
  const deleted = present(
    (client) => client.delete<object>(pathFor(['endpoints', id])),
    () => `endpoint ${oneLine(id, 0)} is deleted.`,
  );
  return deleted(invocation);
};

export const disable = change('disable');
export const enable = change('enable');

function change(verb: string) {
  return present(
    (client, { args }: OfOne) => client.post<EndpointView>(pathFor(['endpoints', args.id, verb])),
    (io, endpoint) => {
      const state = paintStatus(io, endpointState(endpoint));
      return hanging(`endpoint ${endpoint.id} (${oneLine(endpoint.url, 0)}) is ${state}.`, io.columns);
    },
  );
}
