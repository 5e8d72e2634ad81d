import type { IncomingHttpHeaders } from 'node:http';
import { openHttp } from '../../../client/socket.js';
import { SANDBOX_HEADER } from '../../../text/control-api.js';

interface HttpCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array;
  readonly timeoutMs: number;
}

/** One HTTP request over its own connection. Rejects when there is no answer within the real-time limit. */
export async function ask(url: string, { method = 'GET', headers, body, timeoutMs }: HttpCall) {
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = { ...headers, connection: 'close' };
  const answer = await openHttp(url, { method, headers: sent, body, signal });
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(await answer.toArray()).toString('utf8'),
  };
}

/** Whether a response is from a sandbox's control API. */
export function isSandbox({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return headers[SANDBOX_HEADER] !== undefined;
}
