import { CONTROL } from '../../client/control.js';
import type { Fetch } from '../../http/server/serve.js';

/** A sandbox that a scenario runs against, through its doors alone. */
export interface Target {
  /** Answers a request to a path with its query. Rejects when no answer comes, as global fetch does. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The environment block. */
  readonly env: Readonly<Record<string, string>>;
}

/** Faults that break the connection before the answer is whole. */
const BREAKING = new Set(['reset', 'empty', 'cut', 'lose-response']);

/** A sandbox in this process. It has no connection to break, so a fault that loses an answer is emulated here. */
export function inProcess({
  url,
  env,
  fetch,
  controlToken,
}: {
  readonly url: string;
  readonly env: Target['env'];
  readonly fetch: Fetch;
  readonly controlToken?: string | undefined;
}): Target {
  const send = async (path: string, init?: RequestInit) => {
    const request = new Request(new URL(path, url), init);
    if (controlToken !== undefined && path.startsWith(CONTROL)) {
      request.headers.set('authorization', `Bearer ${controlToken}`);
    }
    return fetch(request, {});
  };
  return {
    env,
    fetch: async (path, init) => {
      const response = await send(path, init);
      if (path.startsWith(CONTROL)) return response;
      const call = await send(`${CONTROL}calls/${response.headers.get('x-request-id') ?? ''}`);
      const { faults = [] } = (await call.json()) as {
        readonly faults?: readonly { readonly action: string }[];
      };
      const fault = faults.find(({ action }) => BREAKING.has(action));
      if (fault !== undefined) throw new Error(`The fault ${fault.action} broke the connection.`);
      return response;
    },
  };
}
