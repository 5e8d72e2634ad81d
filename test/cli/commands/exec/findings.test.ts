import { describe, expect, test } from 'vitest';
import { type SandboxWatch, watchSandbox } from '../../../../src/cli/commands/exec/findings.js';
import { FAIL_ON } from '../../../../src/config/settings.js';
import { LIMITS } from '../../../../src/contract/limits.js';
import { createFailedAttempt } from '../../../../src/delivery/attempt-failure.js';
import type { AttemptResult } from '../../../../src/delivery/http-attempt.js';
import { verifyWebhook } from '../../../../src/signing/webhook.js';
import { START_MS } from '../../../helpers/core/world.js';
import { attemptResult, turns } from '../../../helpers/delivery/attempts.js';
import { chargeBody, testApi } from '../../../helpers/http/api-client.js';
import {
  SECRET,
  TestListener,
  listenTo,
  settle,
  startSandbox,
  type ListenOptions,
} from '../../../helpers/sandbox/sandbox.js';

const FORGED = {
  match: { on: 'delivery', eventType: null, endpointId: null, attempt: null },
  action: 'wrong-signature',
  status: null,
  delayMs: null,
  copies: null,
  probability: 1,
  count: null,
} as const;

const FIX =
  'Verify the signature over the raw body before anything else, and respond with 400 if it is invalid.';
const FAILS =
  '. The application failed on a valid webhook (500). Most likely, the handler throws an uncaught error (find it in the application’s log).';
const UNKNOWN =
  '. The application itself responded with 404. Every response other than 2xx is retried: return 2xx even for an unknown resource or a duplicate.';
/** A command that failed, from which no delivery is expected. */
const FAILED = { endedAt: Infinity, isDone: false };

