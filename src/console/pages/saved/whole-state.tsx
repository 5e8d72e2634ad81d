import { RESET_SCOPES } from '../../../contract/reset-scopes.js';
import { ActionButton } from '../../frame/action-button.js';
import { download, fileOf, jsonOf } from '../../frame/files.js';
import type { Console } from '../../model/console.js';
import { STATE_FILE, stateActions } from './actions.js';

/** Starts over with everything, or with the parts that are chosen. */
export function ResetForm({ model }: { model: Console }) {
  const { saved: words, confirm } = model.words;
  const send = (event: Event) => {
    event.preventDefault();
    const chosen = new FormData(event.target as HTMLFormElement).getAll('scope');
    const scope = RESET_SCOPES.filter((one) => chosen.includes(one));
    model.ask({
      text: words.resetAsks(scope.join(', ') || confirm.all),
      label: words.reset,
      action: stateActions(model.words).reset(scope),
    });
  };
  return (
    <section aria-label={words.reset}>
      <h3>{words.reset}</h3>
      <form class="inline" onSubmit={send}>
        <fieldset>
          <legend>{words.resetHint}</legend>
          {RESET_SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input type="checkbox" name="scope" value={scope} /> {scope}
            </label>
          ))}
        </fieldset>
        <button type="submit">{words.reset}</button>
      </form>
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
