import type { PublicLimits } from '../../../src/http/server/surfaces.js';
import type { PublicServerOptions } from '../../../src/http/server/serve-public.js';
import { servePublic } from '../../../src/http/server/serve-public.js';
import type { SandboxServer, ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { signRequest } from '../../../src/signing/request.js';
import { chargeBody } from './api-client.js';
import type { RawResponse } from './http-raw.js';
import { RawConnection } from './http-raw.js';

export const PUBLIC_HOST = 'shop.relay.example';
export const PUBLIC_ORIGIN = `https://${PUBLIC_HOST}`;
export const PROBE = { path: '/0123456789abcdef', token: 'the token' };

const PLENTY = { calls: 1_000_000, perMs: 1_000 };

/** A sandbox, also as a tunnel would expose it. */
export interface PublicSandbox extends AsyncDisposable {
  readonly server: SandboxServer;
  readonly port: number;
  /** Undefined until the relay has told it. */
  origin: string | undefined;
  /** Sends a request as it is, with the public Host unless the headers name one. */
  readonly ask: (requestLine: string, headers?: readonly string[], body?: string) => Promise<RawResponse>;
  /** All that is answered to such a request, byte for byte, but for what differs each time: request id and date. */
  readonly bytes: (requestLine: string, headers?: readonly string[], body?: string) => Promise<string>;
}

export interface PublicSandboxOptions extends ServerOptions, Pick<PublicServerOptions, 'pay'> {
  readonly limits?: Partial<PublicLimits>;
}

export async function openPublicSandbox({
  limits,
  pay,
  ...options
}: PublicSandboxOptions = {}): Promise<PublicSandbox> {
  const server = await startServer({ port: 0, ...options });
  const served = await servePublic(server.sandbox, {
    origin: () => surfaces.origin,
    probe: PROBE,
    pay,
    limits: { each: PLENTY, total: PLENTY, bodyMs: 30_000, ...limits },
  });
  const withHost = (headers: readonly string[]) =>
    headers.some((header) => /^host:/i.test(header)) ? headers : [`Host: ${PUBLIC_HOST}`, ...headers];
  const surfaces: PublicSandbox = {
    server,
    port: served.port,
    origin: PUBLIC_ORIGIN,
    ask: async (requestLine, headers = [], body = '') => {
      await using connection = new RawConnection(served.port);
      return await connection.request([`${requestLine} HTTP/1.1`, ...withHost(headers)], body).response();
    },
    bytes: async (requestLine, headers = [], body = '') => {
      await using connection = new RawConnection(served.port);
      const lines = [`${requestLine} HTTP/1.1`, ...withHost(headers), 'Connection: close'];
      const text = await connection.request(lines, body).rest();
      return text.replaceAll(/req_[0-9a-f]{32}/g, 'req_…').replace(/^Date: .*$/im, 'Date: …');
    },
    [Symbol.asyncDispose]: async () => {
      await served.close(0);
      await server.close(0);
    },
  };
  return surfaces;
}

/** The request line, headers and body of a signed charge. */
export function signedCharge(
  { sandbox }: SandboxServer,
  { code = 'order-1', secret = sandbox.credentials.signingSecret, target = '/api/public/v1/pix' } = {},
): [requestLine: string, headers: string[], body: string] {
  const body = JSON.stringify(chargeBody({ code }));
  const { headers } = signRequest({
    method: 'POST',
    target,
    body: Buffer.from(body),
    secret,
    timestampS: Math.floor(sandbox.realNow() / 1000),
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    `POST ${target}`,
    [
      `Authorization: Bearer ${sandbox.credentials.token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...lines,
    ],
    body,
  ];
}
