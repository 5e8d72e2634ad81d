import type { OperationDocs } from '../operation.js';
import { operation, tagged } from './build.js';

const MOVES = { refusals: ['INVALID_TRANSITION'] } as const;
const MAKES = { refusals: ['NOT_FOUND', 'CODE_REUSED'] } as const;

const AGAIN = 'The existing one with this code, as it is now.';

/** The payer’s side of charges and the bank’s side of withdrawals. An id may be a code. */
export const PAYMENT_OPERATIONS: OperationDocs = {
  ...tagged('charges', {
    'GET charges': operation('listCharges', 'List the charges of all applications.', [200, 'ChargePage']),
    'POST charges': {
      ...operation('createCharge', 'Create a charge; what is left out is chosen.', [201, 'Charge'], MAKES),
      answers: {
        200: { says: AGAIN, schema: 'Charge' },
        201: { says: 'The new charge.', schema: 'Charge' },
      },
    },
    'GET charges/{id}': operation('getCharge', 'Get a charge by its id or code.', [200, 'Charge']),
    'POST charges/{id}/settle': operation('settleCharge', 'Pay a charge.', [200, 'Charge'], MOVES),
    'POST charges/{id}/fail': operation('failCharge', 'Have a payment fail.', [200, 'Charge'], MOVES),
    'POST charges/{id}/expire': operation(
      'expireCharge',
      'Have a charge expire now.',
      [200, 'Charge'],
      MOVES,
    ),
  }),
  ...tagged('withdrawals', {
    'GET withdrawals': operation('listWithdrawals', 'List the withdrawals of all applications.', [
      200,
      'WithdrawalPage',
    ]),
    'POST withdrawals': {
      ...operation(
        'createWithdrawal',
        'Create a withdrawal; what is left out is chosen.',
        [201, 'Withdrawal'],
        { refusals: [...MAKES.refusals, 'INSUFFICIENT_BALANCE'] },
      ),
      answers: {
        200: { says: AGAIN, schema: 'Withdrawal' },
        201: { says: 'The new withdrawal.', schema: 'Withdrawal' },
      },
    },
    'GET withdrawals/{id}': operation('getWithdrawal', 'Get a withdrawal by its id or code.', [
      200,
      'Withdrawal',
    ]),
    'POST withdrawals/{id}/process': operation(
      'processWithdrawal',
      'Have the bank start processing a withdrawal.',
      [200, 'Withdrawal'],
      MOVES,
    ),
    'POST withdrawals/{id}/settle': operation(
      'settleWithdrawal',
      'Have the banking network settle a withdrawal.',
      [200, 'Withdrawal'],
      MOVES,
    ),
    'POST withdrawals/{id}/fail': operation(
      'failWithdrawal',
      'Have a withdrawal rejected before it settles.',
      [200, 'Withdrawal'],
      MOVES,
    ),
    'POST withdrawals/{id}/return': operation(
      'returnWithdrawal',
      'Have the destination bank return a settled withdrawal.',
      [200, 'Withdrawal'],
      MOVES,
    ),
  }),
};