describe('findings', () => {
  test('findings are empty without problems', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: ({ forged }) => (forged ? 400 : 200) });
    for (const event of ['pix.settled', 'withdrawal.settled', 'withdrawal.failed'] as const) {
      sandbox.dispatch({ type: 'trigger', event });
    }
    await turns();
    expect(listener.received).toHaveLength(4);
    expect(listener.received.filter(({ forged }) => forged)).toHaveLength(1);
    expect(watched.findings(FAIL_ON)).toEqual([]);
  });

  test('findings name undelivered events and their progress', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: () => 500 });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(watched.findings(['undelivered', 'ledger', 'unmatched'])).toEqual([
      {
        kind: 'undelivered',
        message: `pix.settled of order-1 is PENDING (https://listener.listen.sandbox.localhost/) after 1 attempt: HTTP_STATUS 500${FAILS}`,
      },
    ]);
    expect(watched.findings(['ledger'])).toEqual([]);
    const found = watched.findings(['undelivered']);
    sandbox.epoch.records.drop(sandbox.world.deliveries.rows.map(({ id }) => id));
    expect(watched.findings(['undelivered'])).toEqual(found);
  });

  test('findings name equal failures once, with their count and a command for the target', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const { endpoint } = new TestListener(sandbox, { status: () => 401 });
    Object.assign(endpoint, { description: 'start → http://localhost:3000/hook' });
    for (const code of ['order-1', 'order-2', 'order-3'])
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code } });
    await turns();
    const [only, ...others] = watched.findings(['undelivered']);
    expect(only?.message).toMatch(
      /^pix\.settled of order-1 is PENDING .* 401\. .*: `npx sandbox check --forward-to http:\/\/localhost:3000\/hook`\. 2 more/,
    );
    expect(others).toEqual([]);
  });

  test('findings name forged deliveries that were accepted, and not those that were rejected', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, []);
    let status = 400;
    const listener = new TestListener(sandbox, { status: () => status });
    sandbox.dispatch({ type: 'fault.add', fault: FORGED });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(watched.findings(['unverified'], FAILED)).toEqual([]);
    status = 200;
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-2' } });
    await turns();
    expect(watched.findings(['unverified'], FAILED)).toEqual([
      {
        kind: 'unverified',
        message: `pix.settled of order-2: attempt 1 had the fault wrong-signature and was accepted with 200. ${FIX}`,
      },
    ]);
  });

  test('findings show the start of the receiver’s response, on one line and without known secrets', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const { endpoint, received } = new TestListener(sandbox, { status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const body = Buffer.from(`the database\n  is on fire \u001b[2J ${endpoint.secret} ${'x'.repeat(300)}`);
    const response = { headers: [], body, truncated: false };
    sandbox.listeners.reply(endpoint.id, received[0]?.attempt_id ?? '', { ...attemptResult(500), response });
    await turns();
    const [finding] = watched.findings(['undelivered']);
    expect(finding?.message).toMatch(
      /after 1 attempt: HTTP_STATUS 500: the database is on fire \\x1b\[2J … x{100,}…\. The application failed/,
    );
  });

  test('findings name the first cause and count the rest, without attempts refused after the command ended', async () => {
    const real = { ms: START_MS };
    const sandbox = startSandbox({ realNow: () => real.ms });
    sandbox.setRate(1);
    const watched = watchSandbox(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { schedule: 'fast', status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const response = { headers: [], body: Buffer.from('{"error":"no such order"}'), truncated: false };
    const notFound = { ...attemptResult(404), response };
    const refused = createFailedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED');
    const messageAfter = (endedAt: number) =>
      watched.findings(['undelivered'], { endedAt, isDone: true })[0]?.message;
    const attempt = async (result: AttemptResult) => {
      await turns();
      const { attempt_id: id = '' } = listener.received.at(-1) ?? {};
      expect(sandbox.listeners.reply(listener.endpoint.id, id, result)).toBe(true);
      await turns();
      real.ms += 10_000;
      sandbox.dispatch({ type: 'clock.tick' });
    };
    for (let count = 0; count < 5; count += 1) await attempt(notFound);
    const endedAt = real.ms;
    await attempt(refused);
    const counted = '5 × HTTP_STATUS 404: {"error":"no such order"}';
    expect(messageAfter(endedAt)).toMatch(
      new RegExp(`^pix.settled of order-1 is PENDING .* after 5 attempts: `),
    );
    expect(messageAfter(endedAt)?.endsWith(counted + UNKNOWN)).toBe(true);
    expect(
      messageAfter(endedAt + 1)?.endsWith(`after 6 attempts: ${counted}; then CONNECTION_REFUSED${UNKNOWN}`),
    ).toBe(true);
  });

  test('findings report a command that ended before the first attempt', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const { attempt_id: id = '' } = listener.received[0] ?? {};
    sandbox.listeners.reply(
      listener.endpoint.id,
      id,
      createFailedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'),
    );
    await turns();
    const [finding] = watched.findings(['undelivered'], { endedAt: 0, isDone: true });
    expect(finding?.message).toMatch(
      /because the command exited before the first attempt; exit only after handling the webhook$/,
    );
  });

  test('findings include forgeries after a reset', async () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, []);
    const listener = new TestListener(sandbox);
    sandbox.dispatch({ type: 'fault.add', fault: FORGED });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
    await turns();
    expect(listener.received).toHaveLength(1);
    sandbox.reset();
    expect(watched.findings(FAIL_ON)).toMatchObject([{ kind: 'unverified' }]);
  });

  test('findings name accounts that are not balanced', () => {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const [account] = sandbox.world.accounts.values();
    account?.transactions.pop();
    const messages = watched.findings(['ledger']).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/: transactions add up to 10100.00, but the balance is 10099.20$/),
      expect.stringMatching(/: order-1 moved 100.00 instead of 99.20$/),
    ]);
  });
});

const URL = 'https://listener.listen.sandbox.localhost/';

function watched(status?: ListenOptions['status'], name?: string) {
  const sandbox = startSandbox({ realNow: () => START_MS });
  const forgeries = watchSandbox(sandbox, ['unverified']);
  const listener = new TestListener(sandbox, { status, name });
  return { sandbox, forgeries, listener };
}

function problemsOf({ findings }: SandboxWatch, isDone = true): readonly string[] {
  return findings(['unverified'], { endedAt: Infinity, isDone }).map(({ message }) => message);
}

