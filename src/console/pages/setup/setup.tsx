import { openSteps } from '../../first-steps/shown.js';
import { CopyButton } from '../../frame/copy-button.js';
import { areKeysOn, turnKeys } from '../../frame/keys.js';
import type { Console } from '../../model/console.js';
import { readStatus } from '../endpoints/status.js';
import { Environment } from './environment.js';
import { Snippets } from './snippets.js';

const FORWARD = 'npx sandbox start --forward-to 3000/webhooks';

/** What an application needs to work with this sandbox, and how the console behaves. */
export function SetupPage({ model }: { model: Console }) {
  const { words } = model;
  const isOn = areKeysOn();
  const turn = () => {
    turnKeys(!isOn);
    model.changed();
  };
  const version = readStatus(model).value?.version;
  return (
    <>
      <h2>{words.sections.setup}</h2>
      <Environment model={model} />
      <section aria-label={words.setup.forward}>
        <h3>{words.setup.forward}</h3>
        <p>{words.setup.forwardHint}</p>
        <p>
          <code>{FORWARD}</code> <CopyButton model={model} text={FORWARD} name={`${words.copy} ${FORWARD}`} />
        </p>
      </section>
      <Snippets model={model} />
      <section aria-label={words.setup.keys}>
        <h3>{words.setup.keys}</h3>
        <div class="buttons">
          <button type="button" onClick={turn}>
            {isOn ? words.keys.off : words.keys.on}
          </button>
          <button type="button" onClick={() => model.open('keys')}>
            {words.keys.button}
          </button>
          <button type="button" onClick={() => openSteps(model)}>
            {words.setup.steps}
          </button>
        </div>
      </section>
      <p class="faint">
        {words.setup.version} {version}
      </p>
    </>
  );
}
