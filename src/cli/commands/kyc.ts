import { CUSTOMER_TYPES } from '../../contract/enums.js';
import {
  isDecision,
  listMoves,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  type SessionDecision,
  type SessionStatus,
} from '../../contract/transitions.js';
import { shortenSessionId } from '../../core/identity/session.js';
import type { SessionView } from '../../http/control/schema.js';
import { completeRows, completeWords } from '../completion/sources.js';
import { CliError, EXIT_CODES, parseChoice, createUsageError } from '../program/errors.js';
import { type ArgumentSpec, querySandbox, declareCommand } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import {
  defineChoice,
  defineDelay,
  promptForArgument,
  requireArgument,
  defineText,
} from '../program/options.js';
import { APP_NAME_OPTION, EXAMPLE_IDS, PAGE_OPTIONS } from '../program/shared-options.js';
import type { Prompter, PromptChoice } from '../prompts/prompter.js';
import type { SandboxSearch } from '../sandbox/find-sandbox.js';
import * as shown from '../terminal/text.js';
import { formatAge, formatRelativeTime, formatMoment } from '../terminal/time-text.js';

const DECISION: ArgumentSpec<SessionDecision | undefined> = {
  form: 'optional',
  values: completeWords(SESSION_DECISIONS),
  read: ([given]) => (given === undefined ? undefined : parseChoice('decision', given, SESSION_DECISIONS)),
};

