import { describe, expect, onTestFinished, test } from 'vitest';
import { createSocketClient } from '../../src/client/socket.js';
import { observeSandbox } from '../../src/explore/observe.js';
import { startServer } from '../../src/http/server/start.js';
import { findFreePort } from '../../src/child.js';
import { signRequest } from '../../src/signing/request.js';
import { openSandbox } from '../../src/testing/create-sandbox.js';
import type { FaultFields } from '../../src/public-types.js';
import { RawConnection } from '../helpers/http/http-raw.js';

test('ignores requests refused before they reached their API, where no fault applies', async () => {
  const server = await startServer({ port: 0 });
  try {
    const { token } = server.sandbox.credentials;
    for (const host of ['shop.example', 'localhost']) {
      await using connection = new RawConnection(server.port);
      const lines = ['GET /api/public/v1/withdrawals HTTP/1.1', `Host: ${host}`];
      await connection.request([...lines, `Authorization: Bearer ${token}`]).response();
    }
    expect(server.sandbox.calls.newest().map(({ status }) => status)).toEqual([200, 403]);
    const { points } = await observeSandbox(createSocketClient({ url: server.url, token: undefined }), {
      faults: [],
    });
    expect(points).toMatchObject([{ method: 'GET', nth: 1 }]);
  } finally {
    await server.close(0);
  }
});

async function opened(faults: readonly FaultFields[]) {
  const open = await openSandbox({ port: false, seed: '7', faults });
  onTestFinished(() => open.verbs.close());
  return open;
}

describe('connections refused after the tests have ended', () => {
  async function refused() {
    const faults = [{ on: 'delivery', action: 'lose-answer', event: 'pix.settled', nth: 1 }] as const;
    const { verbs, sandbox, control } = await opened(faults);
    verbs.forwardTo(`http://127.0.0.1:${await findFreePort()}/webhooks`);
    await verbs.trigger('pix.settled', { with: { code: 'order-1' } });
    const endedAfter = sandbox.timeline.ring.newest;
    await sandbox.attemptsEnded();
    return { observed: (end?: number) => observeSandbox(control, { faults, endedAfter: end }), endedAfter };
  }

  test('connections refused after the tests are ignored as a point, a fired fault and a trace line', async () => {
    const { observed, endedAfter } = await refused();
    const { points, fired, trace } = await observed(endedAfter);
    expect([points, fired]).toEqual([[], [0]]);
    expect(trace.join()).not.toContain('attempt 1');
  });

  test('connections refused before the end of the tests are counted', async () => {
    const { observed } = await refused();
    const { points, fired, trace } = await observed();
    expect(points).toMatchObject([{ event: 'pix.settled', attempt: 1 }]);
    expect(fired).toEqual([1]);
    expect(trace.join()).toContain('CONNECTION_REFUSED');
  });
});

test.each([
  ['wrong-signature', 1],
  ['answer', 0],
])('reports a forgery accepted by the application, not by a fault: %s', async (action, count) => {
  const forgery = { on: 'delivery', action: 'wrong-signature', nth: 1 } as const;
  const answer = { on: 'delivery', action: 'answer', status: 200, nth: 1 } as const;
  const faults = action === 'answer' ? [forgery, answer] : [forgery];
  const { verbs, sandbox, control } = await opened(faults);
  verbs.forwardTo({ fetch: () => new Response() });
  await verbs.trigger('pix.settled');
  await sandbox.attemptsEnded();
  const { fired, observed } = await observeSandbox(control, { faults });
  expect(fired).toEqual(faults.map(() => 1));
  expect(observed.violations['no unverified acceptance']).toHaveLength(count);
});

describe('a request with a dropped response', () => {
  const PATH = '/api/public/v1/pix';
  const faults = [{ on: 'call', action: 'lose-response', path: PATH, nth: 1 }] as const;

  /** The abandoned requests of a client that sends these nonces, one after the other. */
  async function abandoned(nonces: readonly string[]) {
    const { verbs, control } = await opened(faults);
    const { SANDBOX_ACCOUNT_ID: account_id, SANDBOX_SIGNING_SECRET: secret, SANDBOX_TOKEN } = verbs.env;
    const body = JSON.stringify({ code: 'order-1', account_id, amount: '10.00' });
    for (const nonce of nonces) {
      const timestampS = Math.floor(Date.now() / 1000);
      const { headers } = signRequest({ method: 'POST', target: PATH, body, secret, timestampS, nonce });
      const sent = {
        ...headers,
        'content-type': 'application/json',
        authorization: `Bearer ${SANDBOX_TOKEN}`,
      };
      await verbs.fetch(PATH, { method: 'POST', body, headers: sent }).catch(() => undefined);
    }
    const { violations } = (await observeSandbox(control, { faults })).observed;
    return violations['a lost response is requested again'];
  }

  const [ONE, OTHER] = ['n'.repeat(20), 'm'.repeat(20)];

  test.each([
    ['is reported as abandoned without a retry', [ONE], ['was not retried (§4.1)']],
    [
      'is reported as abandoned when retried with the same nonce',
      [ONE, ONE],
      ['retried with the same nonce, which is rejected: sign each attempt again'],
    ],
    ['is not abandoned when retried with a new signature', [ONE, OTHER], []],
  ])('%s', async (_, nonces, messages) => {
    expect(await abandoned(nonces)).toEqual(messages.map((message) => expect.stringContaining(message)));
  });
});
