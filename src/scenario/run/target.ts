import { CONTROL } from '../../client/control.js';
import type { CallDetail } from '../../http/control/schema.js';
import type { SandboxServer } from '../../http/server/start.js';

/** A sandbox that a scenario runs against, through its doors alone. */
export interface Target {
  /** Answers a request to a path with its query. Rejects when no answer comes, as global fetch does. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly env: Readonly<Record<string, string>>;
}

/** Adds the control token, if there is one, to the requests for the control API. */
export function withToken(fetch: Target['fetch'], token: string | undefined): Target['fetch'] {
  return (path, init) => {
    if (token === undefined || !path.startsWith(CONTROL)) return fetch(path, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(path, { ...init, headers });
  };
}

/** Faults that break the connection before the answer is whole. */
const BREAKING = new Set(['reset', 'empty', 'cut', 'lose-response']);

/** A sandbox in this process. It has no connection to break, so a fault that loses an answer is emulated here. */
export function inProcess({
  url,
  env,
  fetch,
  controlToken,
}: Pick<SandboxServer, 'url' | 'env' | 'fetch'> & { readonly controlToken?: string | undefined }): Target {
  const send = withToken(
    async (path, init) => fetch(new Request(new URL(path, url), init), {}),
    controlToken,
  );
  return {
    env,
    fetch: async (path, init) => {
      const response = await send(path, init);
      if (path.startsWith(CONTROL)) return response;
      const call = await send(`${CONTROL}calls/${response.headers.get('x-request-id') ?? ''}`);
      const { faults = [] } = (await call.json()) as Partial<CallDetail>;
      const fault = faults.find(({ action }) => BREAKING.has(action));
      if (fault !== undefined) throw new Error(`The fault ${fault.action} broke the connection.`);
      return response;
    },
  };
}
