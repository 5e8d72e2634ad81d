import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { SandboxError } from '../../client/control.js';
import { resolveScheme } from '../../contract/request-scheme.js';
import type { EndpointView } from '../../http/control/schema.js';
import type { EntryView } from '../../http/control/timeline.js';
import { indentJson } from '../../text/json.js';
import { parseListenerTarget } from '../../text/listener-name.js';
import type { Action } from '../model/actions.js';
import { describeProblem } from '../model/console.js';
import { toAppChoices, type FieldChoice } from '../model/forms.js';
import type { LoadState } from '../model/resources.js';
import { type StatusLabel, labelExchange, labelState, type Tone } from '../model/rows.js';
import { type FieldName, consoleTexts } from '../words.js';
import { model } from './screen.js';

// Building blocks of pages. Functions render stateless parts; components have state.

/** Maximum segments in an attempt bar. */
const MOST_SEGMENTS = 8;

export const TONE_SIGNS = { good: '✓', bad: '✗', waiting: '○', plain: '' } as const;

/** Renders a status as a word, with a sign that is readable without color. */
export function renderStatus({ text, tone }: StatusLabel) {
  return text === '' ? null : (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{TONE_SIGNS[tone]} </span>
      {text}
    </span>
  );
}

/** Renders the last attempts as segments, with their outcomes as the accessible name. */
export function renderAttemptBar(attempts: readonly EntryView[]) {
  const shown = attempts.slice(-MOST_SEGMENTS).map(labelExchange);
  const name = `${consoleTexts.detail.attempts}: ${shown.map(({ text }) => text).join(', ')}`;
  return shown.length === 0 ? null : (
    <span class="bar" role="img" aria-label={name} title={name}>
      {shown.map(({ tone }) => (
        <i class={tone} />
      ))}
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

/** Renders a link within the console. Handles plain clicks and leaves all other clicks to the browser. */
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
  /** Text that follows the label for screen readers. */
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

/** Renders a button that runs an action; disabled without an action. */
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

/** Renders one-click actions with their labels. */
export function renderPresets<Name extends string>(
  presets: Readonly<Record<Name, Action>>,
  labels: Readonly<Record<Name, string>>,
  onDone?: () => void,
) {
  const names = Object.keys(presets) as Name[];
  return (
    <div class="presets">
      {names.map((name) => renderActionButton(labels[name], presets[name], { onDone }))}
    </div>
  );
}

export function renderCopyButton(text: string, of?: string, label = consoleTexts.copy): Child {
  const copy = () => void copyText(text).then(() => model.notify({ text: consoleTexts.copied }));
  return renderButton(label, copy, { kind: 'quiet', of });
}

/** Copies text. Falls back to a selection, because plain HTTP off loopback has no clipboard API. */
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

/** Renders a copyable command after `before`. `of` names the command for screen readers. */
export const renderCommand = (line: string, before = '', of = line.split(' ', 4).join(' ')) => (
  <p class="command">
    {before} <code>{line}</code> {renderCopyButton(line, of)}
  </p>
);

/** Renders a copyable secret. The secret is added to the document only when the user shows it. */
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

/** Renders a response, a loading message or an error. */
export function renderReady<Value>({ value, error }: LoadState<Value>, draw: (value: Value) => Child) {
  if (error !== undefined) {
    const isGone = value !== undefined && error instanceof SandboxError && error.status === 404;
    const { text, hint } = describeProblem(error);
    return renderProblem(isGone ? consoleTexts.gone : `${text} ${hint ?? ''}`);
  }
  return value === undefined ? renderEmpty(consoleTexts.loading) : <>{draw(value)}</>;
}

/** Renders an empty state with an optional next action. */
export const renderEmpty = (text: Child, action?: Child) => (
  <div class="empty">
    <p>{text}</p>
    {action}
  </div>
);

/** Renders the figures above a page, each with a label and an optional tone. */
export const renderSummary = (figures: readonly (readonly [label: string, value: Child, tone?: Tone])[]) => (
  <div class="summary">
    {figures.map(([label, value, tone = 'plain']) => (
      <div key={label} class="card">
        <strong class={tone}>{value}</strong> {renderFaint(label)}
      </div>
    ))}
  </div>
);

/** Renders an error with its cause, fix and next steps, in this order. */
export const renderCallout = (headline: Child, ...content: readonly Child[]) => (
  <div class="callout bad" role="alert">
    <p>{headline}</p>
    {content}
  </div>
);

export const renderProblem = (text: Child) => (
  <p class="problem" role="alert">
    {text}
  </p>
);

/** Renders a section with its title; `after` follows the title. */
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

/** A field of the row, or a field name with custom content. */
export type RowFact = FieldName | readonly [name: FieldName, value: Child];

/** Renders a row's fields with labels. Omits fields without a value. */
export function renderFacts(of: readonly RowFact[], row: object = {}) {
  const labeled = of.map((fact): readonly [string, Child] => {
    const [name, value] = typeof fact === 'string' ? [fact, valueIn(row, fact)] : fact;
    return [consoleTexts.names[name], value];
  });
  return renderNamedValues(labeled);
}

/** Formats a row's value: instants in sandbox time, statuses in color. */
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

/** Renders an open row: title, status, actions and fields. */
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

/** A field of the rows, or a field name with custom cells. The first column identifies the row. */
export type TableColumn<Row> = FieldName | readonly [name: FieldName, cell: (row: Row) => Child];

const AMOUNTS: ReadonlySet<FieldName> = new Set(['amount', 'balance']);

/** Renders a table, or `none` if there are no rows. */
export function renderTable<Row extends { readonly id: string } | { readonly name: string }>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  {
    none = consoleTexts.none,
    action,
    isCurrent,
  }: { none?: string; action?: Child; isCurrent?: (row: Row) => boolean } = {},
) {
  if (rows.length === 0) return renderEmpty(none, action);
  const all = columns.map((column) => {
    const name = typeof column === 'string' ? column : column[0];
    const cell = typeof column === 'string' ? (row: Row) => valueIn(row, name) : column[1];
    return { title: consoleTexts.names[name], cell, kind: AMOUNTS.has(name) ? 'amount' : undefined };
  });
  return (
    <div class="card flush">
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
            <tr
              key={'id' in row ? row.id : row.name}
              class={isCurrent?.(row) === true ? 'current' : undefined}
            >
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
    </div>
  );
}

/**
 * Renders links to deliveries with their statuses. `textOf` returns the link text, `moreOf` the text after
 * the status.
 */
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

/** Renders copyable text that scrolls with the keyboard. JSON is formatted and colored. */
export const renderText = (name: string, content: string) => (
  <>
    <pre tabIndex={0} aria-label={name}>
      {colorJson(indentJson(content, shortenImage))}
    </pre>
    {renderCopyButton(content, name)}
  </>
);

/** Longer text is shown without colors. */
const MOST_COLORED = 20_000;
const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g;

/** Splits JSON into tokens with color classes. Returns any other text unchanged. */
function colorJson(text: string): Child {
  if (!/^[[{]/.test(text) || text.length > MOST_COLORED) return text;
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(JSON_TOKEN)) {
    const kind = string === undefined ? 'other' : colon === undefined ? 'string' : 'key';
    parts.push(text.slice(end, index), <span class={kind}>{string ?? token}</span>, colon ?? '');
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
}

/** Shortens a charge's image, which would fill the page. The copied text remains complete. */
function shortenImage(key: string, value: unknown): unknown {
  const isLong = key === 'qr_code_base64' && typeof value === 'string' && value.length > 40;
  return isLong ? `${value.slice(0, 24)}…` : value;
}

export const listAppChoices = () => toAppChoices(model.resources.get('apps').value?.data);

export function getSigningScheme() {
  const data = model.resources.get('assumptions').value?.data;
  return data && resolveScheme((id) => data.find((one) => one.id === id)?.value);
}

/** Formats an endpoint's target: the URL, or a listener's forward target or description. */
export function formatTarget({ transport, description, url }: EndpointView): string {
  if (transport !== 'listener') return url;
  return parseListenerTarget(description)?.target ?? description ?? url;
}
