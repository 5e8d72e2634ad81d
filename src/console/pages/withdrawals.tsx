import { WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import type { Console } from '../model/console.js';
import { PaymentList } from './payment-list.js';

/** The withdrawals, newest first. */
export function WithdrawalsPage({ model }: { model: Console }) {
  return (
    <PaymentList
      model={model}
      payment="withdrawal"
      statuses={WITHDRAWAL_STATUSES}
      load={(client, query) => client.get('withdrawals', query)}
    />
  );
}
