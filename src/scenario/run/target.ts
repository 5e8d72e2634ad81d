import { CONTROL } from '../../client/control.js';
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

/** A sandbox in this process. */
export function inProcess({
  url,
  env,
  fetch,
  controlToken,
}: Pick<SandboxServer, 'url' | 'env' | 'fetch'> & { readonly controlToken?: string | undefined }): Target {
  const send: Target['fetch'] = async (path, init) => fetch(new Request(new URL(path, url), init), {});
  return { env, fetch: withToken(send, controlToken) };
}
