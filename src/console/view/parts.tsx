import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { SandboxError } from '../../client/control.js';
import type { DeliveryLine } from '../../http/control/schema.js';
import type { Action } from '../model/actions.js';
import { problemOf } from '../model/console.js';
import type { Choice } from '../model/forms.js';
import type { Loaded } from '../model/resources.js';
import type { Outcome } from '../model/rows.js';
import { stateOutcome } from '../model/rows.js';
import type { Words } from '../words/words.js';
import { model, words } from './screen.js';

export const SIGNS = { good: '✓', bad: '✗', waiting: '○', plain: '' } as const;

/** How something ended: a sign for those who do not see the color, and the word. */
export function Ending({ text, tone }: Outcome) {
  return text === '' ? null : (
    <span class={`ending ${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]} </span>
      {text}
    </span>
  );
}

export function State({ of }: { of: string }) {
  return <Ending {...stateOutcome(of)} />;
}

/** A link within the console: a plain click stays on the page, and anything else is left to the browser. */
export function Link({
  to,
  current,
  ...rest
}: {
  to: string;
  current?: 'page' | 'true' | undefined;
  class?: string;
  tabIndex?: number;
  children?: Child;
}) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    model.go(to);
  };
  return <a href={to} aria-current={current} onClick={onClick} {...rest} />;
}

/**
 * A button that does one thing; `name` is for screen readers, and `shortcut` presses it from the keyboard.
 */
export function Button({
  label,
  onClick,
  kind,
  name,
  shortcut,
  disabled,
}: {
  label: Child;
  onClick: () => void;
  kind?: 'main' | 'quiet' | 'quiet close' | undefined;
  name?: string | undefined;
  shortcut?: string | undefined;
  disabled?: boolean | undefined;
}) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={name}
      data-key={shortcut}
      disabled={disabled}
      onClick={onClick}
    >
      {label}
    </button>
  );
}

/** Does an action; `asks` is asked before, where it cannot be undone. */
export function ActionButton<Result>({
  action,
  asks,
  onDone,
  disabled,
  ...button
}: {
  action: Action<Result> | undefined;
  label: string;
  asks?: string;
  onDone?: (result: Result) => void;
  kind?: 'main' | 'quiet' | undefined;
  name?: string;
  shortcut?: string;
  disabled?: boolean;
}) {
  const press = () => {
    if (action === undefined) return;
    const confirm = () => void model.act(action).then((done) => done && onDone?.(done.result));
    if (asks === undefined) confirm();
    else model.ask({ text: asks, label: button.label, confirm });
  };
  return <Button {...button} disabled={disabled === true || action === undefined} onClick={press} />;
}

/**
 * Copies a text; `label` says what, where the word "Copy" is not enough, and `name` says it to screen
 * readers only.
 */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  const copy = () => void copyText(text).then(() => model.say({ text: words.copied, isError: false }));
  return <Button kind="quiet" label={label ?? words.copy} name={name} onClick={copy} />;
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

/** A command to copy. */
export function Command({ text, name }: { text: string; name?: string }) {
  return (
    <>
      <code>{text}</code> <CopyButton text={text} name={name ?? `${words.copy} ${text}`} />
    </>
  );
}

const MASK = '••••••••';

/** A secret, which is not on the page until it is asked for; it can be copied without being shown. */
export function Secret({ name, value }: { name: string; value: string }) {
  const [isShown, setShown] = useState(false);
  const { secret, copy } = words;
  return (
    <span class="secret">
      <code>{isShown ? value : MASK}</code>{' '}
      <Button
        kind="quiet"
        label={isShown ? secret.hide : secret.show}
        name={isShown ? secret.hideNamed(name) : secret.showNamed(name)}
        onClick={() => setShown(!isShown)}
      />
      <CopyButton text={value} name={`${copy} ${name}`} />
    </span>
  );
}

/** A choice that takes effect immediately. */
export function Select({
  label,
  isLabelHidden = false,
  choices,
  value,
  onChoose,
}: {
  label: Child;
  isLabelHidden?: boolean;
  choices: readonly Choice[];
  value?: string | undefined;
  onChoose: (value: string) => void;
}) {
  return (
    <label>
      <span class={isLabelHidden ? 'hidden' : undefined}>{label}</span>{' '}
      <select onChange={(event: Event) => onChoose((event.target as HTMLSelectElement).value)}>
        {choices.map(([name, text]) => (
          <option key={name} value={name} selected={name === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Draws a response when it is there; says so while it is not, or why it cannot be. */
export function ready<Value>({ value, error }: Loaded<Value>, draw: (value: Value) => Child): Child {
  if (error !== undefined) {
    const isGone = value !== undefined && error instanceof SandboxError && error.status === 404;
    const { text, hint } = problemOf(error);
    return <Problem>{isGone ? words.gone : `${text} ${hint ?? ''}`}</Problem>;
  }
  return value === undefined ? <p class="empty">{words.loading}</p> : <>{draw(value)}</>;
}

/** Something wrong, which screen readers announce. */
export function Problem({ children }: { children?: Child }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** A part of a page with its title. */
export function Section({ title, children }: { title: string; children?: Child }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Names with their values, as in a table of two columns; a name without a value is left out. */
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

export type Fact = readonly [name: keyof Words['facts'], value: Child];

export function Facts({ of }: { of: readonly Fact[] }) {
  return <NamedValues values={of.map(([name, value]) => [words.facts[name], value])} />;
}

/** An instant of sandbox time; undefined where there is none. */
export function instantOf(iso: string | null): string | undefined {
  return iso === null ? undefined : words.instant(iso);
}

/** A column of a table: its title, and its cell in a row. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Child;
  readonly isAmount?: boolean;
  /** Whether it names the row. */
  readonly isHeader?: boolean;
}

export function Table<Row extends { readonly id: string }>({
  columns,
  rows,
  isCurrent = () => false,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  isCurrent?: (row: Row) => boolean;
}) {
  const classOf = ({ isAmount }: Column<Row>) => (isAmount === true ? 'amount' : undefined);
  return (
    <table class="list">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} class={isCurrent(row) ? 'current' : undefined}>
            {columns.map((column) =>
              column.isHeader === true ? (
                <th key={column.title} scope="row">
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Deliveries as links, each with its state; `text` says which, and `more` follows the state. */
export function DeliveryList<Row extends Pick<DeliveryLine, 'id' | 'status'>>({
  title,
  rows,
  text,
  more,
}: {
  title: string;
  rows: readonly Row[];
  text: (row: Row) => string;
  more?: (row: Row) => string;
}) {
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Link to={`/deliveries/${row.id}`}>{text(row)}</Link> <State of={row.status} />{' '}
            <span class="faint">{more?.(row)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A text that can be scrolled from the keyboard and copied. */
export function Text({ name, text, children }: { name: string; text: string; children?: Child }) {
  return (
    <>
      <pre tabIndex={0} aria-label={name}>
        {children ?? text}
      </pre>
      <CopyButton text={text} />
    </>
  );
}

/** JSON over several lines; anything else, and what would change in it, as it is. */
export function prettyJson(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
