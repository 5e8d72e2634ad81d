import { SESSION_DECISIONS } from '../../../contract/transitions.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { present, presentAt, presentPage, sandboxNow } from '../../sandbox/present.js';
import type * as declared from './command.js';
import { decidedText, sessionColumns, sessionText } from './text.js';

export const list: BodyOf<typeof declared.list> = presentPage(
  'kyc/sessions',
  ({ status }) => ({ status }),
  sessionColumns,
);

export const show: BodyOf<typeof declared.show> = present(
  (client, { args }) => client.get('kyc/sessions/:id', { id: args.id }),
  async (io, session, { client, args }) =>
    sessionText(io, session, await sandboxNow(client), args.id === session.id),
);

export const create: BodyOf<typeof declared.create> = presentAt(
  (client, { options }) =>
    client.post('kyc/sessions', { app: options.app, body: { customer_type: options.customerType } }),
  (io, session, nowMs) => sessionText(io, session, nowMs),
);

export const decide: BodyOf<typeof declared.decide> = async (invocation) => {
  const { id } = invocation.args;
  if (id === undefined) {
    throw usageError(
      `Which session, and which decision? One of ${SESSION_DECISIONS.join(', ')}.`,
      '`npx sandbox kyc list` shows the sessions; then: npx sandbox kyc decide ID approved',
    );
  }
  const body = decisionOf(invocation);
  await presentAt((client) => client.post('kyc/sessions/:id/decide', { id, body }), decidedText)(invocation);
};

function decisionOf({ args, options }: InvocationOf<typeof declared.decide>) {
  const { status } = args;
  const { document, delay, error } = options;
  if ((status === undefined) === (error === undefined)) {
    throw usageError(
      'A decision takes either a status or --error.',
      `Statuses: ${SESSION_DECISIONS.join(', ')}. For example: npx sandbox kyc decide ${args.id ?? 'ID'} approved`,
    );
  }
  return {
    status: status === undefined ? undefined : oneOfOrUsage('decision', status, SESSION_DECISIONS),
    document,
    delay: delay?.text,
    error,
  };
}
