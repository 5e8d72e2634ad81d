import { CUSTOMER_TYPES } from '../../contract/enums.js';
import {
  isDecision,
  movesFrom,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  type SessionDecision,
  type SessionStatus,
} from '../../contract/transitions.js';
import { shortSessionId } from '../../core/identity/session.js';
import type { SessionView } from '../../http/control/schema.js';
import { rows, words } from '../completion/sources.js';
import { CliError, EXIT, oneOfOrUsage, usageError } from '../program/errors.js';
import { askSandbox, declare } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import { choice, duration, needed, optional, required, text } from '../program/options.js';
import { APP, EXAMPLE_IDS, PAGE } from '../program/shared-options.js';
import type { Asker, Choice } from '../prompts/asker.js';
import type { Seeker } from '../sandbox/find-sandbox.js';
import * as shown from '../terminal/text.js';
import { ageText, relativeText, whenText } from '../terminal/when.js';

export default {
  about: 'identity sessions: create, list, show, decide',
  related: ['calls', 'env'],
  commands: [
    declare({
      name: 'kyc create',
      summary: 'create a session and print the address of its page',
      options: {
        customerType: choice(
          'type',
          'individual or business (default: individual)',
          CUSTOMER_TYPES,
          'customer type',
        ),
        ...APP,
      },
      examples: ['', '--customer-type business'],
    }).shows(
      (client, { options: { app, customerType } }) =>
        client.post('kyc/sessions', { app, body: { customer_type: customerType } }),
      (io, session, nowMs) => sessionText(io, session, nowMs),
    ),
    declare({
      name: 'kyc list',
      summary: 'sessions, newest first; their ids are shortened',
      options: {
        status: choice('status', 'only in this state', SESSION_STATUSES, 'session status'),
        ...PAGE,
      },
      examples: ['', '--status approved'],
    }).shows(
      (client, { options: { url: _url, ...query } }) => client.get('kyc/sessions', query),
      shown.listed('No sessions.', sessionColumns),
      shown.pageNote,
    ),
    declare({
      name: 'kyc show',
      summary: 'one session, by its id or the beginning of it',
      description:
        'Its whole id and the address of its page are credentials, shown to those who give the ' +
        'whole id, or with --json.',
      args: { id: required(rows('sessions')) },
      examples: [EXAMPLE_IDS.session],
    }).shows(
      (client, { args: { id } }) => client.get('kyc/sessions/:id', { id }),
      (io, session, nowMs, { args }) => sessionText(io, session, nowMs, args.id),
    ),
    declare({
      name: 'kyc decide',
      summary: 'decide a session, or make its page report an error',
      args: {
        id: needed(
          `Which session, and which decision? One of ${SESSION_DECISIONS.join(', ')}.`,
          '`npx sandbox kyc list` shows the sessions; then: npx sandbox kyc decide ID approved',
          rows('sessions'),
        ),
        status: optional(words(SESSION_DECISIONS)),
      },
      options: {
        document: text('document', 'CPF or CNPJ of the person or company; the euid is derived from it'),
        delay: duration('duration', 'how long until the decision can be read (default: at once)'),
        error: text('code', 'instead of a status: the page calls onError with it'),
      },
      examples: [
        `${EXAMPLE_IDS.session} approved --document 529.982.247-25`,
        `${EXAMPLE_IDS.session} --error CAMERA_DENIED`,
      ],
      check: ({ args: { id, status }, options: { error } }) => {
        if (status !== undefined) oneOfOrUsage('decision', status, SESSION_DECISIONS);
        if ((status === undefined) !== (error === undefined)) return;
        throw usageError(
          'A decision takes either a status or --error.',
          `Statuses: ${SESSION_DECISIONS.join(', ')}. For example: npx sandbox kyc decide ${id} approved`,
        );
      },
      asks: {
        when: ({ args, options }) =>
          args.id === '' || (args.status === undefined && options.error === undefined),
        load: async () => decideQuestions,
      },
    }).shows(
      (client, { args: { id, status }, options: { url: _url, delay, ...options } }) =>
        client.post('kyc/sessions/:id/decide', { id, body: { status, delay: delay?.text, ...options } }),
      (io, session, nowMs) => {
        const name = `session ${shortSessionId(session.id)}`;
        if (session.error !== null) return `${name} reports ${session.error} and stays undecided.`;
        const wait = waitText(session, nowMs);
        return `${name} is ${shown.paintStatus(io, session.status)}${wait && `, readable ${wait}`}.`;
      },
    ),
  ],
};

