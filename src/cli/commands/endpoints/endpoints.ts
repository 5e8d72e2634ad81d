import { EVENT_TYPES } from '../../../core/world.js';
import type { EndpointView } from '../../../http/control/schema.js';
import { pathFor } from '../../program/arguments.js';
import { someOfOrUsage } from '../../program/closest.js';
import type { CommandBody } from '../../program/io.js';
import { endpointFacts, endpointState, endpointTable } from './text.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging, oneLine } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

export const list: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const answer = await client.get<{ data: EndpointView[] }>('endpoints');
    io.emit(answer);
    io.say(answer.data.length === 0 ? 'No endpoints.' : endpointTable(io, answer.data));
  });

export const create: CommandBody = async (invocation) => {
  const { io, args, options } = invocation;
  const chosen = options.text('events');
  const events = chosen === undefined ? EVENT_TYPES : someOfOrUsage('event', chosen, EVENT_TYPES);
  const fields = { url: args[0], events, description: options.text('description') };
  await withSandbox(invocation, async (client) => {
    const path = pathFor(['endpoints'], options);
    const endpoint = await client.post<EndpointView & { secret: string }>(path, fields);
    io.emit(endpoint);
    io.say(facts(io, [...endpointFacts(io, endpoint), ['secret', endpoint.secret]]));
    if (!io.json) io.note('Keep the secret: it is not shown again.');
  });
};

export function change(verb: 'delete' | 'disable' | 'enable'): CommandBody {
  return (invocation) =>
    withSandbox(invocation, async (client) => {
      const { io, args } = invocation;
      const id = args[0] ?? '';
      if (verb === 'delete') {
        io.emit(await client.delete(pathFor(['endpoints', id])));
        io.say(`endpoint ${oneLine(id, 0)} is deleted.`);
        return;
      }
      const endpoint = await client.post<EndpointView>(pathFor(['endpoints', id, verb]));
      io.emit(endpoint);
      const state = paintStatus(io, endpointState(endpoint));
      io.say(hanging(`endpoint ${endpoint.id} (${oneLine(endpoint.url, 0)}) is ${state}.`, io.columns));
    });
}
