import { WITHDRAWAL_STATUSES } from '../../core/transitions.js';
import type { WithdrawalView } from '../../http/control/schema.js';
import { paymentCommands } from '../payment-commands.js';
import { withdrawalColumns, withdrawalText } from '../present/payments.js';

export const { list, show, create, move } = paymentCommands<WithdrawalView>({
  what: 'withdrawal',
  statuses: WITHDRAWAL_STATUSES,
  columns: withdrawalColumns,
  text: withdrawalText,
});
