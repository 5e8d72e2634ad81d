import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { RunningSandbox } from './e2e.js';

/** The fields of the service's answers that these tests follow. */
export interface ApiBody {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly data: readonly ApiBody[];
  readonly error?: { readonly code: string };
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: ApiBody;
}

/** Calls the public API as an integrator's code does. */
export async function callApi(
  sandbox: RunningSandbox,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<ApiAnswer> {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: {
      authorization: `Bearer ${sandbox.env('SANDBOX_TOKEN')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: (await response.json()) as ApiBody };
}

/** The signature headers of a request (§5.2), made from the contract's words with node:crypto alone. */
export function signatureHeaders(sandbox: RunningSandbox, method: string, path: string, body = '') {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const signature = createHmac('sha256', sandbox.env('SANDBOX_SIGNING_SECRET'))
    .update(`${timestamp}.${nonce}.${method}.${path}.${digest}`)
    .digest('hex');
  return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature };
}
