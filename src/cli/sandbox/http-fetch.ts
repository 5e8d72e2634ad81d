import { Readable } from 'node:stream';
import { openHttp } from '../../client/socket.js';

/**
 * What global fetch does for one origin, on `node:http`: the request-target travels as it was signed, and every request has a
 * connection of its own, because one that breaks on purpose must not be taken for an old one.
 */
export function httpFetch(origin: string): (target: string, init?: RequestInit) => Promise<Response> {
  const base = origin.replace(/(?<!\/)\/+$/, '');
  return async (target, { method = 'GET', headers, body, signal } = {}) => {
    const incoming = await openHttp(base + target, {
      method,
      agent: false,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
      ...(signal ? { signal } : {}),
    });
    const { statusCode: status = 500 } = incoming;
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), {
      status,
      headers: new Headers(
        Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
    });
  };
}