function sessionColumns(io: Io, nowMs: number): readonly shown.Column<SessionView>[] {
  return [
    { title: 'ID', value: ({ id }) => shortSessionId(id) },
    { title: 'TYPE', value: ({ customer_type }) => customer_type },
    shown.statusColumn(io),
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    { title: 'READABLE', value: (session) => waitText(session, nowMs), optional: true },
    {
      title: 'EXPIRES',
      value: ({ status, expires_at }) => (isDecision(status) ? '' : relativeText(expires_at, nowMs)),
      optional: true,
    },
    shown.column('error', { optional: true }),
    shown.column('euid', { optional: true }),
  ];
}

/** Formats the time until a decision becomes readable. */
function waitText({ readable_at }: SessionView, nowMs: number): string {
  return readable_at !== null && Date.parse(readable_at) > nowMs ? relativeText(readable_at, nowMs) : '';
}

/** All details of a session; its id and address, which are credentials, only for those who have the whole id. */
function sessionText(io: Io, session: SessionView, nowMs: number, id = session.id): string {
  const { status, decided_at, readable_at } = session;
  const isWhole = id === session.id;
  return shown.facts(io, [
    ['session', isWhole ? session.id : shortSessionId(session.id)],
    ['page', isWhole ? session.url : 'shown with the whole id, or with --json'],
    ['type', session.customer_type],
    ['status', status, (text) => shown.paintStatus(io, status, text)],
    ['error', session.error],
    ['euid', session.euid],
    ['name', session.name],
    ['document', session.document],
    ['embedded by', session.embed_origin],
    ['created', whenText(session.created_at, nowMs)],
    ['expires', whenText(session.expires_at, nowMs)],
    ['decided', decided_at && whenText(decided_at, nowMs)],
    ['readable', readable_at && whenText(readable_at, nowMs)],
  ]);
}

/** Statuses of sessions without a final decision (§3). */
const OPEN = SESSION_STATUSES.filter((status) => movesFrom('session', status).length > 0);

interface Deciding extends Seeker {
  readonly args: { readonly id: string; readonly status: string | undefined };
  readonly options: Seeker['options'] & { readonly error: string | undefined };
}

async function decideQuestions(invocation: Deciding, asker: Asker) {
  const { args, options } = invocation;
  const session = args.id === '' ? await chosenSession(invocation, asker) : undefined;
  const name = session === undefined ? args.id : prefixOf(session);
  const isAsked = args.status === undefined && options.error === undefined;
  const decision = isAsked ? await asker.choose('Which decision?', decisions(session?.status)) : args.status;
  return { args: decision === undefined ? [name] : [name, decision] };
}

/** A full id is a credential; a prefix is enough to identify it. */
function prefixOf({ id }: SessionView): string {
  return shortSessionId(id).replace('…', '');
}

function chosenSession(invocation: Seeker, asker: Asker): Promise<SessionView> {
  return askSandbox(invocation, async (client) => {
    const pages = await Promise.all(
      OPEN.map((status) => client.get('kyc/sessions', { status, limit: '50' })),
    );
    const choices = pages
      .flatMap(({ data }) => data)
      .map((session): Choice<SessionView> => {
        const who = session.name === null ? '' : `  ${shown.oneLine(session.name, 30)}`;
        const name = `${prefixOf(session)}  ${session.customer_type}  ${session.status}${who}`;
        return { value: session, name };
      });
    if (choices.length > 0) return asker.choose('Which session?', choices);
    const message = 'There is no session to decide: every one has its final decision.';
    const hint = 'Create one with `npx sandbox kyc create`.';
    throw new CliError(EXIT.no, 'NOTHING_TO_CHOOSE', message, { hint });
  });
}

/** Lists the decisions allowed in a session's status, the likeliest first. */
function decisions(status: SessionStatus | undefined): Choice<SessionDecision>[] {
  const possible: readonly string[] = status === undefined ? SESSION_DECISIONS : movesFrom('session', status);
  const known = [...new Set<SessionDecision>(['approved', ...SESSION_DECISIONS])];
  return known.filter((one) => possible.includes(one)).map((value) => ({ value, name: value }));
}