const REFUSES: ListenOptions['status'] = ({ forged }) => (forged ? 401 : 204);

describe('forged copies', () => {
  test('forged copies are sent to each receiver once, after the first delivery that it accepts', async () => {
    let isBroken = true;
    const { sandbox, forgeries, listener } = watched((attempt) => (isBroken ? 500 : REFUSES(attempt)));
    settle(sandbox);
    await turns();
    expect(listener.received.map(({ forged }) => forged)).toEqual([undefined]);
    isBroken = false;
    const other = new TestListener(sandbox, { status: REFUSES, name: 'other' });
    for (const _event of [1, 2]) {
      settle(sandbox);
      await turns();
    }
    await forgeries.settled(new AbortController().signal);
    expect(listener.received.map(({ forged }) => forged)).toEqual([undefined, undefined, true, undefined]);
    expect(other.received.map(({ forged }) => forged)).toEqual([undefined, true, undefined]);
    expect(problemsOf(forgeries)).toEqual([]);
    expect(forgeries.refused).toEqual([
      `${URL} refused a forged pix.settled with 401`,
      'https://other.listen.sandbox.localhost/ refused a forged pix.settled with 401',
    ]);
  });

  test('forged copies have a fresh webhook-id and an invalid signature, and are not attempts', async () => {
    const { sandbox, forgeries, listener } = watched();
    settle(sandbox);
    await turns();
    const [genuine, forged] = listener.received;
    const idOf = (attempt: typeof forged) => attempt?.headers['webhook-id'] ?? '';
    expect(idOf(forged)).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(idOf(forged)).not.toBe(idOf(genuine));
    const bodies = listener.bodies();
    expect(bodies[1]?.replaceAll(idOf(forged), idOf(genuine))).toBe(bodies[0]);
    const verdicts = listener.received.map(({ headers, body }) =>
      verifyWebhook({ headers, body: Buffer.from(body, 'base64'), secrets: SECRET, nowS: START_MS / 1000 }),
    );
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, false]);
    expect(sandbox.world.deliveries.rows.map(({ attempts }) => attempts)).toEqual([1]);
    expect(problemsOf(forgeries)).toEqual([
      `${URL} accepted a forged pix.settled (wrong signature, new webhook-id) with 200. ${FIX}`,
    ]);
  });

  test('forged copies are sent again and reported until a receiver responds', async () => {
    const { sandbox, forgeries, listener } = watched(({ forged }) => (forged ? undefined : 200));
    settle(sandbox);
    await turns();
    const { attempt_id: id = '' } = listener.received.at(-1) ?? {};
    sandbox.listeners.reply(
      listener.endpoint.id,
      id,
      createFailedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'),
    );
    await turns();
    expect(problemsOf(forgeries)).toEqual([
      `${URL} accepted an event, but did not respond to a forged copy (CONNECTION_REFUSED). Keep the receiver running until exec stops it.`,
    ]);
    settle(sandbox);
    await turns();
    listener.answer(listener.received.at(-1), 400);
    await turns();
    expect(problemsOf(forgeries)).toEqual([]);
    expect(forgeries.refused).toHaveLength(1);
  });

  test('forged copies are expected if the command succeeded', async () => {
    const { sandbox, forgeries } = watched(() => 500);
    settle(sandbox);
    await turns();
    expect(problemsOf(forgeries)).toEqual([
      expect.stringMatching(
        /^No forged copy was sent, because no delivery was accepted with 2xx\. .*--forward-to/,
      ),
    ]);
    expect(problemsOf(forgeries, false)).toEqual([]);
  });

  test('forged copies are not sent to the test receiver, or because of a simulated 200', async () => {
    const { sandbox, forgeries, listener } = watched(() => 500);
    sandbox.testReceiver.turnOn(200);
    sandbox.dispatch({
      type: 'fault.add',
      fault: {
        match: { on: 'delivery', eventType: null, endpointId: listener.endpoint.id, attempt: null },
        action: 'answer',
        status: 200,
        delayMs: null,
        copies: null,
        probability: 1,
        count: null,
      },
    });
    settle(sandbox);
    await turns();
    expect(sandbox.world.deliveries.rows.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED']);
    expect(listener.received).toEqual([]);
    expect(problemsOf(forgeries)).toHaveLength(1);
  });
});

