import type { Console } from '../model/console.js';
import type { ControlToken } from '../model/control-token.js';
import { tokenIn } from '../model/control-token.js';

/** Moves a control token out of the address, where the history would keep it; false where there is none. */
export function receiveToken(token: ControlToken): boolean {
  if (!location.hash.startsWith('#token=')) return false;
  token.offer(tokenIn(location));
  history.replaceState(history.state, '', location.pathname + location.search);
  return true;
}

/** Asks before a link's token replaces one that works; uses it where the sandbox refused the tab's, and nowhere else. */
export function settleToken(model: Console, token: ControlToken): void {
  if (model.refused !== undefined) {
    if (token.takeOffered()) location.reload();
    return;
  }
  const offered = token.withdrawOffer();
  if (offered === undefined || token.current === undefined) return;
  const { otherAsks, useOther } = model.words.token;
  model.ask({
    text: otherAsks,
    label: useOther,
    action: {
      done: '',
      command: undefined,
      run: () => {
        token.store(offered);
        location.reload();
        return Promise.resolve();
      },
    },
  });
}
