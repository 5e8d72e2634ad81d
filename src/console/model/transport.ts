import { SANDBOX_HEADER } from '../../text/control-api.js';
import { decoded } from './routes.js';
import type { Transport } from '../../client/control.js';

const STORED = 'pix-sandbox-control-token';

/** The control token: from the fragment of the address, which is never sent, or from this tab's storage. */
export function takeToken(): string | undefined {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    keepToken(decoded(given));
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(STORED) ?? undefined;
}

/** Keeps the token for this tab alone. */
export function keepToken(token: string): void {
  sessionStorage.setItem(STORED, token);
}

/** Requests to the sandbox that served this page; the timeline names the console as their sender. */
export function browserTransport(token: string | undefined): Transport {
  return {
    url: location.origin,
    token,
    send: async ({ method, target, headers, body, signal }) => {
      const response = await fetch(target, {
        method,
        headers: { ...headers, 'x-sandbox-sender': 'console' },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      });
      const isSandbox = response.headers.has(SANDBOX_HEADER);
      return { status: response.status, isSandbox, body: chunksOf(response) };
    },
  };
}

/** A stream as it comes, and anything else at once. */
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