describe('unmatched requests', () => {
  test('unmatched requests are those without a route, with the nearest one', async () => {
    const api = await testApi();
    const unmatched = watchSandbox(api.sandbox, []);
    await api.call('POST', '/pix', { body: chargeBody() });
    await api.call('GET', '/webhook-endpoints/849e0378-bb69-4963-9fcd-10e97bbc2ef9');
    await api.send('GET', '/favicon.ico');
    expect(unmatched.findings(['unmatched']).map(({ message }) => message)).toEqual([]);
    await api.call('POST', '/charges?trace=1', { body: chargeBody() });
    await api.call('POST', '/charges?trace=2', { body: chargeBody() });
    await api.call('PUT', '/pix');
    await api.send('GET', '/coffee');
    await api.send('POST', '/api/v1/kyc/session');
    await api.open('PUT', '/start');
    expect(unmatched.findings(['unmatched']).map(({ message }) => message)).toEqual([
      'POST /api/public/v1/charges matched no route (404 NOT_FOUND, 2 times). Did you mean POST /api/public/v1/pix?',
      'PUT /api/public/v1/pix matched no route (405 METHOD_NOT_ALLOWED). Did you mean POST /api/public/v1/pix?',
      'GET /coffee matched no route (404 NOT_FOUND). The paths of this API begin with /api/public/v1.',
      'POST /api/v1/kyc/session matched no route (404 NOT_FOUND). Did you mean POST /api/v1/kyc/sessions?',
      'PUT /start matched no route (405 METHOD_NOT_ALLOWED).',
    ]);
  });

  test('unmatched requests survive a reset and removal from the request log', async () => {
    const api = await testApi();
    const unmatched = watchSandbox(api.sandbox, []);
    await api.call('GET', '/nothing');
    await api.control('POST', 'reset');
    for (let n = 0; n <= LIMITS.callsKept; n += 1) await api.call('GET', '/withdrawals');
    expect(unmatched.findings(['unmatched']).map(({ message }) => message)).toHaveLength(1);
  });
});

describe('a used sandbox', () => {
  test('a used sandbox is marked by a request to an API, even a rejected one, beyond a reset', async () => {
    for (const path of ['/api/public/v1/pix', '/api/v1/kyc/sessions']) {
      const api = await testApi();
      const usage = watchSandbox(api.sandbox, []);
      await api.control('GET', 'status');
      expect(usage.isUsed()).toBe(false);
      await api.send('GET', path);
      expect(usage.isUsed()).toBe(true);
      api.sandbox.reset();
      expect(usage.isUsed()).toBe(true);
    }
  });

  test('a used sandbox is marked by a delivery with a response', async () => {
    const sandbox = startSandbox();
    const usage = watchSandbox(sandbox, []);
    const listener = listenTo(sandbox, { status: () => undefined });
    settle(sandbox);
    await turns();
    const { attempt_id: id = '' } = listener.received[0] ?? {};
    sandbox.listeners.reply(
      listener.endpoint.id,
      id,
      createFailedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'),
    );
    await turns();
    expect(usage.isUsed()).toBe(false);
    settle(sandbox);
    await turns();
    listener.answer(listener.received[1], 500);
    await turns();
    expect(usage.isUsed()).toBe(true);
  });

  test.each([{ command: 'check' }, { command: 'explore' }, { command: 'trigger', scenario: 'paid' }])(
    'a used sandbox is marked by registering %j',
    (facts) => {
      const sandbox = startSandbox();
      const usage = watchSandbox(sandbox, []);
      sandbox.note({ kind: 'command', id: null, title: '', facts: { command: 'trigger' } });
      expect(usage.isUsed()).toBe(false);
      sandbox.note({ kind: 'command', id: null, title: '', facts });
      expect(usage.isUsed()).toBe(true);
    },
  );
});
