import type { ControlClient } from '../../client/control.js';
import {
  toCamelCase,
  type PaymentField,
  type FieldTable,
  mapFields,
  listOptionalNames,
  PAYMENT_FIELDS,
} from '../../contract/fields.js';
import { parseAmount } from '../../contract/money.js';
import {
  CHARGE_STATUSES,
  isPending,
  isSettled,
  listMoveNames,
  getMove,
  type MoveOf,
  type MovePath,
  listMoves,
  type PaymentKind,
  listStatusesBefore,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import type { ChargeDetail } from '../../http/control/schema.js';
import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import type { LedgerEntryView } from '../../http/control/payments.js';
import { completeRows } from '../completion/sources.js';
import {
  querySandbox,
  type CommandFolder,
  declareCommand,
  type Invocation,
  type OptionSpec,
  type OptionSpecs,
} from '../program/declaration.js';
import { CliError, EXIT_CODES, REFUSED_MEANING, createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import {
  defineChoice,
  promptForArgument,
  definePairs,
  requireArgument,
  defineText,
  defineValue,
} from '../program/options.js';
import { APP_NAME_OPTION, APP_OPTION, createReasonOption, PAGE_OPTIONS } from '../program/shared-options.js';
import type { Prompter, PromptChoice, PromptFlow } from '../prompts/prompter.js';
import * as shown from '../terminal/text.js';
import { formatAge, formatInstant, formatRelativeTime, formatMoment } from '../terminal/time-text.js';

type Payment = ChargeView | WithdrawalView;
type Details = ChargeDetail | WithdrawalView;

/** Defines an option for a positive amount, passed to the control API unchanged. */
export function createAmountOption(description: string) {
  return defineValue({ placeholder: 'amount', description }, (given, flag) => {
    const parsed = parseAmount(given);
    if ('problem' in parsed) throw createUsageError(`${flag} ${parsed.problem}.`);
    return given;
  });
}

function optionOf({ kind, option }: PaymentField): OptionSpec<unknown> {
  if (kind === 'money') return createAmountOption(option);
  if (kind === 'metadata') return definePairs('key=value', option);
  return defineText(kind, option, kind === 'id' ? completeRows('accounts') : undefined);
}

/** Defines a command option for each field. */
export function createFieldOptions(fields: FieldTable): OptionSpecs {
  return mapFields(fields, (name, field) => [toCamelCase(name), optionOf(field)]);
}

/** Returns a new payment's specified fields under their control API names. */
export function createPaymentOptions(options: Readonly<Record<string, unknown>>) {
  const given = mapFields(PAYMENT_FIELDS.all, (name) => [name, options[toCamelCase(name)]]);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function paymentFolder(
  what: PaymentKind,
  statuses: readonly string[],
  create: { readonly summary: string; readonly examples: readonly string[] },
  texts: Pick<CommandFolder, 'about' | 'related'>,
): CommandFolder {
  const group = `${what}s` as const;
  const examples = [what === 'charge' ? 'order-1' : 'payout-1'];
  const status = defineChoice('status', 'filter by status', statuses, `${what} status`);
  const list = declareCommand({
    name: `${group} list`,
    summary: `list ${group}, newest first`,
    options: { status, ...APP_OPTION, ...PAGE_OPTIONS },
    examples: ['', '--status PENDING --limit 10'],
  }).shows(
    (client, { options: { url: _url, ...query } }) => client.get(group, query),
    shown.formatList(`No ${group}.`, paymentColumns),
    shown.formatPageNote,
  );
  const show = declareCommand({
    name: `${group} show`,
    summary: `show one ${what}`,
    args: { id: requireArgument(completeRows(group)) },
    options: APP_NAME_OPTION,
    examples,
  }).shows(
    (client, { args, options }): Promise<Details> =>
      client.get(`${group}/:id`, { id: args.id, app: options.app }),
    paymentText,
  );
  const created = declareCommand({
    ...create,
    name: `${group} create`,
    options: { ...createFieldOptions(PAYMENT_FIELDS[what]), ...APP_NAME_OPTION },
    asks: {
      when: ({ options }) => Object.keys(createPaymentOptions(options)).length === 0,
      load: async () => newPaymentQuestions,
    },
  }).shows(
    (client, { options }): Promise<Details> =>
      client.post(group, { app: options.app, body: createPaymentOptions(options) }),
    paymentText,
  );
  const moves = listMoveNames(what).map((verb) => declareMove(what, verb, examples));
  return { ...texts, commands: [list, show, created, ...moves] };
}

function declareMove(what: PaymentKind, verb: MoveOf<PaymentKind>, examples: readonly string[]) {
  const group = `${what}s` as const;
  const { label, from, to, hasReason = false, event: type } = getMove(what, verb);
  return declareCommand({
    name: `${group} ${verb}`,
    aliases: isSettled(to) ? { [`${group} pay`]: {}, [`${group} complete`]: {} } : {},
    summary: label,
    description:
      `Possible while the ${what} is ${from.join(' or ')}.` +
      (type === undefined ? '' : ` Shows the deliveries of ${type} after their first attempts.`),
    args: {
      id: promptForArgument(
        `Specify a ${what} by its code or id.`,
        `Find the ${what} with \`npx sandbox ${group} list\`, then run: npx sandbox ${group} ${verb} ${what}-1`,
        completeRows(group),
      ),
    },
    options: hasReason ? { ...createReasonOption(verb), ...APP_NAME_OPTION } : APP_NAME_OPTION,
    examples,
    asks: { load: async () => moveQuestions(what, verb) },
  }).shows(
    (client, { args: { id }, options: { app, ...options } }) => {
      return client.post(`${group}/:id/${verb}` as MovePath, {
        id,
        app,
        body: { reason: 'reason' in options ? options.reason : undefined },
      });
    },
    (io, { code, status, amount, reason: withCause }) =>
      `${what} ${shown.toOneLine(code, 0)} of ${amount} is ` +
      `${shown.colorStatus(io, status)}${withCause === null ? '' : ` (${withCause})`}.`,
    async (io, { id, code }, _, { client, options }) => {
      if (type === undefined) return '';
      const { noteNewestDeliveries } = await import('./trigger.js');
      await noteNewestDeliveries(client, io, { id, code, type }, options.app);
      return '';
    },
  );
}

export const charges = paymentFolder(
  'charge',
  CHARGE_STATUSES,
  {
    summary: 'create a charge without signing a request',
    examples: ['--amount 10.00 --code order-1', '--amount 99.90 --metadata order=7'],
  },
  {
    about: 'list, show and create charges, and simulate the payer',
    related: ['trigger', 'events', 'kyc'],
  },
);

export const withdrawals = paymentFolder(
  'withdrawal',
  WITHDRAWAL_STATUSES,
  {
    summary: 'pay out to a PIX key',
    examples: ['--amount 25.00 --code payout-1', '--amount 500.00 --pix-key maria@example.com'],
  },
  { about: 'list, show and create withdrawals, and simulate the bank', related: ['trigger', 'events'] },
);

function paymentColumns(io: Io, nowMs: number): readonly shown.TextColumn<Payment>[] {
  return [
    shown.createColumn('code'),
    shown.createStatusColumn(io),
    shown.createColumn('amount'),
    shown.createColumn('id', { minWidth: shown.SHORT_ID }),
    { title: 'AGE', value: ({ created_at }) => formatAge(created_at, nowMs) },
    {
      title: 'EXPIRES',
      value: (payment) =>
        'expires_at' in payment && isPending(payment.status)
          ? formatRelativeTime(payment.expires_at, nowMs)
          : '',
      optional: true,
    },
    shown.createColumn('reason', { optional: true }),
    {
      title: 'PIX KEY',
      value: (payment) => ('destination' in payment ? payment.destination.pix_key : ''),
      optional: true,
    },
  ];
}

/** Formats all details of a payment except the QR code image, which only `--json` prints. */
function paymentText(io: Io, payment: Details, nowMs: number): string {
  const { code, id, status, reason, metadata, account_id, created_at } = payment;
  const isCharge = 'qr_code' in payment;
  return shown.formatFacts(io, [
    [isCharge ? 'charge' : 'withdrawal', code],
    ['id', id],
    ['status', status, (text) => shown.colorStatus(io, status, text)],
    ...(isCharge ? chargeFacts(payment) : withdrawalFacts(payment)),
    ['reason', reason],
    ...Object.entries(metadata).map(([key, value]): shown.TextFact => ['metadata', `${key}=${value}`]),
    ['account', account_id],
    ['created', formatMoment(created_at, nowMs)],
    [
      'expires',
      isCharge && listMoves('charge', status).length > 0 ? formatMoment(payment.expires_at, nowMs) : '',
    ],
    ['pay page', isCharge ? payment.pay_url : ''],
    ['pix code', isCharge ? payment.qr_code : '', undefined, true],
  ]);
}

function chargeFacts(charge: ChargeDetail): shown.TextFact[] {
  const { amount, asset_code, fees } = charge;
  return [
    ['amount', `${amount} ${asset_code}, net ${fees.net_amount}`],
    ['fees', `provider ${fees.provider_fee}, partner ${fees.partner_fee}`],
    ...listOptionalNames(PAYMENT_FIELDS.own.charge).map((name): shown.TextFact => [
      name.replace('_', ' '),
      charge[name],
    ]),
  ];
}

function withdrawalFacts({ amount, fee, net_amount, destination }: WithdrawalView): shown.TextFact[] {
  return [
    ['amount', `${amount} BRL, fee ${fee}, net ${net_amount}`],
    ['to', `${destination.pix_key} (${destination.pix_key_type})`],
    ...listOptionalNames(PAYMENT_FIELDS.own.withdrawal).map((name): shown.TextFact => [
      name.replace('_', ' '),
      destination[name],
    ]),
  ];
}

const LONGEST_CODE = 40;

/** Lists payments in these statuses as choices, newest first; adds `another one` if more exist. */
export async function listPaymentChoices(
  client: ControlClient,
  what: PaymentKind,
  states: readonly string[],
): Promise<readonly PromptChoice<string | undefined>[]> {
  const pages = await Promise.all(states.map((status) => client.get(`${what}s`, { status, limit: '50' })));
  const choices = pages.flatMap(({ data }) =>
    data.map(({ code, amount, status }: Payment) => ({
      value: code,
      name: `${shown.toOneLine(code, LONGEST_CODE)}  ${amount}  ${status}`,
    })),
  );
  const hasMore = pages.some(({ paging }) => paging.after !== null);
  return hasMore ? [...choices, { value: undefined, name: 'another one' }] : choices;
}

/** Returns the chosen code, or prompts for a code or id if `another one` was chosen. */
export async function resolvePaymentName(
  what: PaymentKind,
  chosen: string | undefined,
  asker: Prompter,
): Promise<string> {
  if (chosen !== undefined) return chosen;
  return asker.write(`Code or id of the ${what}:`, '', (text) =>
    text === '' ? `Enter the code or id of a ${what}.` : undefined,
  );
}

function moveQuestions(what: PaymentKind, verb: string): PromptFlow<Invocation> {
  return async (invocation, asker) => {
    return querySandbox(invocation, async (client) => {
      const states = listStatusesBefore(what, [verb]);
      const choices = await listPaymentChoices(client, what, states);
      if (choices.length === 0) {
        const message = `There is no ${what} to ${verb}: none is ${states.join(' or ')}.`;
        const hint = `Create a ${what} with \`npx sandbox ${what}s create\`.`;
        throw new CliError(EXIT_CODES.no, 'NOTHING_TO_CHOOSE', message, { hint });
      }
      const chosen = await asker.choose(`Which ${what} do you want to ${verb}?`, choices);
      return { args: [await resolvePaymentName(what, chosen, asker)] };
    });
  };
}

const newPaymentQuestions: PromptFlow<unknown> = async (_, asker) => {
  const amount = await asker.write('Amount:', '10.00', (text) => {
    const parsed = parseAmount(text);
    return 'problem' in parsed ? `The amount ${parsed.problem}.` : undefined;
  });
  const code = await asker.write('Your code (leave empty to generate one):', '', (text) =>
    text === '' || /^[!-~]{1,100}$/.test(text)
      ? undefined
      : 'Use 1 to 100 printable characters without spaces.',
  );
  return { args: [], options: { amount, code: code === '' ? undefined : code } };
};

export const ledger = declareCommand({
  name: 'ledger',
  aliases: { balance: {} },
  summary: 'list credits and debits with running balances, and check their consistency',
  description:
    'The ledger is consistent if every settled charge has one credit and one fee, every withdrawal has ' +
    'one debit and, if it failed, one reversal, and no balance is below zero.',
  options: {
    account: defineText('id', 'only entries for this account', completeRows('accounts')),
    ...PAGE_OPTIONS,
  },
  examples: ['', '--limit 50 --json'],
  exits: { 1: `the ledger is inconsistent, or ${REFUSED_MEANING}`, 3: '' },
  related: ['charges', 'withdrawals', 'status'],
}).shows(
  (client, { options: { url: _url, ...query } }) => client.get('ledger', query),
  (io, { data, accounts, problems }) => {
    const text = data.length === 0 ? 'No transactions.' : shown.formatTable(io, data, ledgerColumns(data));
    const consistent = problems.length === 0 ? ['The ledger is consistent.'] : [];
    const balances = shown.formatFacts(io, shown.listBalanceFacts(accounts));
    return [text, ...consistent, balances].filter((part) => part !== '').join('\n');
  },
  (io, { problems, paging }) =>
    [
      ...problems.map((problem) => `${io.colors.red('problem')} ${shown.toOneLine(problem, 0)}`),
      shown.formatPageNote(io, { paging }),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  ({ problems }) => (problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.no),
);

function ledgerColumns(entries: readonly LedgerEntryView[]): readonly shown.TextColumn<LedgerEntryView>[] {
  const isOfSeveral = new Set(entries.map(({ account_id: id }) => id)).size > 1;
  return [
    { title: 'TIME', value: ({ created_at: at }) => formatInstant(at) },
    { title: 'WHAT', value: ({ what }) => what ?? 'unexplained' },
    shown.createColumn('code'),
    { title: 'AMOUNT', value: ({ direction, amount }) => (direction === 'DEBIT' ? `-${amount}` : amount) },
    shown.createColumn('balance'),
    {
      title: 'ACCOUNT',
      value: ({ account_id: id }) => (isOfSeveral ? id : ''),
      minWidth: 9,
      optional: true,
    },
  ];
}
