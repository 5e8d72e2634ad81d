import { replayAction } from '../detail/actions.js';
import { showReplay } from '../detail/call-detail.js';
import { readCall } from '../detail/reads.js';
import { Dialog } from '../frame/dialog.js';
import type { Console } from '../model/console.js';

/** Sends the call that is open once more with another body. */
export function ReplayDialog({ model }: { model: Console }) {
  const { detail } = model.words;
  const id = model.route.detail?.id ?? '';
  const { value: call } = readCall(model, id);
  const send = (event: Event) => {
    event.preventDefault();
    const { elements } = event.target as HTMLFormElement;
    const { value: body } = elements.namedItem('body') as HTMLTextAreaElement;
    const newCode = (elements.namedItem('new_code') as HTMLInputElement).checked;
    const action = replayAction(model.words, id, { body, newCode }, (sent) => showReplay(model, id, sent));
    void model.act(action).then((isDone) => {
      if (isDone) model.open(undefined);
    });
  };
  return (
    <Dialog model={model} title={detail.edit}>
      <form onSubmit={send}>
        <label>
          {detail.body}
          <textarea name="body" rows={12} cols={60} spellcheck={false}>
            {call?.request?.body ?? ''}
          </textarea>
        </label>
        <label class="flag">
          <input type="checkbox" name="new_code" /> {detail.newCode}
        </label>
        <button type="submit" class="main">
          {detail.send}
        </button>
      </form>
    </Dialog>
  );
}
