import { useState } from 'hono/jsx/dom';
import {
  type FormFailure,
  toFormFailure,
  type FormField,
  type FormSpec,
  type FormValues,
} from '../model/forms.js';
import { consoleTexts } from '../words.js';
import { renderCommand as commandOf, renderOptions, renderProblem as alert } from './parts.js';
import { model } from './screen.js';

interface FormProps<Result> {
  readonly form: FormSpec<Result>;
  /** Renders the form on one line; the notice shows the equivalent command instead. */
  readonly isInline?: boolean;
  /** Clears the form after submission. */
  readonly resets?: boolean;
  readonly shortcut?: string;
  readonly onDone?: (result: Result, element: HTMLFormElement) => void;
}

/** Renders a form for one action, with the equivalent command for the current input. */
export function ActionForm<Result>({
  form,
  isInline = false,
  resets = false,
  shortcut,
  onDone,
}: FormProps<Result>) {
  const initial = { values: initialOf(form.fields({})) };
  const [draft, setDraft] = useState<{ values: FormValues; failure?: FormFailure | undefined }>(initial);
  const { values, failure } = draft;
  const send = async (event: Event) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const input = valuesOf(element);
    const fail = (reason: FormFailure) => {
      setDraft({ values: valuesOf(element), failure: reason });
      const [first] = Object.keys(reason.byField);
      if (first !== undefined) element.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    };
    const { problems = {}, asks, ...action } = form.prepare(input);
    const confirm = async () => {
      const onRefused = (error: unknown) => fail(toFormFailure(error, form.fields(input)));
      const done = await model.act(action, form.send, onRefused);
      if (done === undefined) return;
      if (resets) element.reset();
      // Keep input entered during the request.
      setDraft(resets ? initial : { values: valuesOf(element) });
      onDone?.(done.result, element);
    };
    if (Object.keys(problems).length > 0) fail({ byField: problems, rest: '' });
    else if (asks === undefined) await confirm();
    else model.confirm({ text: asks, label: form.send, confirm: () => void confirm() });
  };
  const change = (event: Event) =>
    setDraft({ values: valuesOf(event.currentTarget as HTMLFormElement), failure });
  const { command } = form.prepare(values);
  const fields = form.fields(values);
  const folded = fields.filter(({ isMore }) => isMore === true);
  const isUsed = ({ name, initial }: FormField) => failure?.byField[name] !== undefined || Boolean(initial);
  const draw = (field: FormField) => (
    <FieldView key={field.name} form={form.id} field={field} problem={failure?.byField[field.name]} />
  );
  return (
    <form
      class={isInline ? 'inline' : 'action'}
      aria-label={form.send}
      noValidate
      onInput={change}
      onSubmit={(event: Event) => void send(event)}
    >
      {fields.filter(({ isMore }) => isMore !== true).map(draw)}
      {folded.length === 0 ? null : (
        <details class="folded" open={folded.some(isUsed)}>
          <summary>{consoleTexts.moreFields}</summary>
          <div class="fields">{folded.map(draw)}</div>
        </details>
      )}
      {failure === undefined || failure.rest === '' ? null : alert(failure.rest)}
      {isInline || command === undefined
        ? null
        : commandOf(`npx sandbox ${command}`, consoleTexts.sameCommand)}
      <button type="submit" class={isInline ? undefined : 'main'} data-key={shortcut}>
        {form.send}
      </button>
    </form>
  );
}

/** Returns the initial values, without unchecked flags. */
function initialOf(fields: readonly FormField[]): FormValues {
  const texts = fields.filter(({ input }) => input !== 'flag' && input !== 'checks');
  return Object.fromEntries(
    texts.map(({ name, input, initial, choices }) => [
      name,
      initial ?? (input === 'choice' ? choices?.[0]?.[0] : undefined) ?? '',
    ]),
  );
}

/** Returns a form's values. Omits unchecked fields and joins checked fields of the same name with commas. */
function valuesOf(form: HTMLFormElement): FormValues {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string') continue;
    const text = value.replaceAll('\r\n', '\n');
    values[name] = values[name] === undefined ? text : `${values[name]},${text}`;
  }
  return values;
}

function FieldView({
  form,
  field,
  problem,
}: {
  form: string;
  field: FormField;
  problem: string | undefined;
}) {
  const { name, label, help, input, isRequired = false } = field;
  const id = `${form}-${name}`;
  const describedBy = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const attributes = {
    id,
    name,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-required': isRequired ? ('true' as const) : undefined,
  };
  return (
    <div class={`field ${input}`}>
      {input === 'checks' ? null : <label for={id}>{label}</label>}
      {control(field, attributes)}
      {!help ? null : (
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

function control(field: FormField, attributes: { readonly id: string; readonly name: string }) {
  const { label, input, initial, choices = [], suggestions = [], placeholder, rows = 2 } = field;
  if (input === 'flag') return <input {...attributes} type="checkbox" value="on" />;
  if (input === 'checks') {
    return (
      <fieldset>
        <legend>{label}</legend>
        {choices.map(([value, text]) => (
          <label key={value} class="check">
            <input type="checkbox" name={attributes.name} value={value} /> {text}
          </label>
        ))}
      </fieldset>
    );
  }
  if (input === 'lines') {
    return (
      <textarea {...attributes} rows={rows} spellcheck={false}>
        {initial}
      </textarea>
    );
  }
  if (input === 'choice') {
    const groups = [...new Set(choices.map(([, , group]) => group))];
    const of = (group?: string) =>
      renderOptions(
        choices.filter((one) => one[2] === group),
        initial,
      );
    return (
      <select {...attributes}>
        {groups.map((group) => (group === undefined ? of() : <optgroup label={group}>{of(group)}</optgroup>))}
      </select>
    );
  }
  const list = suggestions.length === 0 ? undefined : `${attributes.id}-list`;
  const inputMode = input === 'number' ? ('decimal' as const) : undefined;
  const plain = { type: 'text', autocomplete: 'off', spellcheck: false, value: initial, list } as const;
  return (
    <>
      <input {...attributes} {...plain} placeholder={placeholder} inputMode={inputMode} />
      {list && <datalist id={list}>{renderOptions(suggestions.map((value) => [value, '']))}</datalist>}
    </>
  );
}

interface FileFormProps {
  readonly label: string;
  readonly send: string;
  readonly hint?: string;
  readonly disabled?: boolean;
  readonly onFile: (name: string, value: object) => void;
}

/** Renders a form for a JSON file. Reports a file that is not a JSON object. */
export function FileForm({ label, send, hint, disabled, onFile }: FileFormProps) {
  const submit = async (event: Event) => {
    event.preventDefault();
    const file = new FormData(event.target as HTMLFormElement).get('file');
    if (!(file instanceof File) || file.name === '') return;
    const read = file.text().then(JSON.parse) as Promise<unknown>;
    const value = await read.catch(() => undefined);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) onFile(file.name, value);
    else model.notify({ text: consoleTexts.notJson(file.name), isError: true, hint });
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

export function downloadFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  // Every browser has started reading the file within a minute.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
