import { EVENT_TYPES } from '../../contract/events.js';
import { Dialog } from '../frame/dialog.js';
import { appChoices } from '../frame/app-field.js';
import type { Console } from '../model/console.js';
import type { Field, Values } from './form.js';
import { ActionForm } from './action-form.js';
import { filled } from './form.js';
import type { Payment } from './payment-fields.js';
import { appFields, paymentFields, reasonField } from './payment-fields.js';
import { subjectOf, triggerAction } from './trigger-action.js';

const SUGGESTED = 50;

/** Triggers an event of a new or an existing charge or withdrawal, with the payload changed where asked. */
export function TriggerDialog({ model }: { model: Console }) {
  const { words } = model;
  return (
    <Dialog model={model} title={words.trigger.title}>
      <ActionForm
        model={model}
        id="trigger"
        fields={(values) => fieldsOf(model, values)}
        prepare={(values) => triggerAction(words, values)}
        send={words.trigger.send}
        onDone={(form) => form.closest('dialog')?.close()}
      />
    </Dialog>
  );
}

function fieldsOf(model: Console, values: Values): Field[] {
  const { words } = model;
  const { fields, byDefault } = words.payments;
  const type = values['type'] ?? EVENT_TYPES[0];
  const subject = subjectOf(type);
  const isNew = filled(values, subject) === undefined;
  const types = EVENT_TYPES.map((name) => [name, name] as const);
  return [
    { name: 'type', label: words.trigger.event, help: fields.type.help, input: 'choice', choices: types },
    { name: subject, ...fields[subject], input: 'text', suggestions: codesOf(model, subject) },
    ...(type.endsWith('.failed') ? [reasonField(words, byDefault)] : []),
    ...(type === 'pix.settled' ? [{ name: 'late', ...fields.late, input: 'flag' } as const] : []),
    ...(isNew ? paymentFields(words, subject) : []),
    ...appFields(words, appChoices(model), isNew),
    { name: 'override', ...fields.override, input: 'lines' },
    { name: 'count', ...fields.count, input: 'text' },
  ];
}

/** The codes of the newest charges or withdrawals. */
function codesOf({ resources }: Console, subject: Payment): string[] {
  const { value } = resources.read(
    `codes of ${subject}`,
    (client) => client.get(`${subject}s`, { limit: SUGGESTED }),
    ({ resource }) => resource === subject,
  );
  return value?.data.map(({ code }) => code) ?? [];
}
