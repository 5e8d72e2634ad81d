import { CHARGE_STATUSES } from '../../../contract/transitions.js';
import { paymentFolder } from '../../payments/payment-folder.js';
import { NEW_CHARGE } from '../../payments/payment-options.js';

export default paymentFolder({
  what: 'charge',
  about: 'the charges: list, show, create, and the payer’s side',
  related: ['trigger', 'events', 'kyc'],
  statuses: CHARGE_STATUSES,
  fields: NEW_CHARGE,
  create: {
    summary: 'create a charge without signing a request',
    examples: ['--amount 10.00 --code order-1', '--amount 99.90 --metadata order=7'],
  },
  moves: {
    settle: {
      summary: 'the payer pays',
      description: 'An expired charge can still be paid within its late window.',
    },
    fail: { summary: 'the payment fails', fails: true },
    expire: { summary: 'the time to pay ends now' },
  },
  exampleCode: 'order-1',
});
