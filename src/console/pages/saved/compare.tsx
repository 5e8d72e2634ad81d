import { useState } from 'hono/jsx/dom';
import type { ComparedView } from '../../../http/control/schema.js';
import { fieldOf } from '../../frame/form.js';
import type { Console } from '../../model/console.js';
import { stateActions } from './actions.js';

/** Compares a saved state with another, or with now. */
export function CompareForm({ model, names }: { model: Console; names: readonly string[] }) {
  const { saved: words } = model.words;
  const [compared, setCompared] = useState<ComparedView | undefined>(undefined);
  const send = (event: Event) => {
    event.preventDefault();
    const { compare } = stateActions(model.words);
    void model.act(compare(fieldOf(event, 'from'), fieldOf(event, 'to') || undefined, setCompared));
  };
  const options = names.map((name) => <option key={name}>{name}</option>);
  return (
    <section aria-label={words.compare}>
      <h3>{words.compare}</h3>
      <form class="inline" onSubmit={send}>
        <label>
          {words.from} <select name="from">{options}</select>
        </label>
        <label>
          {words.to}{' '}
          <select name="to">
            <option value="">{words.now}</option>
            {options}
          </select>
        </label>
        <button type="submit">{words.compare}</button>
      </form>
      {compared === undefined ? null : <Differences model={model} compared={compared} />}
    </section>
  );
}

function Differences({ model, compared }: { model: Console; compared: ComparedView }) {
  const { saved: words } = model.words;
  const { from, to, count, differences } = compared;
  return (
    <>
      <p>
        {from} → {to ?? words.now}: {words.differences(count, differences.length)}
      </p>
      <ul class="cards">
        {differences.map(({ kind, id, code, change, fields }) => (
          <li key={`${kind} ${id}`}>
            <p>
              {kind} <strong>{code ?? id}</strong> {words[change]}
            </p>
            {Object.entries(fields ?? {}).map(([name, value]) => (
              <p key={name} class="faint">
                {name}: <code>{shown(value.from)}</code> → <code>{shown(value.to)}</code>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
}
