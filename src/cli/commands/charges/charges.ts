import { CHARGE_STATUSES } from '../../../contract/transitions.js';
import type { ChargeView } from '../../../http/control/schema.js';
import { paymentCommands } from '../../payments/payment-commands.js';
import { chargeColumns, chargeText } from '../../payments/text.js';

export const { list, show, create, move } = paymentCommands<ChargeView>({
  what: 'charge',
  statuses: CHARGE_STATUSES,
  columns: chargeColumns,
  text: chargeText,
});
