import { Dialog } from '../frame/dialog.js';
import { areKeysOn, KEYS, turnKeys } from '../frame/keys.js';
import type { Console } from '../model/console.js';

/** Every key and what it does, and whether single keys do anything. */
export function KeysDialog({ model }: { model: Console }) {
  const { keys } = model.words;
  const isOn = areKeysOn();
  const turn = () => {
    turnKeys(!isOn);
    model.changed();
  };
  return (
    <Dialog model={model} title={keys.title}>
      <dl class="facts">
        {Object.entries(KEYS).map(([key, { name }]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{keys.names[name]}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={turn}>
        {isOn ? keys.off : keys.on}
      </button>
    </Dialog>
  );
}
