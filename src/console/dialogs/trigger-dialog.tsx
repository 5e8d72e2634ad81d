import { EVENT_TYPES } from '../../contract/events.js';
import { Dialog } from '../frame/dialog.js';
import { fieldOf } from '../frame/form.js';
import type { Console } from '../model/console.js';

/** Triggers an event. */
export function TriggerDialog({ model }: { model: Console }) {
  const { trigger } = model.words;
  const send = async (event: Event) => {
    event.preventDefault();
    const type = fieldOf(event, 'type');
    const isDone = await model.act({
      done: trigger.done(type),
      command: `trigger ${type}`,
      run: (client) => client.post('trigger', { body: { type } }),
    });
    if (isDone) model.open(undefined);
  };
  return (
    <Dialog model={model} title={trigger.title}>
      <form onSubmit={(event: Event) => void send(event)}>
        <label>
          {trigger.event}
          <select name="type">
            {EVENT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="main">
          {trigger.send}
        </button>
      </form>
    </Dialog>
  );
}
