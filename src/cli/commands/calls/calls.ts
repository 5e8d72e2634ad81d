import { differencesOf } from '../../../text/exchange/differences.js';
import { callExchange } from '../../../text/exchange/shown.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import { comparedText } from '../../terminal/differences.js';
import { hanging, table } from '../../terminal/text.js';
import { givenBody, scriptOf } from './again.js';
import type * as declared from './command.js';
import { callColumns, callText } from './text.js';
import { notesOn, replayText } from './again-text.js';

type Options = InvocationOf<typeof declared.list>['options'];

function filters({ url: _url, since, ...filters }: Options) {
  return { ...filters, since: since?.text };
}

export const list: BodyOf<typeof declared.list> = present(
  (client, { options }) => client.get('calls', filters(options)),
  (io, { data }) => (data.length === 0 ? 'No calls.' : table(io, data, callColumns(io))),
);

const shown = present(
  (client, { args }: InvocationOf<typeof declared.show>) => client.get('calls/:id', { id: args.id }),
  callText,
);

const asCurl = present(
  async (client, { args }: InvocationOf<typeof declared.show>) => {
    const { script, leftOut, app } = await scriptOf(client, args.id);
    return { curl: script, left_out: leftOut, app };
  },
  (_, { curl }) => curl,
  (_, { left_out: leftOut, app }) => notesOn(leftOut, app),
);

export const show: BodyOf<typeof declared.show> = (invocation) =>
  (invocation.options.curl ? asCurl : shown)(invocation);

export const replay: BodyOf<typeof declared.replay> = present(
  async (client, { io, args, options }) => {
    const { app, newCode: new_code } = options;
    const body = await givenBody(io, options.body);
    return client.post('calls/:id/replay', { id: args.id, body: { body, app, new_code } });
  },
  replayText,
  (io, { replay_of: before, id }) =>
    hanging(`What differs: \`${io.program} calls diff ${before} ${id}\`.`, io.columns),
);

export const diff: BodyOf<typeof declared.diff> = present(
  async (client, { args }) => {
    const from = await client.get('calls/:id', { id: args.from });
    const to = await client.get('calls/:id', { id: args.to });
    const unknown = [from, to].filter(({ request }) => request === null).map(({ id }) => id);
    return {
      from: from.id,
      to: to.id,
      ...differencesOf(callExchange(from), callExchange(to)),
      not_kept: unknown,
    };
  },
  (io, { from, to, ...compared }) => comparedText(io, from, to, compared),
);
