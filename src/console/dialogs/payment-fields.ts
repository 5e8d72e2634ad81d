import type { NewCharge, NewWithdrawal } from '../../client/routes.js';
import { FAILURE_REASONS } from '../../contract/failure-reasons.js';
import type { Pairs } from '../../text/pairs.js';
import { readPairs } from '../../text/pairs.js';
import type { Words } from '../words/words.js';
import type { Field, Values } from './form.js';
import { filled, linesOf } from './form.js';

/** What a payment is made from: the same fields as the request has, and as the options of the command. */
export interface PaymentGiven {
  readonly body: NewCharge & NewWithdrawal;
  readonly options: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly problems: Readonly<Record<string, string>>;
}

const CHARGE_FIELDS = ['amount', 'code', 'payer_name', 'payer_document'] as const;
const WITHDRAWAL_FIELDS = ['amount', 'code', 'pix_key'] as const;

export type Payment = 'charge' | 'withdrawal';

/** The fields from which a charge or a withdrawal is made, with the amount that is there at first. */
export function paymentFields({ payments }: Words, payment: Payment, amount?: string): Field[] {
  const names = payment === 'charge' ? CHARGE_FIELDS : WITHDRAWAL_FIELDS;
  const texts = names.map((name): Field => {
    const { label, help } = payments.fields[name];
    return { name, label, help, input: 'text', initial: name === 'amount' ? amount : undefined };
  });
  return [...texts, { name: 'metadata', ...payments.fields.metadata, input: 'lines' }];
}

/** Which application it is for: none where there is no choice. Without one, a new payment is of the first, and an existing one of any. */
export function appFields(
  { payments, faults }: Words,
  apps: NonNullable<Field['choices']>,
  isNew: boolean,
): Field[] {
  if (apps.length === 0) return [];
  const choices = isNew
    ? apps.map(([value, label], index) => [index === 0 ? '' : value, label] as const)
    : [['', faults.any] as const, ...apps];
  return [{ name: 'app', ...payments.fields.app, input: 'choice', choices }];
}

/** What was filled in of these fields. */
export function paymentGiven(values: Values, payment: Payment): PaymentGiven {
  const amount = filled(values, 'amount');
  const code = filled(values, 'code');
  const payerName = payment === 'charge' ? filled(values, 'payer_name') : undefined;
  const payerDocument = payment === 'charge' ? filled(values, 'payer_document') : undefined;
  const pixKey = payment === 'withdrawal' ? filled(values, 'pix_key') : undefined;
  const lines = linesOf(values, 'metadata');
  const { values: metadata, problems } = readLines('metadata', readPairs(lines));
  return {
    body: {
      ...(amount === undefined ? {} : { amount }),
      ...(code === undefined ? {} : { code }),
      ...(payerName === undefined ? {} : { payer_name: payerName }),
      ...(payerDocument === undefined ? {} : { payer_document: payerDocument }),
      ...(pixKey === undefined ? {} : { pix_key: pixKey }),
      ...(lines.length === 0 ? {} : { metadata }),
    },
    options: { amount, code, payerName, payerDocument, pixKey, metadata: lines },
    problems,
  };
}

/** What the lines of a field say, or its problem. */
export function readLines<Value>(
  name: string,
  read: Pairs<Value>,
): { readonly values: Readonly<Record<string, Value>>; readonly problems: Readonly<Record<string, string>> } {
  if ('values' in read) return { values: read.values, problems: {} };
  return { values: {}, problems: { [name]: [read.problem, read.hint].filter(Boolean).join(' ') } };
}

/** Why a payment fails; `none` is what no code stands for. */
export function reasonField({ payments }: Words, none: string): Field {
  const reasons = Object.entries(FAILURE_REASONS).map(
    ([code, meaning]) => [code, `${code} ${meaning}`] as const,
  );
  return { name: 'reason', ...payments.fields.reason, input: 'choice', choices: [['', none], ...reasons] };
}
