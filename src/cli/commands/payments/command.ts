import { parseAmount } from '../../../contract/money.js';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../../contract/transitions.js';
import { rows } from '../../completion/sources.js';
import { REFUSED, usageError } from '../../program/errors.js';
import { type CommandFolder, declare, type ValuesOf } from '../../program/declaration.js';
import { choice, optional, pairs, required, text, valued } from '../../program/options.js';
import { APP, OF_APP, PAGE, REASON } from '../../program/shared-options.js';

const amount = amountOption('such as 10.00');
const code = text('code', 'your own identifier');
const metadata = pairs('key=value', 'one entry of the metadata');

/** Reads an amount above zero and keeps it as the control API takes it. */
export function amountOption(description: string) {
  return valued({ placeholder: 'amount', description }, (given, flag) => {
    const parsed = parseAmount(given);
    if ('problem' in parsed) throw usageError(`${flag} ${parsed.problem}.`);
    return given;
  });
}

export const NEW_CHARGE = {
  amount,
  code,
  payerName: text('name', 'who pays'),
  payerDocument: text('document', 'CPF or CNPJ of who pays'),
  metadata,
};

export const NEW_WITHDRAWAL = {
  amount,
  code,
  metadata,
  pixKey: text('key', 'CPF, CNPJ, e-mail, +55 phone or random key'),
};

export type NewPayment = Partial<ValuesOf<typeof NEW_CHARGE & typeof NEW_WITHDRAWAL>>;

/** Returns the fields of a new charge or withdrawal for the control API, without those not given. */
export function paymentFields(options: NewPayment): Readonly<Record<string, unknown>> {
  const fields = {
    code: options.code,
    amount: options.amount,
    payer_name: options.payerName,
    payer_document: options.payerDocument,
    pix_key: options.pixKey,
    metadata: options.metadata,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface PaymentTexts extends Pick<CommandFolder, 'about' | 'related'> {
  readonly what: 'charge' | 'withdrawal';
  readonly statuses: readonly string[];
  readonly create: { readonly summary: string; readonly examples: readonly string[] };
  readonly fields: typeof NEW_CHARGE | typeof NEW_WITHDRAWAL;
  /** The commands that move a payment to its next state, by verb; those that fail it take a reason. */
  readonly moves: Readonly<Record<string, { summary: string; description?: string; fails?: boolean }>>;
  /** Such as `order-1`. */
  readonly exampleCode: string;
}

const load = () => import('./payments.js');

/** The commands that list, show, create and move charges or withdrawals. */
function paymentFolder({ what, statuses, fields, about, related, ...texts }: PaymentTexts): CommandFolder {
  const group = `${what}s` as const;
  const body = async () => (await load()).paymentBodies(what);
  const examples = [texts.exampleCode];
  const status = choice('status', 'only in this state', statuses, `${what} status`);
  const list = declare({
    name: `${group} list`,
    summary: `${group}, newest first`,
    options: { status, ...OF_APP, ...PAGE },
    examples: ['', '--status PENDING --limit 10'],
  });
  const args = { id: required(rows(group)) };
  const show = declare({ name: `${group} show`, summary: `one ${what}`, args, options: APP, examples });
  const create = declare({ ...texts.create, name: `${group} create`, options: { ...fields, ...APP } });
  const moves = Object.entries(texts.moves).map(([verb, { fails = false, ...move }]) =>
    declare({
      ...move,
      name: `${group} ${verb}`,
      args: { id: optional(rows(group)) },
      options: fails ? { ...REASON, ...APP } : APP,
      examples,
    }).runs(async () => (await body()).move(verb), {
      when: ({ args }) => args.id === undefined,
      load: async () => (await load()).moveQuestions(what, verb),
    }),
  );
  const commands = [
    list.runs(async () => (await body()).list),
    show.runs(async () => (await body()).show),
    create.runs(async () => (await body()).create, {
      when: ({ options }) => Object.keys(paymentFields(options)).length === 0,
      load: async () => (await load()).newPaymentQuestions,
    }),
    ...moves,
  ];
  return { about, related, commands };
}

export const charges = paymentFolder({
  what: 'charge',
  about: 'the charges: list, show, create, and the payer’s side',
  related: ['trigger', 'events', 'kyc'],
  statuses: CHARGE_STATUSES,
  fields: NEW_CHARGE,
  create: {
    summary: 'create a charge without signing a request',
    examples: ['--amount 10.00 --code order-1', '--amount 99.90 --metadata order=7'],
  },
  moves: {
    settle: {
      summary: 'the payer pays',
      description: 'An expired charge can still be paid within its late window.',
    },
    fail: { summary: 'the payment fails', fails: true },
    expire: { summary: 'the time to pay ends now' },
  },
  exampleCode: 'order-1',
});

export const withdrawals = paymentFolder({
  what: 'withdrawal',
  about: 'the withdrawals: list, show, create, and the bank’s side',
  related: ['trigger', 'events'],
  statuses: WITHDRAWAL_STATUSES,
  fields: NEW_WITHDRAWAL,
  create: {
    summary: 'pay out to a PIX key',
    examples: ['--amount 25.00 --code payout-1', '--amount 500.00 --pix-key maria@example.com'],
  },
  moves: {
    process: { summary: 'the bank takes it up' },
    settle: { summary: 'the banking network settles it' },
    fail: { summary: 'the banking network rejects it', fails: true },
    return: {
      summary: 'the destination bank sends it back',
      description: 'Only a settled withdrawal can come back.',
      fails: true,
    },
  },
  exampleCode: 'payout-1',
});

export const LEDGER = declare({
  name: 'ledger',
  summary: 'what was credited and debited, with running balances, and whether it is sound',
  description:
    'Sound means: every settled charge has its credit and its fee, every withdrawal its ' +
    'debit and, if it failed, its reversal, each once, and no balance is below zero.',
  options: { account: text('id', 'only of this account', rows('accounts')), ...PAGE },
  examples: ['', '--limit 50 --json'],
  exits: { 1: `the ledger is not sound, or ${REFUSED}`, 3: '' },
  related: ['charges', 'withdrawals', 'status'],
});

export const ledger = { commands: [LEDGER.runs(async () => (await load()).showLedger)] };
