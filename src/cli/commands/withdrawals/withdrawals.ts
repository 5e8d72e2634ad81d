import { WITHDRAWAL_STATUSES } from '../../../contract/transitions.js';
import type { WithdrawalView } from '../../../http/control/schema.js';
import { paymentCommands } from '../../payments/payment-commands.js';
import { withdrawalColumns, withdrawalText } from '../../payments/text.js';

export const { list, show, create, move } = paymentCommands<WithdrawalView>({
  what: 'withdrawal',
  statuses: WITHDRAWAL_STATUSES,
  columns: withdrawalColumns,
  text: withdrawalText,
});
