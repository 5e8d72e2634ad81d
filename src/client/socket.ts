import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { SANDBOX_HEADER } from '../text/control-api.js';
import type { Transport } from './control.js';
import { ControlClient } from './control.js';

/**
 * Sends an HTTP request and resolves when the response headers arrive. Uses `node:http`, because global fetch
 * would double a command's startup time.
 */
export function openHttp(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string | Uint8Array | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, options, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** Creates a client with keep-alive connections. The process exits only after the client is closed. */
export function createSocketClient({ url: given, token }: Pick<Transport, 'url' | 'token'>): ControlClient {
  const url = given.replace(/(?<!\/)\/+$/, '');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return new ControlClient({
    url,
    token,
    send: async ({ method, target, headers, body, signal }) => {
      const response = await openHttp(url + target, {
        method,
        agent,
        body,
        headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
        ...(signal === undefined ? {} : { signal }),
      });
      const isSandbox = response.headers[SANDBOX_HEADER] !== undefined;
      // Abort the response, because the body is never read and can be endless.
      if (!isSandbox) response.destroy();
      return { status: response.statusCode ?? 0, isSandbox, body: response };
    },
    close: () => agent.destroy(),
  });
}
