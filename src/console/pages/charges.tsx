import { CHARGE_STATUSES } from '../../contract/transitions.js';
import type { Console } from '../model/console.js';
import { PaymentList } from './payment-list.js';

/** The charges, newest first. */
export function ChargesPage({ model }: { model: Console }) {
  return (
    <PaymentList
      model={model}
      payment="charge"
      statuses={CHARGE_STATUSES}
      load={(client, query) => client.get('charges', query)}
    />
  );
}
