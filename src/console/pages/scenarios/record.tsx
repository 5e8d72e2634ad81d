import { useState } from 'hono/jsx/dom';
import { CopyButton } from '../../frame/copy-button.js';
import { download } from '../../frame/files.js';
import { fieldOf } from '../../frame/form.js';
import type { Console } from '../../model/console.js';
import { SCENARIO_FILE, scenarioActions } from './actions.js';

/** Makes a scenario of what happened in this sandbox. */
export function RecordForm({ model }: { model: Console }) {
  const { scenarios: words } = model.words;
  const [text, setText] = useState<string | undefined>(undefined);
  const send = (event: Event) => {
    event.preventDefault();
    void model.act(scenarioActions(model.words).record(fieldOf(event, 'name') || undefined, setText));
  };
  return (
    <section aria-label={words.record}>
      <h3>{words.record}</h3>
      <form class="inline" onSubmit={send}>
        <label>
          {words.name} <input name="name" autocomplete="off" />
        </label>
        <button type="submit">{words.record}</button>
      </form>
      {text === undefined ? null : (
        <>
          <div class="buttons">
            <CopyButton model={model} text={text} />
            <button type="button" onClick={() => download(SCENARIO_FILE, text)}>
              {words.download}
            </button>
          </div>
          <pre tabIndex={0} aria-label={words.recording}>
            {text}
          </pre>
        </>
      )}
    </section>
  );
}
