import { CUSTOMER_TYPES } from '../../../core/identity/session.js';
import { SESSION_DECISIONS, SESSION_STATUSES } from '../../../contract/transitions.js';
import type { PageView, SessionView } from '../../../http/control/schema.js';
import { durationOrUsage, pageQuery, pathFor } from '../../program/arguments.js';
import { askedFor } from '../../prompts/asked.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { usageError } from '../../program/errors.js';
import type { CommandBody, Invocation } from '../../program/io.js';
import { sandboxNow, showPage } from '../../terminal/page.js';
import { decidedText, sessionColumns, sessionText } from './text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

const ROUTE = ['kyc', 'sessions'] as const;

export const list: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const wanted = options.text('status');
  const status = wanted === undefined ? undefined : oneOfOrUsage('session status', wanted, SESSION_STATUSES);
  await withSandbox(invocation, async (client) => {
    const page = await client.get<PageView<SessionView>>(ROUTE.join('/'), { ...pageQuery(options), status });
    await showPage(io, client, page, { what: 'sessions', columns: (nowMs) => sessionColumns(io, nowMs) });
  });
};

export const show: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const session = await client.get<SessionView>(pathFor([...ROUTE, args[0] ?? '']));
    io.emit(session);
    if (!io.json) io.say(sessionText(io, session, await sandboxNow(client)));
  });

export const create: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const chosen = options.text('customerType');
  const customerType =
    chosen === undefined ? undefined : oneOfOrUsage('customer type', chosen, CUSTOMER_TYPES);
  await withSandbox(invocation, async (client) => {
    const body = { customer_type: customerType };
    const session = await client.post<SessionView>(pathFor(ROUTE, options), body);
    io.emit(session);
    if (!io.json) io.say(sessionText(io, session, await sandboxNow(client)));
  });
};

export const decide: CommandBody = async (given) => {
  const isMissing =
    given.args[0] === undefined || (given.args[1] === undefined && given.options.text('error') === undefined);
  const invocation = await askedFor(isMissing, given, async () => {
    return (await import('./questions.js')).decideQuestions;
  });
  const { io, args } = invocation;
  const [id] = args;
  if (id === undefined) {
    throw usageError(
      `Which session, and what is decided of it? One of ${SESSION_DECISIONS.join(', ')}.`,
      '`npx pix-sandbox kyc list` shows the sessions; then: npx pix-sandbox kyc decide ID approved',
    );
  }
  const decision = decisionOf(invocation);
  await withSandbox(invocation, async (client) => {
    const path = pathFor([...ROUTE, id, 'decide']);
    const session = await client.post<SessionView>(path, decision);
    io.emit(session);
    if (!io.json) io.say(decidedText(io, session, await sandboxNow(client)));
  });
};

function decisionOf({ args, options }: Invocation) {
  const error = options.text('error');
  if ((args[1] === undefined) === (error === undefined)) {
    throw usageError(
      'A decision takes either a status or --error.',
      `Statuses: ${SESSION_DECISIONS.join(', ')}. For example: npx pix-sandbox kyc decide ${args[0] ?? 'ID'} approved`,
    );
  }
  const delay = options.text('delay');
  return {
    status: args[1] === undefined ? undefined : oneOfOrUsage('decision', args[1], SESSION_DECISIONS),
    document: options.text('document'),
    delay: delay === undefined ? undefined : durationOrUsage('--delay', delay),
    error,
  };
}
