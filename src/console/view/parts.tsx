import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { SandboxError } from '../../client/control.js';
import { resolveScheme } from '../../contract/request-scheme.js';
import type { EndpointView } from '../../http/control/schema.js';
import { indentJson } from '../../text/json.js';
import { parseListenerTarget } from '../../text/listener-name.js';
import type { Action } from '../model/actions.js';
import { describeProblem } from '../model/console.js';
import { toAppChoices, type FieldChoice } from '../model/forms.js';
import type { LoadState } from '../model/resources.js';
import { type StatusLabel, labelState, type Tone } from '../model/rows.js';
import { type FieldName, consoleTexts } from '../words.js';
import { model } from './screen.js';

// The parts of which pages are built. Functions draw plain parts; components have a state of their own.

export const TONE_SIGNS = { good: '✓', bad: '✗', waiting: '○', plain: '' } as const;

/** Renders a status: a sign readable without color, and the word. */
export function renderStatus({ text, tone }: StatusLabel) {
  return text === '' ? null : (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{TONE_SIGNS[tone]} </span>
      {text}
    </span>
  );
}

export const renderToned = (text: string, isGood: boolean, other: Tone = 'bad') =>
  renderStatus({ text, tone: isGood ? 'good' : other });
export const renderState = (state: string) => renderStatus(labelState(state));
export const renderFaint = (text: Child) => <span class="faint">{text}</span>;

interface LinkAttributes {
  readonly class?: string;
  readonly tabIndex?: number;
  readonly isCurrent?: boolean;
}

/** A link within the console: a plain click stays on the page, and anything else is left to the browser. */
export function renderLink(to: string, text: Child, { isCurrent = false, ...rest }: LinkAttributes = {}) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    model.go(to);
  };
  return (
    <a href={to} aria-current={isCurrent ? 'page' : undefined} onClick={onClick} {...rest}>
      {text}
    </a>
  );
}

interface ButtonAttributes {
  readonly kind?: 'main' | 'quiet' | 'danger' | 'quiet close' | undefined;
  /** For screen readers, after the label. */
  readonly of?: string | undefined;
  readonly shortcut?: string | undefined;
  readonly disabled?: boolean | undefined;
}

