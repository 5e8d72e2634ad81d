import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { table } from '../../terminal/text.js';
import type * as declared from './command.js';
import { callColumns, callLines, callText } from './text.js';

type Options = InvocationOf<typeof declared.list>['options'];

function filters({ url: _url, since, ...filters }: Options) {
  return { ...filters, since: since?.text };
}

export const list: BodyOf<typeof declared.list> = present(
  (client, { options }) => client.get('calls', filters(options)),
  (io, { data }) => (data.length === 0 ? 'No calls.' : table(io, data, callColumns(io))),
);

export const show: BodyOf<typeof declared.show> = present(
  (client, { args }) => client.get('calls/:id', { id: args.id }),
  callText,
);

/** Shows calls as they come, until a signal. */
export const tail: BodyOf<typeof declared.list> = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    await client.get('calls', filters(options));
    const messages = client.stream('GET stream/calls', { ...filters(options), signal: io.stopping });
    for await (const message of messages) {
      io.emit(message);
      if (message.type === 'call') for (const line of callLines(io, message.call)) io.say(line);
    }
  });
