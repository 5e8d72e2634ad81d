import type { Console } from '../model/console.js';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Says what the sandbox refused beside the field that it names, and puts the keyboard there: in the form that was sent last.
 * A form that draws its problems itself only gets the keyboard.
 */
export function listenForRefusals(model: Console): void {
  let sent: HTMLFormElement | undefined;
  let marked: Input[] = [];
  const clear = () => {
    for (const input of marked) input.setCustomValidity('');
    marked = [];
  };
  document.addEventListener('submit', ({ target }) => {
    sent = target as HTMLFormElement;
  });
  // Else the browser would not let the form be sent again.
  document.addEventListener('click', clear, true);
  document.addEventListener('input', clear, true);
  model.onRefused = (details) => {
    if (sent?.isConnected !== true) return;
    for (const { field, message } of details) {
      const input = inputOf(sent, field);
      if (input === undefined) continue;
      if (sent.noValidate) {
        input.focus();
        return;
      }
      input.setCustomValidity(message);
      marked.push(input);
    }
    marked[0]?.reportValidity();
  };
}

/** The input for a field of the request; those of an object within it are inputs of the same form. */
function inputOf(form: HTMLFormElement, field: string): Input | undefined {
  const found = form.elements.namedItem(field) ?? form.elements.namedItem(field.replace(/^with\./, ''));
  const isInput =
    found instanceof HTMLInputElement ||
    found instanceof HTMLSelectElement ||
    found instanceof HTMLTextAreaElement;
  return isInput ? found : undefined;
}
