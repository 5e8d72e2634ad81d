import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import { commandLine } from '../model/command.js';
import type { Words } from '../words/words.js';
import type { Prepared, Values } from './form.js';
import { filled } from './form.js';
import type { Payment } from './payment-fields.js';
import { paymentGiven } from './payment-fields.js';

/** Makes a charge or a withdrawal as its form is filled in. Without an amount the command would ask for one. */
export function paymentAction(
  { payments }: Words,
  payment: Payment,
  values: Values,
): Prepared<ChargeView | WithdrawalView> {
  const app = filled(values, 'app');
  const { body, options, problems } = paymentGiven(values, payment);
  return {
    done: payments[payment].created,
    command: commandLine(`${payment}s create`, [], { ...options, app }),
    run: (client) =>
      payment === 'charge'
        ? client.post('charges', { app, body })
        : client.post('withdrawals', { app, body }),
    problems: body.amount === undefined ? { ...problems, amount: payments.amountNeeded } : problems,
  };
}
