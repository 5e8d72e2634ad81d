import { ControlClient, type Transport } from '../../client/control.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import { clockActions } from '../model/actions.js';
import { Console } from '../model/console.js';
import { getListPath, createTokenStore, readRoute, type Section, parseToken } from '../model/routes.js';
import { consoleTexts } from '../words.js';

// The console instance shared by all components of this page.

interface PlaceState {
  readonly from: Section;
}

export const tokenStore = createTokenStore(sessionStorage);

export const model = new Console(new ControlClient(transport()), {
  read: () => readRoute(location, (history.state as PlaceState | null)?.from),
  go: (path, from, replace) => {
    const state: PlaceState = { from };
    history[replace ? 'replaceState' : 'pushState'](state, '', getListPath(path, location));
  },
});

/**
 * Removes a control token from the URL, so that the browser history does not store it. Returns false without
 * a token.
 */
export function receiveToken(): boolean {
  if (!location.hash.startsWith('#token=')) return false;
  tokenStore.offer(parseToken(location));
  history.replaceState(history.state, '', location.pathname + location.search);
  return true;
}

/**
 * Asks before replacing a working token with a link's token. Uses the link's token without asking if the
 * tab's token was refused.
 */
export function resolveOfferedToken(): void {
  if (model.refused !== undefined) {
    if (tokenStore.acceptOffer()) location.reload();
    return;
  }
  const offered = tokenStore.withdrawOffer();
  if (offered === undefined || tokenStore.current() === undefined) return;
  const confirm = () => {
    tokenStore.store(offered);
    location.reload();
  };
  model.confirm({ text: consoleTexts.token.confirmOther, label: consoleTexts.token.useOther, confirm });
}

/** Advances the clock from the last rendered time to an instant. `label` is the button's label. */
export function moveClockTo(at: string | null, label: string): void {
  const view = model.clockKnown();
  if (at !== null && view !== undefined) void model.act(clockActions.jump(at, model.clockNow(view)), label);
}

/**
 * Creates the transport to this page's sandbox, which identifies the console as the sender in the timeline.
 * Retries a request refused for its token with the link's token, if any.
 */
function transport(): Transport {
  return {
    url: location.origin,
    send: async ({ method, target, headers, body, signal }) => {
      const request = () => {
        const current = tokenStore.current();
        const own = { ...headers, 'x-sandbox-sender': 'console' };
        return fetch(target, {
          method,
          headers: current === undefined ? own : { ...own, authorization: `Bearer ${current}` },
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
          credentials: 'omit',
          referrerPolicy: 'no-referrer',
        });
      };
      const sentWith = tokenStore.current();
      let response = await request();
      const isRefused = response.status === 401;
      if (isRefused && (tokenStore.acceptOffer() || tokenStore.current() !== sentWith))
        response = await request();
      const isSandbox = response.headers.has(SANDBOX_HEADER);
      return { status: response.status, isSandbox, body: chunksOf(response) };
    },
  };
}

/** Yields a stream's chunks as they arrive, and any other body as one chunk. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) {
    yield new Uint8Array(await response.arrayBuffer());
    return;
  }
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
