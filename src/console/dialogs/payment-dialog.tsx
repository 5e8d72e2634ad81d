import { Dialog } from '../frame/dialog.js';
import { appChoices } from '../frame/app-field.js';
import type { Console } from '../model/console.js';
import { ActionForm } from './action-form.js';
import { paymentAction } from './payment-action.js';
import type { Payment } from './payment-fields.js';
import { appFields, paymentFields } from './payment-fields.js';

const USUAL_AMOUNT = '10.00';

/** Makes a charge, and opens it. */
export function ChargeDialog({ model }: { model: Console }) {
  return <PaymentDialog model={model} payment="charge" />;
}

/** Makes a withdrawal, and opens it. */
export function WithdrawalDialog({ model }: { model: Console }) {
  return <PaymentDialog model={model} payment="withdrawal" />;
}

function PaymentDialog({ model, payment }: { model: Console; payment: Payment }) {
  const { words } = model;
  const { add, send } = words.payments[payment];
  return (
    <Dialog model={model} title={add}>
      <ActionForm
        model={model}
        id={payment}
        fields={() => [
          ...paymentFields(words, payment, USUAL_AMOUNT),
          ...appFields(words, appChoices(model), true),
        ]}
        prepare={(values) => paymentAction(words, payment, values)}
        send={send}
        onDone={(form, { id }) => {
          form.closest('dialog')?.close();
          model.go(`/${payment}s/${id}`);
        }}
      />
    </Dialog>
  );
}
