import { EVENT_TYPES } from '../../../contract/events.js';
import { AppField } from '../../frame/app-field.js';
import { fieldOf } from '../../frame/form.js';
import type { Console } from '../../model/console.js';
import { endpointActions } from './actions.js';

/** Registers an endpoint. */
export function NewEndpointForm({ model }: { model: Console }) {
  const { endpoints: words } = model.words;
  const send = async (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const chosen = new FormData(form).getAll('events');
    const given = {
      url: fieldOf(event, 'url'),
      events: EVENT_TYPES.filter((type) => chosen.includes(type)),
      description: fieldOf(event, 'description') || undefined,
      app: fieldOf(event, 'app') || undefined,
    };
    const { create } = endpointActions(model.words, model.secrets);
    if (await model.act(create(given, EVENT_TYPES))) form.reset();
  };
  return (
    <details class="form">
      <summary>{words.add}</summary>
      <form onSubmit={(event: Event) => void send(event)}>
        <label>
          {words.url}
          <input name="url" required placeholder="https://shop.example/webhooks" autocomplete="off" />
        </label>
        <fieldset>
          <legend>
            {words.events} ({words.allEvents})
          </legend>
          {EVENT_TYPES.map((type) => (
            <label key={type} class="check">
              <input type="checkbox" name="events" value={type} /> {type}
            </label>
          ))}
        </fieldset>
        <label>
          {words.description}
          <input name="description" autocomplete="off" />
        </label>
        <AppField model={model} />
        <button type="submit" class="main">
          {words.create}
        </button>
      </form>
    </details>
  );
}
