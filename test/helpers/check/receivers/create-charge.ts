import { randomUUID } from 'node:crypto';
import { signRequest } from '../../../../src/signing/index.js';
import type { EnvironmentBlock } from '../../../../src/shapes.js';

const PATH = '/api/public/v1/pix';
/** The price of everything in a shop. */
export const AMOUNT = '49.90';

/** The payments service, without a socket. */
export interface Service {
  readonly env: EnvironmentBlock;
  readonly fetch: (path: string, init: RequestInit) => Promise<Pick<Response, 'status' | 'text'>>;
}

/** Creates a charge as an application does: by a signed request. */
export async function createCharge({ env, fetch }: Service, code: string, amount = AMOUNT): Promise<void> {
  const body = JSON.stringify({ code, account_id: env.SANDBOX_ACCOUNT_ID, amount });
  const timestampS = Math.floor(Date.now() / 1000);
  const { headers } = signRequest({
    method: 'POST',
    target: PATH,
    body: Buffer.from(body),
    secret: env.SANDBOX_SIGNING_SECRET,
    timestampS,
    nonce: randomUUID(),
  });
  const authorization = `Bearer ${env.SANDBOX_TOKEN}`;
  const init = {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
  };
  const answer = await fetch(PATH, init);
  if (answer.status !== 201)
    throw new Error(`Expected a charge; got ${answer.status} ${await answer.text()}`);
}
