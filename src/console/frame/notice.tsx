import type { Console } from '../model/console.js';
import { CopyButton } from './copy-button.js';

/** What was just done, and the command that does the same. */
export function NoticeLine({ model }: { model: Console }) {
  const { notice, words } = model;
  return (
    <div class="notice" role="status">
      {notice === undefined ? null : (
        <div class={notice.isError ? 'said bad' : 'said'}>
          <p>
            {notice.text} {notice.hint}
          </p>
          {notice.command === undefined ? null : (
            <p class="command">
              {words.sameCommand} <code>npx sandbox {notice.command}</code>
              <CopyButton model={model} text={`npx sandbox ${notice.command}`} />
            </p>
          )}
          <button type="button" class="quiet" onClick={() => model.say(undefined)}>
            {words.close}
          </button>
        </div>
      )}
    </div>
  );
}
