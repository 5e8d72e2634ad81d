import type { Action } from '../model/actions.js';
import type { Console } from '../model/console.js';

/** Does one thing; `asks` is what is asked before, where it cannot be undone, `next` where the page goes then, and `name` what a screen reader says. */
export function ActionButton({
  model,
  action,
  label,
  name,
  asks,
  next,
  disabled,
}: {
  model: Console;
  action: Action;
  label: string;
  name?: string;
  asks?: string;
  next?: string;
  disabled?: boolean;
}) {
  const press = () => {
    if (asks === undefined) void model.act(action);
    else model.ask({ text: asks, label, action, next });
  };
  return (
    <button type="button" aria-label={name} disabled={disabled} onClick={press}>
      {label}
    </button>
  );
}
