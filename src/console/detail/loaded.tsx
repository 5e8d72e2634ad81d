import type { Child } from 'hono/jsx';
import { SandboxError } from '../../client/control.js';
import type { Console } from '../model/console.js';
import { problemOf } from '../model/console.js';
import type { Loaded } from '../model/resources.js';

/** Something opened beside the list, by its id; `attempt` is the one that the address names. */
export type DetailOf = (props: { model: Console; id: string; attempt: number | undefined }) => Child;

/** Draws an answer when it is there; says so while it is not, or why it cannot be. */
export function Ready<Value>({
  model,
  loaded: { value, error },
  children,
}: {
  model: Console;
  loaded: Loaded<Value>;
  children: (value: Value) => Child;
}) {
  const { words } = model;
  if (error !== undefined) {
    const isGone = value !== undefined && error instanceof SandboxError && error.status === 404;
    const { text, hint } = problemOf(error);
    return (
      <p class="problem" role="alert">
        {isGone ? words.gone : text} {isGone ? undefined : hint}
      </p>
    );
  }
  return value === undefined ? <p class="empty">{words.loading}</p> : <>{children(value)}</>;
}

/** Names with their values, as in a table of two columns. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
