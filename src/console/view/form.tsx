import { useState } from 'hono/jsx/dom';
import type { Failure, Field, FormSpec, Values } from '../model/forms.js';
import { failureOf } from '../model/forms.js';
import { words } from '../words.js';
import { command as commandOf, options, problem as alert } from './parts.js';
import { model } from './screen.js';

interface Draft {
  readonly values: Values;
  readonly failure?: Failure | undefined;
}

/**
 * A form for one action. It shows the command that does the same as it is filled in, and each problem next
 * to its field. One on a single line shows no command; the message about the action does.
 */
export function Form<Result>({
  form,
  isInline = false,
  isMain = true,
  resets = false,
  shortcut,
  name,
  onDone,
}: {
  form: FormSpec<Result>;
  isInline?: boolean;
  isMain?: boolean;
  /** Whether it is empty again after it was sent. */
  resets?: boolean;
  shortcut?: string;
  name?: string;
  onDone?: (result: Result, element: HTMLFormElement) => void;
}) {
  const initial: Draft = { values: initialOf(form.fields({})) };
  const [{ values, failure }, setDraft] = useState(initial);
  const send = (event: Event) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const input = valuesOf(element);
    const fail = (reason: Failure) => {
      setDraft({ values: input, failure: reason });
      const [first] = Object.keys(reason.byField);
      if (first !== undefined) element.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    };
    const { problems = {}, asks, ...action } = form.prepare(input);
    if (Object.keys(problems).length > 0) {
      fail({ byField: problems, rest: '' });
      return;
    }
    const confirm = async () => {
      const onRefused = (error: unknown) => fail(failureOf(error, form.fields(input)));
      const done = await model.act(action, form.send, onRefused);
      if (done === undefined) return;
      if (resets) element.reset();
      setDraft(resets ? initial : { values: input });
      onDone?.(done.result, element);
    };
    if (asks === undefined) void confirm();
    else model.ask({ text: asks, label: form.send, confirm: () => void confirm() });
  };
  const change = (event: Event) =>
    setDraft({ values: valuesOf(event.currentTarget as HTMLFormElement), failure });
  const { command } = form.prepare(values);
  return (
    <form
      class={isInline ? 'inline' : 'action'}
      aria-label={name}
      noValidate
      onInput={change}
      onSubmit={send}
    >
      {form.fields(values).map((field) => (
        <FieldView
          key={field.name}
          id={`${form.id}-${field.name}`}
          field={field}
          problem={failure?.byField[field.name]}
        />
      ))}
      {failure === undefined || failure.rest === '' ? null : alert(failure.rest)}
      {isInline || command === undefined ? null : commandOf(`npx sandbox ${command}`, words.sameCommand)}
      <button type="submit" class={isMain ? 'main' : undefined} data-key={shortcut}>
        {form.send}
      </button>
    </form>
  );
}

/** The initial contents; a flag that is off is left out. */
function initialOf(fields: readonly Field[]): Values {
  const texts = fields.filter(({ input }) => input !== 'flag' && input !== 'checks');
  return Object.fromEntries(
    texts.map(({ name, input, initial, choices }) => [
      name,
      initial ?? (input === 'choice' ? choices?.[0]?.[0] : undefined) ?? '',
    ]),
  );
}

/** The contents of a form: fields that are off are left out, checked ones of a name are joined by commas. */
function valuesOf(form: HTMLFormElement): Values {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string') continue;
    const text = value.replaceAll('\r\n', '\n');
    values[name] = values[name] === undefined ? text : `${values[name]},${text}`;
  }
  return values;
}

interface FieldProps {
  readonly id: string;
  readonly field: Field;
  readonly problem: string | undefined;
}

/** A field with its label, its help and its problem. */
function FieldView({ id, field, problem }: FieldProps) {
  const { name, label, help, input, choices = [] } = field;
  const isFlag = input === 'flag';
  return (
    <div class={`field ${input}`}>
      {isFlag ? <Control id={id} field={field} problem={problem} /> : null}
      {input === 'checks' ? (
        <fieldset>
          <legend>{label}</legend>
          {choices.map(([value, text]) => (
            <label key={value} class="check">
              <input type="checkbox" name={name} value={value} /> {text}
            </label>
          ))}
        </fieldset>
      ) : (
        <label for={id}>{label}</label>
      )}
      {isFlag || input === 'checks' ? null : <Control id={id} field={field} problem={problem} />}
      {help === undefined ? null : (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function Control({ id, field, problem }: FieldProps) {
  const { name, help, input, initial, choices = [], suggestions = [], placeholder } = field;
  const describedBy = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const common = {
    id,
    name,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-required': field.isRequired === true ? ('true' as const) : undefined,
  };
  if (input === 'flag') return <input {...common} type="checkbox" value="on" />;
  if (input === 'lines') {
    return (
      <textarea {...common} rows={field.rows ?? 2} spellcheck={false}>
        {initial}
      </textarea>
    );
  }
  if (input === 'choice') {
    const groups = [...new Set(choices.map(([, , group]) => group))];
    return (
      <select {...common}>
        {groups.map((group) => {
          const shown = options(
            choices.filter((one) => one[2] === group),
            initial,
          );
          return group === undefined ? (
            shown
          ) : (
            <optgroup key={group} label={group}>
              {shown}
            </optgroup>
          );
        })}
      </select>
    );
  }
  const list = suggestions.length === 0 ? undefined : `${id}-list`;
  const plain = { type: 'text', autocomplete: 'off', spellcheck: false } as const;
  return (
    <>
      <input
        {...common}
        {...plain}
        value={initial}
        placeholder={placeholder}
        inputMode={input === 'number' ? 'decimal' : undefined}
        list={list}
      />
      {list === undefined ? null : (
        <datalist id={list}>{options(suggestions.map((value) => [value, '']))}</datalist>
      )}
    </>
  );
}

/** A form for a JSON file; says so where the file is not a JSON object. */
export function FileForm({
  label,
  send,
  hint,
  disabled,
  onFile,
}: {
  label: string;
  send: string;
  hint?: string;
  disabled?: boolean;
  onFile: (name: string, value: object) => void;
}) {
  const submit = async (event: Event) => {
    event.preventDefault();
    const file = new FormData(event.target as HTMLFormElement).get('file');
    if (!(file instanceof File) || file.name === '') return;
    const value: unknown = await file
      .text()
      .then(JSON.parse)
      .catch(() => undefined);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) onFile(file.name, value);
    else model.say({ text: words.notJson(file.name), isError: true, hint });
  };
  return (
    <form class="inline" onSubmit={(event: Event) => void submit(event)}>
      <input type="file" name="file" required aria-label={label} />
      <button type="submit" disabled={disabled}>
        {send}
      </button>
    </form>
  );
}

/** Lets the browser save a text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  // Long enough for any browser to have begun to read the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
