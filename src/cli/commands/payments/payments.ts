import type { ControlClient } from '../../../client/control.js';
import type { PathOf } from '../../../client/routes.js';
import type { FailureReason } from '../../../contract/enums.js';
import { parseAmount } from '../../../contract/money.js';
import { statusesBefore } from '../../../contract/transitions.js';
import type { ChargeDetail } from '../../../http/control/payments.js';
import type { ChargeView, LedgerEntryView, WithdrawalView } from '../../../http/control/schema.js';
import type { BodyOf, Invocation, ValuesOf } from '../../program/declaration.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import type { PAGE } from '../../program/shared-options.js';
import type { Asker, Choice, Questions } from '../../prompts/asker.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { pageNote, present, presentAt, presentPage } from '../../sandbox/present.js';
import {
  type Column,
  type Fact,
  facts,
  oneLine,
  paintStatus,
  SHORT_ID,
  statusColumn,
  table,
} from '../../terminal/text.js';
import { ageText, instantText, relativeText, whenText } from '../../terminal/when.js';
import { type LEDGER, type NewPayment, paymentFields } from './command.js';

type What = 'charge' | 'withdrawal';
type Payment = ChargeView | WithdrawalView;
type Details = ChargeDetail | WithdrawalView;

interface App {
  readonly app: string | undefined;
}

type Listing = ValuesOf<typeof PAGE> & App & { readonly status: string | undefined };
type Moving = App & { readonly reason?: FailureReason | undefined };
type MovePath = Extract<PathOf<'POST'>, `${What}s/:id/${string}`>;

/** The code of the commands that list, show, create and move charges or withdrawals. */
export function paymentBodies(what: What) {
  const route = `${what}s` as const;
  return {
    list: presentPage<typeof route, Invocation<unknown, Listing>>(
      route,
      ({ status, app }) => ({ status, app }),
      paymentColumns,
    ),
    show: presentAt<Details, Invocation<{ readonly id: string }, App>>(
      (client, { args, options }) => client.get(`${route}/:id`, { id: args.id, app: options.app }),
      paymentText,
    ),
    create: presentAt<Details, Invocation<unknown, NewPayment & App>>(
      (client, { options }) => client.post(route, { app: options.app, body: paymentFields(options) }),
      paymentText,
    ),
    move:
      (verb: string) =>
      async (invocation: Invocation<{ readonly id: string | undefined }, Moving>): Promise<void> => {
        const { id } = invocation.args;
        if (id === undefined) {
          throw usageError(
            `Which ${what}? Give its code or its id.`,
            `\`npx sandbox ${route} list\` shows them; then: npx sandbox ${route} ${verb} ${what}-1`,
          );
        }
        const { app, reason } = invocation.options;
        const move = present(
          (client) => client.post(`${route}/:id/${verb}` as MovePath, { id, app, body: { reason } }),
          (io, { code, status, amount, reason: because }) =>
            `${what} ${oneLine(code, 0)} of ${amount} is ` +
            `${paintStatus(io, status)}${because === null ? '' : ` (${because})`}.`,
        );
        await move(invocation);
      },
  };
}

function paymentColumns(io: Io, nowMs: number): readonly Column<Payment>[] {
  return [
    { title: 'CODE', value: ({ code }) => code, leastWidth: 8 },
    statusColumn(io),
    { title: 'AMOUNT', value: ({ amount }) => amount },
    { title: 'ID', value: ({ id }) => id, leastWidth: SHORT_ID },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    {
      title: 'EXPIRES',
      value: (payment) =>
        'expires_at' in payment && payment.status === 'PENDING'
          ? relativeText(payment.expires_at, nowMs)
          : '',
      optional: true,
    },
    { title: 'REASON', value: ({ reason }) => reason ?? '', optional: true },
    {
      title: 'PIX KEY',
      value: (payment) => ('destination' in payment ? payment.destination.pix_key : ''),
      optional: true,
    },
  ];
}

/** All details of a payment, except a QR image, which only `--json` prints. */
function paymentText(io: Io, payment: Details, nowMs: number): string {
  const { code, id, status, reason, metadata, account_id, created_at } = payment;
  const isCharge = 'qr_code' in payment;
  return facts(io, [
    [isCharge ? 'charge' : 'withdrawal', code],
    ['id', id],
    ['status', status, (text) => paintStatus(io, status, text)],
    ...(isCharge ? chargeFacts(payment) : withdrawalFacts(payment)),
    ['reason', reason ?? ''],
    ...Object.entries(metadata).map(([key, value]): Fact => ['metadata', `${key}=${value}`]),
    ['account', account_id],
    ['created', whenText(created_at, nowMs)],
    ...(isCharge
      ? ([
          ['expires', whenText(payment.expires_at, nowMs)],
          ['pay page', payment.pay_url],
          ['pix code', payment.qr_code, undefined, true],
        ] as const)
      : []),
  ]);
}

