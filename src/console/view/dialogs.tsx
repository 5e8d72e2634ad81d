import type { Child } from 'hono/jsx';
import type { DialogName } from '../model/console.js';
import type { FormSpec, Payment } from '../model/forms.js';
import { appChoices, paymentForm, replayForm, triggerForm } from '../model/forms.js';
import { readApps, readCall } from '../model/reads.js';
import { Form } from './form.js';
import { areKeysOn, GO_KEYS, KEYS, toggleKeys } from './keys.js';
import { Button } from './parts.js';
import { context, model, words } from './screen.js';

const DIALOGS: Readonly<Record<DialogName, () => Child>> = {
  trigger: () => <FormDialog title={words.trigger.title} form={triggerForm(context, apps(), codesOf)} />,
  keys: KeysDialog,
  replay: ReplayDialog,
  charge: () => paymentDialog('charge'),
  withdrawal: () => paymentDialog('withdrawal'),
  confirm: ConfirmDialog,
};

/** The open dialog. */
export function Dialogs() {
  if (model.dialog === undefined) return null;
  const Shown = DIALOGS[model.dialog];
  return <Shown />;
}

/** A dialog over the page: Escape and its button close it, and the focus goes back to where it was. */
function Dialog({ title, children }: { title: string; children?: Child }) {
  // The element is not in the page yet when its ref is set.
  const show = (dialog: HTMLDialogElement | null) =>
    queueMicrotask(() => {
      if (dialog?.isConnected === true && !dialog.open) dialog.showModal();
    });
  return (
    <dialog ref={show} aria-label={title} onClose={() => model.open(undefined)}>
      <h2>{title}</h2>
      {children}
      <form method="dialog">
        <button type="submit" class="quiet">
          {words.close}
        </button>
      </form>
    </dialog>
  );
}

/** A form that closes its dialog when it was sent. */
function FormDialog<Result>({
  title,
  form,
  onDone,
}: {
  title: string;
  form: FormSpec<Result>;
  onDone?: (result: Result) => void;
}) {
  const done = (result: Result, element: HTMLFormElement) => {
    element.closest('dialog')?.close();
    onDone?.(result);
  };
  return (
    <Dialog title={title}>
      <Form form={form} onDone={done} />
    </Dialog>
  );
}

function apps() {
  return appChoices(readApps(model).value?.data);
}

function paymentDialog(payment: Payment): Child {
  return (
    <FormDialog
      title={words.payments[payment].add}
      form={paymentForm(context, payment, apps())}
      onDone={({ id }) => model.go(`/${payment}s/${id}`)}
    />
  );
}

/** Sends the open request again with another body. */
function ReplayDialog() {
  const id = model.route.detail?.id ?? '';
  const body = readCall(model, id).value?.request?.body ?? '';
  return (
    <FormDialog
      title={words.detail.edit}
      form={replayForm(context, id, body)}
      onDone={(sent) => model.go(`/calls/${sent.id}#with-${id}`)}
    />
  );
}

const SUGGESTED = 50;

/** The codes of the newest charges or withdrawals. */
function codesOf(subject: Payment): string[] {
  const { value } = model.resources.read(
    `codes of ${subject}`,
    (client) => client.get(`${subject}s`, { limit: SUGGESTED }),
    ({ resource }) => resource === subject,
  );
  return value?.data.map(({ code }) => code) ?? [];
}

/** Asks before something that cannot be undone. */
function ConfirmDialog() {
  const { question } = model;
  if (question === undefined) return null;
  const { text, label } = question;
  const confirm = () => {
    model.open(undefined);
    question.confirm();
  };
  return (
    <Dialog title={label}>
      <p>{text}</p>
      <Button kind="main" label={label} onClick={confirm} />
    </Dialog>
  );
}

/** Every key with its meaning, and whether single keys do anything. */
function KeysDialog() {
  const { keys } = words;
  const lines = [
    ...Object.entries(KEYS).map(([key, { name }]) => [key, keys.names[name]] as const),
    ['Enter', keys.names.open] as const,
    ['Esc', keys.names.close] as const,
    ...Object.entries(GO_KEYS).map(
      ([key, section]) => [`g ${key}`, keys.names.go(words.sections[section])] as const,
    ),
  ];
  return (
    <Dialog title={keys.title}>
      <dl class="facts">
        {lines.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Button label={areKeysOn() ? keys.off : keys.on} onClick={toggleKeys} />
    </Dialog>
  );
}