export default {
  about: 'create, list, show and decide identity sessions',
  related: ['calls', 'env'],
  commands: [
    declareCommand({
      name: 'kyc create',
      summary: 'create a session and print the URL of its page',
      options: {
        customerType: defineChoice(
          'type',
          'individual or business (default: individual)',
          CUSTOMER_TYPES,
          'customer type',
        ),
        ...APP_NAME_OPTION,
      },
      examples: ['', '--customer-type business'],
    }).shows(
      (client, { options: { app, customerType } }) =>
        client.post('kyc/sessions', { app, body: { customer_type: customerType } }),
      (io, session, nowMs) => sessionText(io, session, nowMs),
    ),
    declareCommand({
      name: 'kyc list',
      summary: 'list sessions with shortened ids, newest first',
      options: {
        status: defineChoice('status', 'filter by status', SESSION_STATUSES, 'session status'),
        ...PAGE_OPTIONS,
      },
      examples: ['', '--status approved'],
    }).shows(
      (client, { options: { url: _url, ...query } }) => client.get('kyc/sessions', query),
      shown.formatList('No sessions.', sessionColumns),
      shown.formatPageNote,
    ),
    declareCommand({
      name: 'kyc show',
      summary: 'show a session by its id or an id prefix',
      description:
        'The full id and the page URL are credentials, which are printed only if you pass the ' +
        'full id or --json.',
      args: { id: requireArgument(completeRows('sessions')) },
      examples: [EXAMPLE_IDS.session],
    }).shows(
      (client, { args: { id } }) => client.get('kyc/sessions/:id', { id }),
      (io, session, nowMs, { args }) => sessionText(io, session, nowMs, args.id),
    ),
    declareCommand({
      name: 'kyc decide',
      aliases: { 'kyc approve': { status: 'approved' }, 'kyc reject': { status: 'rejected' } },
      summary: 'decide a session, or make its page report an error',
      args: {
        id: promptForArgument(
          `Specify a session and a decision: one of ${SESSION_DECISIONS.join(', ')}.`,
          'Find the session with `npx sandbox kyc list`, then run: npx sandbox kyc decide ID approved',
          completeRows('sessions'),
        ),
        status: DECISION,
      },
      options: {
        document: defineText('document', 'CPF or CNPJ of the person or company; determines the euid'),
        delay: defineDelay('delay until the decision is readable (default: none)'),
        error: defineText('code', 'error code for onError, instead of a status'),
      },
      examples: [
        `${EXAMPLE_IDS.session} approved --document 529.982.247-25`,
        `${EXAMPLE_IDS.session} --error CAMERA_DENIED`,
      ],
      check: ({ args: { id, status }, options: { error } }) => {
        if ((status === undefined) !== (error === undefined)) return;
        throw createUsageError(
          'Pass either a status or --error.',
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
        const name = `session ${shortenSessionId(session.id)}`;
        if (session.error !== null) return `${name} reports ${session.error} and stays undecided.`;
        const wait = waitText(session, nowMs);
        return `${name} is ${shown.colorStatus(io, session.status)}${wait && `, readable ${wait}`}.`;
      },
    ),
  ],
};

function sessionColumns(io: Io, nowMs: number): readonly shown.TextColumn<SessionView>[] {
  return [
    { title: 'ID', value: ({ id }) => shortenSessionId(id) },
    { title: 'TYPE', value: ({ customer_type }) => customer_type },
    shown.createStatusColumn(io),
    { title: 'AGE', value: ({ created_at }) => formatAge(created_at, nowMs) },
    { title: 'READABLE', value: (session) => waitText(session, nowMs), optional: true },
    {
      title: 'EXPIRES',
      value: ({ status, expires_at }) => (isDecision(status) ? '' : formatRelativeTime(expires_at, nowMs)),
      optional: true,
    },
    shown.createColumn('error', { optional: true }),
    shown.createColumn('euid', { optional: true }),
  ];
}

/** Formats the time until a decision becomes readable. */
function waitText({ readable_at }: SessionView, nowMs: number): string {
  return readable_at !== null && Date.parse(readable_at) > nowMs
    ? formatRelativeTime(readable_at, nowMs)
    : '';
}

/** Formats a session. Prints its full id and URL, which are credentials, only for a full `id`. */
function sessionText(io: Io, session: SessionView, nowMs: number, id = session.id): string {
  const { status, decided_at, readable_at } = session;
  const isWhole = id === session.id;
  return shown.formatFacts(io, [
    ['session', isWhole ? session.id : shortenSessionId(session.id)],
    ['page', isWhole ? session.url : 'hidden; pass the full id or --json'],
    ['type', session.customer_type],
    ['status', status, (text) => shown.colorStatus(io, status, text)],
    ['error', session.error],
    ['euid', session.euid],
    ['name', session.name],
    ['document', session.document],
    ['embedded by', session.embed_origin],
    ['created', formatMoment(session.created_at, nowMs)],
    ['expires', formatMoment(session.expires_at, nowMs)],
    ['decided', decided_at && formatMoment(decided_at, nowMs)],
    ['readable', readable_at && formatMoment(readable_at, nowMs)],
  ]);
}

/** Statuses without a final decision (§3). */
const OPEN = SESSION_STATUSES.filter((status) => listMoves('session', status).length > 0);

interface Deciding extends SandboxSearch {
  readonly args: { readonly id: string; readonly status: string | undefined };
  readonly options: SandboxSearch['options'] & { readonly error: string | undefined };
}

async function decideQuestions(invocation: Deciding, asker: Prompter) {
  const { args, options } = invocation;
  const session = args.id === '' ? await chosenSession(invocation, asker) : undefined;
  const name = session === undefined ? args.id : prefixOf(session);
  const isAsked = args.status === undefined && options.error === undefined;
  const decision = isAsked ? await asker.choose('Which decision?', decisions(session?.status)) : args.status;
  return { args: decision === undefined ? [name] : [name, decision] };
}

/** Returns a prefix of the id, because the full id is a credential. */
function prefixOf({ id }: SessionView): string {
  return shortenSessionId(id).replace('…', '');
}

function chosenSession(invocation: SandboxSearch, asker: Prompter): Promise<SessionView> {
  return querySandbox(invocation, async (client) => {
    const pages = await Promise.all(
      OPEN.map((status) => client.get('kyc/sessions', { status, limit: '50' })),
    );
    const choices = pages
      .flatMap(({ data }) => data)
      .map((session): PromptChoice<SessionView> => {
        const who = session.name === null ? '' : `  ${shown.toOneLine(session.name, 30)}`;
        const name = `${prefixOf(session)}  ${session.customer_type}  ${session.status}${who}`;
        return { value: session, name };
      });
    if (choices.length > 0) return asker.choose('Which session?', choices);
    const message = 'There is no session to decide: all sessions have a final decision.';
    const hint = 'Create a session with `npx sandbox kyc create`.';
    throw new CliError(EXIT_CODES.no, 'NOTHING_TO_CHOOSE', message, { hint });
  });
}

/** Lists the decisions allowed in a status, most likely first. */
function decisions(status: SessionStatus | undefined): PromptChoice<SessionDecision>[] {
  const possible: readonly string[] = status === undefined ? SESSION_DECISIONS : listMoves('session', status);
  const known = [...new Set<SessionDecision>(['approved', ...SESSION_DECISIONS])];
  return known.filter((one) => possible.includes(one)).map((value) => ({ value, name: value }));
}
