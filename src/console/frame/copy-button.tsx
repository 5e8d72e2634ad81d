import type { Console } from '../model/console.js';

/** Copies a text; `label` says what, where the word alone is not enough, and `name` says it to a screen reader alone. */
export function CopyButton({
  model,
  text,
  label,
  name,
}: {
  model: Console;
  text: string;
  label?: string;
  name?: string;
}) {
  const { words } = model;
  const copy = () => {
    void copyText(text).then(() => model.say({ text: words.copied, isError: false }));
  };
  return (
    <button type="button" class="quiet" aria-label={name} onClick={copy}>
      {label ?? words.copy}
    </button>
  );
}

/** Plain HTTP off loopback has no clipboard, but selected text can still be copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
