import { ControlClient, fetchTransport } from '../../client/control.js';
import type { SandboxServer } from '../../http/server/start.js';

/** The control API of a sandbox in this process, without a socket. */
export function controlOf(
  { url, fetch }: Pick<SandboxServer, 'url' | 'fetch'>,
  token?: string,
): ControlClient {
  return new ControlClient({
    ...fetchTransport(url, (target, init) => fetch(new Request(url + target, init), {})),
    token,
  });
}
