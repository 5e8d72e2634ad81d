import { ActionButton } from '../../frame/action-button.js';
import { download, fileOf, jsonOf } from '../../frame/files.js';
import type { Console } from '../../model/console.js';
import { STATE_FILE, stateActions } from './actions.js';

/** Starts over with everything. */
export function ResetForm({ model }: { model: Console }) {
  const { saved: words } = model.words;
  const action = stateActions(model.words).reset;
  return (
    <section aria-label={words.reset}>
      <h3>{words.reset}</h3>
      <button type="button" onClick={() => model.ask({ text: words.resetAsks, label: words.reset, action })}>
        {words.reset}
      </button>
    </section>
  );
}

/** Writes the whole state to a file, and goes on with one. */
export function StateFileForms({ model }: { model: Console }) {
  const { saved: words } = model.words;
  const actions = stateActions(model.words);
  const send = async (event: Event) => {
    event.preventDefault();
    const file = fileOf(event, 'file');
    const state = file && (await jsonOf(model, file, words.importHint));
    if (file === undefined || state === undefined) return;
    const action = actions.import(file.name, state);
    model.ask({ text: words.importAsks(file.name), label: words.import, action });
  };
  return (
    <section aria-label={words.file}>
      <h3>{words.file}</h3>
      <p class="faint">{words.exportHint}</p>
      <ActionButton
        model={model}
        action={actions.export((text) => download(STATE_FILE, text))}
        label={words.export}
      />
      <form class="inline" onSubmit={(event: Event) => void send(event)}>
        <input type="file" name="file" required aria-label={words.file} />
        <button type="submit">{words.import}</button>
      </form>
    </section>
  );
}
