import type { Child } from 'hono/jsx';
import type { Console } from '../model/console.js';

/** A dialog over the page: Escape and its button close it, and the focus goes back to where it was. */
export function Dialog({ model, title, children }: { model: Console; title: string; children?: Child }) {
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
          {model.words.close}
        </button>
      </form>
    </dialog>
  );
}
