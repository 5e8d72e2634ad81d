import type { RefusalCode } from '../../../contract/refusals.js';
import type { OperationDocs } from '../operation.js';
import type { Untagged } from './build.js';
import { operation, tagged } from './build.js';

/** Creates a payment; a code that exists gives its payment back. */
function repeatable(
  id: string,
  summary: string,
  what: string,
  schema: string,
  refusals: readonly RefusalCode[] = [],
): Untagged {
  const answers = {
    200: { says: 'The existing one with this code, as it is now.', schema },
    201: { says: `The new ${what}.`, schema },
  };
  return { id, summary, answers, refusals: ['NOT_FOUND', 'CODE_REUSED', ...refusals] };
}

/** The transitions of a payment: the last part of the path, and what it does. */
function moves(schema: string, summaries: Readonly<Record<string, string>>): Record<string, Untagged> {
  return Object.fromEntries(
    Object.entries(summaries).map(([move, summary]) => [
      `POST ${schema.toLowerCase()}s/{id}/${move}`,
      operation(`${move}${schema}`, summary, schema, ['INVALID_TRANSITION']),
    ]),
  );
}

/** The payer’s side of charges and the bank’s side of withdrawals. An id may be a code. */
export const PAYMENT_OPERATIONS: OperationDocs = {
  ...tagged('charges', {
    'GET charges': operation(
      'listCharges',
      'List the charges of all applications, or of one.',
      'ChargePage',
      ['NOT_FOUND'],
    ),
    'POST charges': repeatable(
      'createCharge',
      'Create a charge; what is left out is chosen.',
      'charge',
      'ChargeDetail',
    ),
    'GET charges/{id}': operation('getCharge', 'Get a charge by its id or code.', 'ChargeDetail'),
    ...moves('Charge', {
      settle: 'Pay a charge.',
      fail: 'Have a payment fail.',
      expire: 'Have a charge expire now.',
    }),
  }),
  ...tagged('transactions', {
    'GET ledger': {
      ...operation(
        'getLedger',
        'List the transactions of an account or of all, each with the balance after it.',
        'Ledger',
        ['NOT_FOUND'],
      ),
      description:
        'Each transaction names the charge or withdrawal that it belongs to. `problems` is about the whole ledger, whatever the page: sums, missing or surplus transactions, and balances below zero.',
    },
  }),
  ...tagged('withdrawals', {
    'GET withdrawals': operation(
      'listWithdrawals',
      'List the withdrawals of all applications, or of one.',
      'WithdrawalPage',
      ['NOT_FOUND'],
    ),
    'POST withdrawals': repeatable(
      'createWithdrawal',
      'Create a withdrawal; what is left out is chosen.',
      'withdrawal',
      'Withdrawal',
      ['INSUFFICIENT_BALANCE'],
    ),
    'GET withdrawals/{id}': operation('getWithdrawal', 'Get a withdrawal by its id or code.', 'Withdrawal'),
    ...moves('Withdrawal', {
      process: 'Have the bank start processing a withdrawal.',
      settle: 'Have the banking network settle a withdrawal.',
      fail: 'Have a withdrawal rejected before it settles.',
      return: 'Have the destination bank return a settled withdrawal.',
    }),
  }),
};
