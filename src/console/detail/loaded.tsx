import type { Child } from 'hono/jsx';
import { SandboxError } from '../../client/control.js';
import type { Console } from '../model/console.js';
import { problemOf } from '../model/console.js';
import type { Loaded } from '../model/resources.js';
import type { Words } from '../words/words.js';

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

/** Facts by the names that the words have for them, as in a table of two columns. */
export function Facts({
  model,
  facts,
}: {
  model: Console;
  facts: readonly (readonly [name: keyof Words['facts'], value: Child])[];
}) {
  return <NamedValues values={facts.map(([name, value]) => [model.words.facts[name], value])} />;
}

/** Names of any kind with their values; without a value a name is left out. */
export function NamedValues({ values }: { values: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {values
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
