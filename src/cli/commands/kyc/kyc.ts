import { movesFrom, SESSION_DECISIONS, type SessionDecision } from '../../../contract/transitions.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodiesOf, Invocation, InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { present, presentAt, presentPage, sandboxNow } from '../../sandbox/present.js';
import type { KYC } from './command.js';
import { shortSessionId } from '../../../core/identity/session.js';
import type { SessionView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { type Column, facts, oneLine, paintStatus, statusColumn } from '../../terminal/text.js';
import { ageText, relativeText, whenText } from '../../terminal/when.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import type { Asker, Choice, Questions } from '../../prompts/asker.js';

export const kyc: BodiesOf<typeof KYC> = {
  list: presentPage('kyc/sessions', ({ status }) => ({ status }), sessionColumns),
  show: present(
    (client, { args }) => client.get('kyc/sessions/:id', { id: args.id }),
    async (io, session, { client, args }) =>
      sessionText(io, session, await sandboxNow(client), args.id === session.id),
  ),
  create: presentAt(
    (client, { options }) =>
      client.post('kyc/sessions', { app: options.app, body: { customer_type: options.customerType } }),
    (io, session, nowMs) => sessionText(io, session, nowMs),
  ),
  decide: async (invocation) => {
    const { id } = invocation.args;
    if (id === undefined) {
      throw usageError(
        `Which session, and which decision? One of ${SESSION_DECISIONS.join(', ')}.`,
        '`npx sandbox kyc list` shows the sessions; then: npx sandbox kyc decide ID approved',
      );
    }
    const body = decisionOf(invocation);
    await presentAt(
      (client) => client.post('kyc/sessions/:id/decide', { id, body }),
      decidedText,
    )(invocation);
  },
};

function decisionOf({ args, options }: InvocationOf<typeof KYC.decide>) {
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

function sessionColumns(io: Io, nowMs: number): readonly Column<SessionView>[] {
  return [
    { title: 'ID', value: ({ id }) => shortSessionId(id) },
    { title: 'TYPE', value: ({ customer_type }) => customer_type },
    statusColumn(io),
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    { title: 'READABLE', value: (session) => waitText(session, nowMs), optional: true },
    { title: 'EXPIRES', value: (session) => expiryText(session, nowMs), optional: true },
    { title: 'ERROR', value: ({ error }) => error ?? '', optional: true },
    { title: 'EUID', value: ({ euid }) => euid ?? '', optional: true },
  ];
}

/** How long until a decision becomes readable. */
function waitText({ readable_at }: SessionView, nowMs: number): string {
  return readable_at !== null && Date.parse(readable_at) > nowMs ? relativeText(readable_at, nowMs) : '';
}

function expiryText({ status, expires_at }: SessionView, nowMs: number): string {
  return status === 'CREATED' || status === 'IN_PROGRESS' ? relativeText(expires_at, nowMs) : '';
}

/** All details of a session; its id and address, which are credentials, only for those who have the whole id. */
function sessionText(io: Io, session: SessionView, nowMs: number, isWhole = true): string {
  const { status, decided_at, readable_at } = session;
  return facts(io, [
    ['session', isWhole ? session.id : shortSessionId(session.id)],
    ['page', isWhole ? session.url : 'shown with the whole id, or with --json'],
    ['type', session.customer_type],
    ['status', status, (text) => paintStatus(io, status, text)],
    ['error', session.error ?? ''],
    ['euid', session.euid ?? ''],
    ['name', session.name ?? ''],
    ['document', session.document ?? ''],
    ['embedded by', session.embed_origin ?? ''],
    ['created', whenText(session.created_at, nowMs)],
    ['expires', whenText(session.expires_at, nowMs)],
    ['decided', decided_at === null ? '' : whenText(decided_at, nowMs)],
    ['readable', readable_at === null ? '' : whenText(readable_at, nowMs)],
  ]);
}

function decidedText(io: Io, session: SessionView, nowMs: number): string {
  const name = `session ${shortSessionId(session.id)}`;
  if (session.error !== null) return `${name} reports ${session.error} and stays undecided.`;
  const wait = waitText(session, nowMs);
  const readable = wait === '' ? '' : `, readable ${wait}`;
  return `${name} is ${paintStatus(io, session.status)}${readable}.`;
}

/** Statuses of sessions without a final decision (§3). */
const OPEN = ['CREATED', 'IN_PROGRESS', 'under_review'] as const;
type OpenStatus = (typeof OPEN)[number];

interface OpenSession {
  readonly name: string;
  readonly status: OpenStatus | undefined;
}

export const decideQuestions: Questions<InvocationOf<typeof KYC.decide>> = async (invocation, asker) => {
  const { args, options } = invocation;
  const { name, status } =
    args.id === undefined ? await chosenSession(invocation, asker) : { name: args.id, status: undefined };
  const isAsked = args.status === undefined && options.error === undefined;
  const decision = isAsked ? await asker.choose('Which decision?', decisions(status)) : args.status;
  return { args: decision === undefined ? [name] : [name, decision] };
};

function chosenSession(invocation: Invocation, asker: Asker): Promise<OpenSession> {
  return withSandbox(invocation, async (client) => {
    const pages = await Promise.all(
      OPEN.map(async (status) => {
        const { data } = await client.get('kyc/sessions', { status, limit: '50' });
        return data.map((session) => choiceOf(session, status));
      }),
    );
    const choices = pages.flat();
    if (choices.length > 0) return asker.choose('Which session?', choices);
    const message = 'There is no session to decide: every one has its final decision.';
    const hint = 'Create one with `npx sandbox kyc create`.';
    throw new CliError(EXIT.no, 'NOTHING_TO_CHOOSE', message, { hint });
  });
}

/** A full id is a credential; a prefix is enough to identify it. */
function choiceOf({ id, customer_type, name }: SessionView, status: OpenStatus): Choice<OpenSession> {
  const short = shortSessionId(id).replace('…', '');
  const who = name === null ? '' : `  ${oneLine(name, 30)}`;
  return { value: { name: short, status }, name: `${short}  ${customer_type}  ${status}${who}` };
}

function decisions(status: OpenStatus | undefined): Choice<SessionDecision>[] {
  const possible: readonly string[] = status === undefined ? SESSION_DECISIONS : movesFrom('session', status);
  const known = SESSION_DECISIONS.filter((decision) => possible.includes(decision));
  const likeliest = known.filter((decision) => decision === 'approved');
  return [...new Set([...likeliest, ...known])].map((value) => ({ value, name: value }));
}