function chargeFacts({ amount, asset_code: asset, fees, payer_name, payer_document }: ChargeDetail): Fact[] {
  return [
    ['amount', `${amount} ${asset}, net ${fees.net_amount}`],
    ['fees', `provider ${fees.provider_fee}, partner ${fees.partner_fee}`],
    ['payer', [payer_name, payer_document].filter((part) => part !== null).join(', ')],
  ];
}

function withdrawalFacts({ amount, fee, net_amount, destination }: WithdrawalView): Fact[] {
  const { pix_key: key, pix_key_type: type, beneficiary_name, beneficiary_document } = destination;
  return [
    ['amount', `${amount} BRL, fee ${fee}, net ${net_amount}`],
    ['to', `${key} (${type})`],
    ['beneficiary', [beneficiary_name, beneficiary_document].filter((part) => part !== null).join(', ')],
  ];
}

const LONGEST_CODE = 40;

/** Payments in these states as choices, the newest of each state first; `another one` is added if there are more. */
export async function paymentChoices(
  client: ControlClient,
  what: What,
  states: readonly string[],
): Promise<readonly Choice<string | undefined>[]> {
  const pages = await Promise.all(states.map((status) => client.get(`${what}s`, { status, limit: '50' })));
  const choices = pages.flatMap(({ data }) =>
    data.map(({ code, amount, status }: Payment) => ({
      value: code,
      name: `${oneLine(code, LONGEST_CODE)}  ${amount}  ${status}`,
    })),
  );
  const hasMore = pages.some(({ paging }) => paging.after !== null);
  return hasMore ? [...choices, { value: undefined, name: 'another one' }] : choices;
}

/** The code or id of a choice; asks for it if the choice is another one. */
export async function nameOf(what: What, chosen: string | undefined, asker: Asker): Promise<string> {
  if (chosen !== undefined) return chosen;
  return asker.write(`Code or id of the ${what}:`, '', (text) =>
    text === '' ? `Type the code or the id of a ${what}.` : undefined,
  );
}

/** Asks which payment to move, for `charges settle` and similar commands. */
export function moveQuestions(what: What, verb: string): Questions<Invocation> {
  return (invocation, asker) =>
    withSandbox(invocation, async (client) => {
      const states = statusesBefore(what, [verb]);
      const choices = await paymentChoices(client, what, states);
      if (choices.length === 0) {
        const message = `There is no ${what} to ${verb}: none is ${states.join(' or ')}.`;
        const hint = `Create one with \`npx sandbox ${what}s create\`.`;
        throw new CliError(EXIT.no, 'NOTHING_TO_CHOOSE', message, { hint });
      }
      const chosen = await asker.choose(`Which ${what} is to ${verb}?`, choices);
      return { args: [await nameOf(what, chosen, asker)] };
    });
}

export const newPaymentQuestions: Questions<Invocation> = async (_, asker) => {
  const amount = await asker.write('Amount:', '10.00', (text) => {
    const parsed = parseAmount(text);
    return 'problem' in parsed ? `It ${parsed.problem}.` : undefined;
  });
  const code = await asker.write('Your code for it (empty: the sandbox chooses one):', '', (text) =>
    text === '' || /^[!-~]{1,100}$/.test(text)
      ? undefined
      : 'Use 1 to 100 printable characters without space.',
  );
  return { args: [], options: { amount, code: code === '' ? undefined : code } };
};

/** Prints a page of the ledger; exit 1 when the ledger is not sound. */
export const showLedger: BodyOf<typeof LEDGER> = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    const { account, limit, after, before } = options;
    const view = await client.get('ledger', { account, limit, after, before });
    io.emit(view);
    if (!io.json) {
      const { data, paging, problems } = view;
      io.say(data.length === 0 ? 'No transactions.' : table(io, data, ledgerColumns(data)));
      for (const problem of problems) io.note(`${io.colour.red('problem')} ${oneLine(problem, 0)}`);
      const note = pageNote(paging);
      if (note !== '') io.note(note);
    }
    return view.problems.length === 0 ? EXIT.done : EXIT.no;
  });

function ledgerColumns(entries: readonly LedgerEntryView[]): readonly Column<LedgerEntryView>[] {
  const isOfSeveral = new Set(entries.map(({ account_id: id }) => id)).size > 1;
  return [
    { title: 'TIME', value: ({ created_at: at }) => instantText(at) },
    { title: 'WHAT', value: ({ what }) => what ?? 'unexplained' },
    { title: 'CODE', value: ({ code }) => code, leastWidth: 8 },
    { title: 'AMOUNT', value: ({ direction, amount }) => (direction === 'DEBIT' ? `-${amount}` : amount) },
    { title: 'BALANCE', value: ({ balance }) => balance },
    {
      title: 'ACCOUNT',
      value: ({ account_id: id }) => (isOfSeveral ? id : ''),
      leastWidth: 9,
      optional: true,
    },
  ];
}
