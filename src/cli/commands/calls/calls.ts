import type { CallDetail, CallView } from '../../../http/control/schema.js';
import type { ControlClient } from '../../../client/control-client.js';
import { pathFor } from '../../program/arguments.js';
import type { CommandBody, Options } from '../../program/io.js';
import { callColumns, callLines, callText } from './text.js';
import { table } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

function filters(options: Options): Record<string, string | undefined> {
  const names = ['method', 'path', 'status', 'app', 'door', 'since'];
  return Object.fromEntries(names.map((name) => [name, options.text(name)]));
}

function matching(client: ControlClient, options: Options): Promise<{ data: CallView[] }> {
  return client.get<{ data: CallView[] }>('calls', filters(options));
}

export const list: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    const calls = await matching(client, options);
    io.emit(calls);
    if (calls.data.length === 0) io.say('No calls.');
    else io.say(table(calls.data, callColumns(io), io.columns));
  });

export const show: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const call = await client.get<CallDetail>(pathFor(['calls', args[0] ?? '']));
    io.emit(call);
    io.say(callText(io, call));
  });

/** Shows calls as they come, until a signal. */
export const tail: CommandBody = (invocation) =>
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
