import { Dialog } from '../frame/dialog.js';
import type { Console } from '../model/console.js';

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ model }: { model: Console }) {
  const { question } = model;
  if (question === undefined) return null;
  const { text, label, action, next } = question;
  const confirm = async () => {
    model.open(undefined);
    if ((await model.act(action)) && next !== undefined) model.go(next);
  };
  return (
    <Dialog model={model} title={label}>
      <p>{text}</p>
      <button type="button" class="main" onClick={() => void confirm()}>
        {label}
      </button>
    </Dialog>
  );
}
