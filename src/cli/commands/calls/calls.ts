import type { ControlClient } from '../../../client/control-client.js';
import type { CallDetail, CallView } from '../../../http/control/schema.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { pathFor, present } from '../../sandbox/present.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';
import { table } from '../../terminal/text.js';
import type * as declared from './command.js';
import { callColumns, callLines, callText } from './text.js';

type Options = InvocationOf<typeof declared.list>['options'];

function filters({ url: _url, since, ...filters }: Options) {
  return { ...filters, since: since?.text };
}

function matching(client: ControlClient, options: Options): Promise<{ data: CallView[] }> {
  return client.get<{ data: CallView[] }>('calls', filters(options));
}

export const list: BodyOf<typeof declared.list> = present(
  (client, { options }) => matching(client, options),
  (io, { data }) => (data.length === 0 ? 'No calls.' : table(data, callColumns(io), io.columns)),
);

export const show: BodyOf<typeof declared.show> = present(
  (client, { args }) => client.get<CallDetail>(pathFor(['calls', args.id])),
  callText,
);

/** Shows calls as they come, until a signal. */
export const tail: BodyOf<typeof declared.list> = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    await matching(client, options);
    const messages = client.events<{ type: string }>('stream/calls', filters(options), io.stopping);
    for await (const message of messages) {
      io.emit(message);
      if (isCall(message)) for (const line of callLines(io, message.call)) io.say(line);
    }
  });

function isCall(message: { type: string }): message is { type: 'call'; call: CallView } {
  return message.type === 'call';
}
