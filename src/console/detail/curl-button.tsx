import type { Script } from '../../text/shell/again.js';
import type { NoScript } from '../../text/shell/kept.js';
import { copyText } from '../frame/copy-button.js';
import type { Console } from '../model/console.js';

/** Copies what a terminal prints with `--curl`, or says why there is nothing; undefined while it is not known. */
export function CurlButton({ model, script }: { model: Console; script: Script | NoScript | undefined }) {
  const { words } = model;
  const copy = async () => {
    if (script === undefined) return;
    if ('problem' in script) {
      model.say({ text: script.problem, hint: script.hint, isError: true });
      return;
    }
    await copyText(script.script);
    const { leftOut } = script;
    const hint = leftOut.length === 0 ? undefined : words.detail.leftOut(leftOut.join(', '));
    model.say({ text: words.copied, hint, isError: false });
  };
  return (
    <button type="button" data-key="c" disabled={script === undefined} onClick={() => void copy()}>
      {words.detail.curl}
    </button>
  );
}
