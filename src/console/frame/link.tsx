import type { Child } from 'hono/jsx';
import type { Console } from '../model/console.js';

/** A link within the console: a plain click stays on the page, and anything else is the browser's. */
export function Link({
  model,
  to,
  current,
  name,
  children,
  ...rest
}: {
  model: Console;
  to: string;
  current?: 'page' | 'true' | undefined;
  name?: string;
  class?: string;
  tabIndex?: number;
  children?: Child;
}) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    model.go(to);
  };
  return (
    <a href={to} aria-current={current} aria-label={name} onClick={onClick} {...rest}>
      {children}
    </a>
  );
}
