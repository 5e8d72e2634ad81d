import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';

/**
 * What global fetch does for one origin, on `node:http`: the request-target travels as it was signed, and every request has a
 * connection of its own, because one that breaks on purpose must not be taken for an old one.
 */
export function httpFetch(origin: string): (target: string, init?: RequestInit) => Promise<Response> {
  const base = origin.replace(/(?<!\/)\/+$/, '');
  return async (target, { method = 'GET', headers, body, signal } = {}) => {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        base + target,
        {
          method,
          agent: false,
          headers: Object.fromEntries(new Headers(headers)),
          ...(signal ? { signal } : {}),
        },
        resolve,
      );
      request.on('error', reject);
      request.end(typeof body === 'string' ? body : undefined);
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