export function renderButton(label: string, onClick: () => void, more: ButtonAttributes = {}) {
  const { kind, of, shortcut, disabled } = more;
  const name = of === undefined ? undefined : `${label} ${of}`;
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

interface ActionAttributes<Result> extends ButtonAttributes {
  readonly asks?: string;
  readonly onDone?: (result: Result) => void;
}

/** Does an action; disabled where there is none. */
export function renderActionButton<Result>(
  label: string,
  action: Action<Result> | undefined,
  { asks, onDone, ...more }: ActionAttributes<Result> = {},
) {
  const kind = asks === undefined ? undefined : 'danger';
  if (action === undefined) return renderButton(label, () => {}, { ...more, disabled: true });
  const confirm = () => void model.act(action, label).then((done) => done && onDone?.(done.result));
  const press = asks === undefined ? confirm : () => model.confirm({ text: asks, label, confirm });
  return renderButton(label, press, { kind, ...more });
}

export function renderCopyButton(text: string, of?: string, label = consoleTexts.copy): Child {
  const copy = () => void copyText(text).then(() => model.notify({ text: consoleTexts.copied }));
  return renderButton(label, copy, { kind: 'quiet', of });
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

/** A command to copy, after a text; its beginning names it for screen readers. */
export const renderCommand = (line: string, before = '', of = line.split(' ', 4).join(' ')) => (
  <p class="command">
    {before} <code>{line}</code> {renderCopyButton(line, of)}
  </p>
);

/** A secret, which is not on the page until it is asked for; it can be copied without being shown. */
export function Secret({ name, value }: { name: string; value: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span>
      <code>{isShown ? value : '••••••••'}</code>{' '}
      {renderButton(isShown ? consoleTexts.hide : consoleTexts.show, () => setShown(!isShown), {
        kind: 'quiet',
        of: name,
      })}
      {renderCopyButton(value, name)}
    </span>
  );
}

export const renderOptions = (choices: readonly FieldChoice[], value?: string) =>
  choices.map(([name, text]) => (
    <option key={name} value={name} selected={name === value}>
      {text}
    </option>
  ));

export function renderSelect(
  label: string,
  choices: readonly FieldChoice[],
  value: string | undefined,
  onChoose: (value: string) => void,
) {
  return (
    <label>
      <span>{label}</span>{' '}
      <select onChange={(event: Event) => onChoose((event.target as HTMLSelectElement).value)}>
        {renderOptions(choices, value)}
      </select>
    </label>
  );
}

/** Draws a response when it is there; says so while it is not, or why it cannot be. */
export function renderReady<Value>({ value, error }: LoadState<Value>, draw: (value: Value) => Child) {
  if (error !== undefined) {
    const isGone = value !== undefined && error instanceof SandboxError && error.status === 404;
    const { text, hint } = describeProblem(error);
    return renderProblem(isGone ? consoleTexts.gone : `${text} ${hint ?? ''}`);
  }
  return value === undefined ? renderEmpty(consoleTexts.loading) : <>{draw(value)}</>;
}

export const renderEmpty = (text: Child) => <p class="empty">{text}</p>;

export const renderProblem = (text: Child) => (
  <p class="problem" role="alert">
    {text}
  </p>
);

/** A part of a page with its title; a detail of a title follows it. */
export function renderSection(title: string, content: Child, after?: Child) {
  return (
    <section aria-label={title}>
      <h3>
        {title} {after}
      </h3>
      {content}
    </section>
  );
}

/** A fact by its name in the row, or with its own content. */
export type RowFact = FieldName | readonly [name: FieldName, value: Child];

/** Facts of a row with their labels; one without a value is left out. */
export function renderFacts(of: readonly RowFact[], row: object = {}) {
  const labeled = of.map((fact): readonly [string, Child] => {
    const [name, value] = typeof fact === 'string' ? [fact, valueIn(row, fact)] : fact;
    return [consoleTexts.names[name], value];
  });
  return renderNamedValues(labeled);
}

/** A value of a row as it is shown: instants of sandbox time in words, states with their color. */
function valueIn(row: object, name: FieldName) {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  if (name === 'status') return renderState(value as string);
  if (Array.isArray(value)) return value.join(', ');
  return name.endsWith('_at') && typeof value === 'string' ? consoleTexts.instant(value) : (value as Child);
}

export function renderNamedValues(values: readonly (readonly [name: string, value: Child])[]) {
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

/** An open row: its title with its state, what can be done with it, and its facts. */
export function renderArticle(
  title: readonly Child[],
  buttons: readonly Child[],
  ...content: readonly Child[]
) {
  return (
    <article>
      <h2>
        {title[0]} {title[1]}
      </h2>
      <div class="buttons">{buttons}</div>
      {content}
    </article>
  );
}

/** A column by its name in the rows, or with its own cells; the first one names the row. */
export type TableColumn<Row> = FieldName | readonly [name: FieldName, cell: (row: Row) => Child];

const AMOUNTS: ReadonlySet<FieldName> = new Set(['amount', 'balance']);

/** Rows with their columns; `none` is shown where there are none. */
export function renderTable<Row extends { readonly id: string } | { readonly name: string }>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  { none = consoleTexts.none, isCurrent }: { none?: string; isCurrent?: (row: Row) => boolean } = {},
) {
  if (rows.length === 0) return renderEmpty(none);
  const all = columns.map((column) => {
    const name = typeof column === 'string' ? column : column[0];
    const cell = typeof column === 'string' ? (row: Row) => valueIn(row, name) : column[1];
    return { title: consoleTexts.names[name], cell, kind: AMOUNTS.has(name) ? 'amount' : undefined };
  });
  return (
    <table class="list">
      <thead>
        <tr>
          {all.map(({ title, kind }) => (
            <th key={title} scope="col" class={kind}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={'id' in row ? row.id : row.name} class={isCurrent?.(row) === true ? 'current' : undefined}>
            {all.map(({ title, cell, kind }, index) => {
              const Cell = index === 0 ? 'th' : 'td';
              return (
                <Cell key={title} scope={index === 0 ? 'row' : undefined} class={kind}>
                  {cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Deliveries as links with their states; `textOf` says which, and `moreOf` follows the state. */
export function renderDeliveryList<Row extends { readonly id: string; readonly status: string }>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  moreOf?: (row: Row) => string,
) {
  if (rows.length === 0) return renderEmpty(consoleTexts.live.nobody);
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.id}>
          {renderLink(`/deliveries/${row.id}`, textOf(row))} {renderState(row.status)}{' '}
          {renderFaint(moreOf?.(row))}
        </li>
      ))}
    </ul>
  );
}

/** Renders text scrollable from the keyboard and copyable; JSON over several lines. */
export const renderText = (name: string, content: string) => (
  <>
    <pre tabIndex={0} aria-label={name}>
      {indentJson(content)}
    </pre>
    {renderCopyButton(content, name)}
  </>
);

export const listAppChoices = () => toAppChoices(model.resources.get('apps').value?.data);

export function getSigningScheme() {
  const data = model.resources.get('assumptions').value?.data;
  return data && resolveScheme((id) => data.find((one) => one.id === id)?.value);
}

/**
 * Formats the target of an endpoint: its URL, its listener's forward target, or the listener's description.
 */
export function formatTarget({ transport, description, url }: EndpointView): string {
  if (transport !== 'listener') return url;
  return parseListenerTarget(description)?.target ?? description ?? url;
}
