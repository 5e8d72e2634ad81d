import { useState } from 'hono/jsx/dom';
import type { Console } from '../model/console.js';
import { CopyButton } from './copy-button.js';

const MASK = '••••••••';

/** A secret, which is not on the page until it is asked for; it can be copied without being shown. */
export function Secret({ model, name, value }: { model: Console; name: string; value: string }) {
  const [isShown, setShown] = useState(false);
  const { secret, copy } = model.words;
  return (
    <span class="secret">
      <code>{isShown ? value : MASK}</code>{' '}
      <button
        type="button"
        class="quiet"
        aria-label={isShown ? secret.hideNamed(name) : secret.showNamed(name)}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? secret.hide : secret.show}
      </button>
      <CopyButton model={model} text={value} name={`${copy} ${name}`} />
    </span>
  );
}
