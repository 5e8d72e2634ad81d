import { WITHDRAWAL_STATUSES } from '../../../contract/transitions.js';
import { paymentFolder } from '../../payments/payment-folder.js';
import { NEW_WITHDRAWAL } from '../../payments/payment-options.js';

export default paymentFolder({
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
