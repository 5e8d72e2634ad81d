import { parseAmount } from '../../contract/money.js';
import type { ValuesOf } from '../program/declaration.js';
import { usageError } from '../program/errors.js';
import { text, valued } from '../program/options.js';
import { pairs } from '../program/pairs.js';

const amount = amountOption('such as 10.00');
const code = text('code', 'your own identifier');
const metadata = pairs('key=value', 'one entry of the metadata');

/** An amount above zero, as the control API takes it. */
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

/** The fields of a new charge or withdrawal as the control API takes them, without those not given. */
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
