import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { socketClient } from '../../../client/socket.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { startServer } from '../../../http/server/start.js';
import { signRequest } from '../../../signing/request.js';
import { verifyWebhook } from '../../../signing/webhook.js';
import { oneLine } from '../../terminal/text.js';
import type { Check } from './doctor-checks.js';
import { ask, fail, ok } from './doctor-checks.js';

/** Real-time limit for the whole round trip. */
const PATIENCE_MS = 10_000;
const API = '/api/public/v1';

/**
 * Starts a sandbox of its own on a free port, creates a charge through the signed API, pays it, receives the
 * delivery and verifies it. Touches no other sandbox.
 */
export async function roundTripCheck(): Promise<Check> {
  const startedMs = performance.now();
  try {
    await roundTrip();
    const tookMs = Math.round(performance.now() - startedMs);
    return ok(`A charge was created, paid, announced and verified in ${tookMs} ms.`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail(
      oneLine(message, 0),
      'Check the warnings above; a firewall or proxy may block connections within this machine.',
    );
  }
}

async function roundTrip(): Promise<void> {
  const server = await startServer({ port: 0, policy: { routes: new Map(), allowLocalEndpoints: true } });
  const control = socketClient({ url: server.url });
  const receiver = createServer().listen(0, '127.0.0.1');
  try {
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
    const endpoint = await signed<{ secret: string }>(server, `${API}/webhook-endpoints`, {
      url,
      events: ['pix.settled'],
    });
    const charge = await signed<{ id: string }>(server, `${API}/pix`, {
      code: 'doctor-1',
      account_id: server.env.SANDBOX_ACCOUNT_ID,
      amount: '10.00',
    });
    const arrival = once(receiver, 'request', { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => []);
    await control.post('charges/:id/settle', { id: charge.id });
    const [request, response] = (await arrival) as [IncomingMessage?, ServerResponse?];
    if (request === undefined) {
      throw new Error(`No delivery arrived at ${url} within ${PATIENCE_MS / 1000} s.`);
    }
    const body = await buffer(request);
    response?.end();
    checkArrival(request.headers, body, endpoint.secret, charge.id);
  } finally {
    control.close();
    receiver.close();
    receiver.closeAllConnections();
    await server.close(0);
  }
}

async function signed<Answer>({ url, env }: SandboxServer, target: string, fields: object): Promise<Answer> {
  const body = Buffer.from(JSON.stringify(fields));
  const { headers } = signRequest({
    method: 'POST',
    target,
    body,
    secret: env.SANDBOX_SIGNING_SECRET ?? '',
    timestampS: Math.floor(Date.now() / 1000),
  });
  const answer = await ask(url + target, {
    body,
    timeoutMs: PATIENCE_MS,
    headers: {
      ...headers,
      authorization: `Bearer ${env.SANDBOX_TOKEN}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
  });
  if (answer.status === 201) return JSON.parse(answer.body) as Answer;
  throw new Error(`POST ${target} answered ${answer.status}: ${answer.body.slice(0, 200)}`);
}

function checkArrival(headers: IncomingHttpHeaders, body: Buffer, secret: string, chargeId: string): void {
  const one = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const nowS = Math.floor(Date.now() / 1000);
  const verdict = verifyWebhook({ body, headers: one, secrets: secret, nowS });
  if (!verdict.ok) throw new Error(`The delivery's signature is invalid: ${verdict.message}`);
  if (!body.includes(chargeId)) throw new Error('The delivery is about another charge.');
}
