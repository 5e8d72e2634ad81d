import { SANDBOX_HEADER } from '../../text/control-api.js';
import type { Transport } from '../../client/control.js';
import type { ControlToken } from './control-token.js';

/**
 * Requests to the sandbox that served this page; the timeline names the console as their sender. One that is refused for its
 * token is sent again with the token of the link that led here, if there is another.
 */
export function browserTransport(token: ControlToken): Transport {
  return {
    url: location.origin,
    send: async ({ method, target, headers, body, signal }) => {
      const request = () => {
        const { current } = token;
        return fetch(target, {
          method,
          headers: {
            ...headers,
            'x-sandbox-sender': 'console',
            ...(current === undefined ? {} : { authorization: `Bearer ${current}` }),
          },
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
          credentials: 'omit',
          referrerPolicy: 'no-referrer',
        });
      };
      const sentWith = token.current;
      let response = await request();
      const isRefused = response.status === 401;
      if (isRefused && (token.takeOffered() || token.current !== sentWith)) response = await request();
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
