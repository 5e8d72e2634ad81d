import type { SnapshotView } from '../../../http/control/schema.js';
import { Ready } from '../../detail/loaded.js';
import { ActionButton } from '../../frame/action-button.js';
import { fieldOf } from '../../frame/form.js';
import type { Console } from '../../model/console.js';
import { stateActions } from './actions.js';
import { CompareForm } from './compare.js';
import { StateFileForms, ResetForm } from './whole-state.js';

/** Saved states: save, restore, compare; and the whole state, started over or as a file. */
export function SavedPage({ model }: { model: Console }) {
  const { words } = model;
  const loaded = model.resources.read(
    'snapshots',
    (client) => client.get('state/snapshots'),
    ({ kind }) => kind === 'state',
  );
  return (
    <>
      <h2>{words.sections.saved}</h2>
      <Ready model={model} loaded={loaded}>
        {({ data }) => {
          const names = data.map(({ name }) => name);
          return (
            <>
              <SaveForm model={model} names={names} />
              {data.length === 0 ? <p class="empty">{words.saved.none}</p> : null}
              <ul class="cards">
                {data.map((saved) => (
                  <SavedState key={saved.name} model={model} saved={saved} />
                ))}
              </ul>
              {names.length === 0 ? null : <CompareForm model={model} names={names} />}
            </>
          );
        }}
      </Ready>
      <ResetForm model={model} />
      <StateFileForms model={model} />
    </>
  );
}

/** Saves under a name; asks before it replaces what was saved under it. */
function SaveForm({ model, names }: { model: Console; names: readonly string[] }) {
  const { saved: words } = model.words;
  const send = async (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const name = fieldOf(event, 'name');
    const action = stateActions(model.words).save(name);
    if (names.includes(name)) model.ask({ text: words.saveAsks(name), label: words.save, action });
    else if (await model.act(action)) form.reset();
  };
  return (
    <form class="inline" onSubmit={(event: Event) => void send(event)}>
      <label>
        {words.name} <input name="name" required autocomplete="off" aria-describedby="saved-name-hint" />
      </label>
      <button type="submit" class="main">
        {words.save}
      </button>
      <p class="faint" id="saved-name-hint">
        {words.nameHint}
      </p>
    </form>
  );
}

function SavedState({ model, saved }: { model: Console; saved: SnapshotView }) {
  const { saved: words } = model.words;
  const { name, now, charges, withdrawals, deliveries, sessions } = saved;
  const { restore, drop } = stateActions(model.words);
  return (
    <li aria-label={name}>
      <p>
        <strong>{name}</strong> <time>{model.words.instant(now)}</time>
      </p>
      <p class="faint">{words.holds(charges, withdrawals, deliveries, sessions)}</p>
      <div class="buttons">
        <ActionButton
          model={model}
          action={restore(name)}
          label={words.restore}
          name={words.of(words.restore, name)}
          asks={words.restoreAsks(name)}
        />
        <ActionButton
          model={model}
          action={drop(name)}
          label={words.drop}
          name={words.of(words.drop, name)}
          asks={words.dropAsks(name)}
        />
      </div>
    </li>
  );
}
