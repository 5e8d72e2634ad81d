import { createHash, createHmac, randomUUID } from 'node:crypto';

const { SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_SIGNING_SECRET, SANDBOX_ACCOUNT_ID } = process.env;
const path = '/api/public/v1/pix';

/** Creates the charge of an order. */
export async function createCharge(code, amount) {
  const body = JSON.stringify({ account_id: SANDBOX_ACCOUNT_ID, code, amount });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const response = await fetch(SANDBOX_BASE_URL + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SANDBOX_TOKEN}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': createHmac('sha256', SANDBOX_SIGNING_SECRET)
        .update(`${timestamp}.${nonce}.POST.${path}.${digest}`)
        .digest('hex'),
    },
    body,
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
