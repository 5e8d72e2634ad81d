import { clockActions } from '../clock/actions.js';
import { retryAction } from '../detail/actions.js';
import type { Action } from '../model/actions.js';
import type { Words } from '../words/words.js';
import type { Press, Progress } from './progress.js';
import { deadLetterOf } from './progress.js';
import { ANSWERS, receiverActions } from './receiver-actions.js';

/** What a button of the first steps does; undefined where there is nothing to retry. */
export function stepAction(words: Words, press: Press, progress: Progress): Action | undefined {
  const receiver = receiverActions(words);
  switch (press) {
    case 'failThrice': {
      return receiver.answer(ANSWERS['refuse-3']);
    }
    case 'turnOn': {
      return receiver.answer(200);
    }
    case 'pay': {
      return {
        done: words.trigger.done('pix.settled'),
        command: 'trigger pix.settled',
        run: (client) => client.post('trigger', { body: { type: 'pix.settled' } }),
      };
    }
    case 'retry': {
      const id = deadLetterOf(progress);
      return id === undefined ? undefined : retryAction(words, id);
    }
    case 'advance': {
      return clockActions(words).advance('45h');
    }
  }
}
