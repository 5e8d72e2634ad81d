import { useState } from 'hono/jsx/dom';
import { CopyButton } from '../frame/copy-button.js';
import type { Console } from '../model/console.js';
import { FieldView } from './field-view.js';
import type { Failure, Field, Prepared, Values } from './form.js';
import { placed } from './form.js';

interface Draft {
  readonly values: Values;
  readonly failure: Failure | undefined;
}

/**
 * A form for one action. It shows the command that does the same as it is filled in, and what is wrong beside the field that
 * the sandbox names. `id` tells its fields from those of other forms.
 */
export function ActionForm<Answer>({
  model,
  id,
  fields,
  prepare,
  send,
  onDone,
}: {
  model: Console;
  id: string;
  fields: (values: Values) => readonly Field[];
  prepare: (values: Values) => Prepared<Answer>;
  send: string;
  onDone?: (form: HTMLFormElement, answer: Answer) => void;
}) {
  const [draft, setDraft] = useState<Draft>({ values: initialOf(fields({})), failure: undefined });
  const { values, failure } = draft;
  const shown = fields(values);
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = valuesOf(form);
    const end = await perform(model, prepare(given), fields(given));
    setDraft({ values: given, failure: 'failure' in end ? end.failure : undefined });
    if ('answer' in end) onDone?.(form, end.answer);
  };
  const change = (event: Event) =>
    setDraft({ values: valuesOf(event.currentTarget as HTMLFormElement), failure });
  const command = `npx sandbox ${prepare(values).command}`;
  return (
    <form class="action" noValidate onInput={change} onSubmit={(event: Event) => void submit(event)}>
      {shown.map((field) => (
        <FieldView
          key={field.name}
          id={`${id}-${field.name}`}
          field={field}
          problem={failure?.byField[field.name]}
        />
      ))}
      {failure === undefined || failure.rest === '' ? null : (
        <p class="problem" role="alert">
          {failure.rest}
        </p>
      )}
      <p class="command">
        {model.words.sameCommand} <code>{command}</code> <CopyButton model={model} text={command} />
      </p>
      <button type="submit" class="main">
        {send}
      </button>
    </form>
  );
}

/** What the fields hold at first; a flag that is off is left out. */
function initialOf(fields: readonly Field[]): Values {
  const filled = fields.filter(({ input }) => input !== 'flag');
  return Object.fromEntries(
    filled.map(({ name, initial, choices }) => [name, initial ?? choices?.[0]?.[0] ?? '']),
  );
}

/** Does the action; what went wrong stands in the form instead of below the page. */
async function perform<Answer>(
  model: Console,
  prepared: Prepared<Answer>,
  fields: readonly Field[],
): Promise<{ readonly answer: Answer } | { readonly failure: Failure | undefined }> {
  if (Object.keys(prepared.problems).length > 0) {
    return { failure: { byField: prepared.problems, rest: '' } };
  }
  let end: { readonly answer: Answer } | { readonly failure: Failure } | undefined;
  await model.act({
    ...prepared,
    run: async (client) => {
      try {
        end = { answer: await prepared.run(client) };
      } catch (error) {
        end = { failure: placed(error, fields) };
        throw error;
      }
    },
  });
  if (end !== undefined && 'failure' in end) model.say(undefined);
  return end ?? { failure: undefined };
}

/** What a form holds now; fields that are off are left out. */
function valuesOf(form: HTMLFormElement): Values {
  const values: [string, string][] = [];
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values.push([name, value]);
  return Object.fromEntries(values);
}
