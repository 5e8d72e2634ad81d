import type { Field } from './form.js';

/** A field with its label, its help, and what is wrong with what it holds. */
export function FieldView({ id, field, problem }: { id: string; field: Field; problem: string | undefined }) {
  const { label, help } = field;
  const input = <Input id={id} field={field} isWrong={problem !== undefined} />;
  return (
    <div class={`field ${field.input}`}>
      {field.input === 'flag' ? input : null}
      <label for={id}>{label}</label>
      {field.input === 'flag' ? null : input}
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
      {problem === undefined ? null : (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function Input({ id, field, isWrong }: { id: string; field: Field; isWrong: boolean }) {
  const { name, input, initial, isRequired, choices = [], suggestions = [] } = field;
  const common = {
    id,
    name,
    'aria-describedby': isWrong ? `${id}-help ${id}-problem` : `${id}-help`,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
  };
  if (input === 'lines') return <textarea {...common} rows={2} spellcheck={false} />;
  if (input === 'flag') return <input {...common} type="checkbox" />;
  if (input === 'choice') {
    return (
      <select {...common}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    );
  }
  return (
    <>
      <input
        {...common}
        type="text"
        value={initial}
        aria-required={isRequired ? 'true' : undefined}
        autocomplete="off"
        spellcheck={false}
        list={suggestions.length === 0 ? undefined : `${id}-list`}
      />
      {suggestions.length === 0 ? null : (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </>
  );
}
