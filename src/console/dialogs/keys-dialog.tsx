import { Dialog } from '../frame/dialog.js';
import { areKeysOn, GO_KEYS, KEYS, turnKeys } from '../frame/keys.js';
import type { Console } from '../model/console.js';

/** Every key and what it does, and whether single keys do anything. */
export function KeysDialog({ model }: { model: Console }) {
  const { keys } = model.words;
  const lines = [
    ...Object.entries(KEYS).map(([key, { name }]) => [key, keys.names[name]] as const),
    ['Enter', keys.names.open] as const,
    ['Esc', keys.names.close] as const,
    ...Object.entries(GO_KEYS).map(
      ([key, section]) => [`g ${key}`, keys.names.go(model.words.sections[section])] as const,
    ),
  ];
  const isOn = areKeysOn();
  const turn = () => {
    turnKeys(!isOn);
    model.changed();
  };
  return (
    <Dialog model={model} title={keys.title}>
      <dl class="facts">
        {lines.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={turn}>
        {isOn ? keys.off : keys.on}
      </button>
    </Dialog>
  );
}
