import { CHARGE_STATUSES } from '../../core/transitions.js';
import type { ChargeView } from '../../http/control/schema.js';
import { paymentCommands } from '../payment-commands.js';
import { chargeColumns, chargeText } from '../present/payments.js';

export const { list, show, create, move } = paymentCommands<ChargeView>({
  what: 'charge',
  statuses: CHARGE_STATUSES,
  columns: chargeColumns,
  text: chargeText,
});
