import { describe, expect, test } from 'vitest';
import { FAIL_ON } from '../../../../src/cli/program/shared-options.js';
import { findingsOf, watch } from '../../../../src/cli/commands/exec/findings.js';
import { failedAttempt } from '../../../../src/delivery/attempt-failure.js';
import type { AttemptResult } from '../../../../src/delivery/http-attempt.js';
import type { Call } from '../../../../src/sandbox/call-log.js';
import { startSandbox, TestListener } from '../../../helpers/sandbox/sandbox.js';
import { START_MS } from '../../../helpers/core/world.js';
import { attemptResult, turns } from '../../../helpers/delivery/attempts.js';

const FORGED = {
  match: { on: 'delivery', eventType: null, endpointId: null, attempt: null },
  action: 'wrong-signature',
  status: null,
  delayMs: null,
  copies: null,
  probability: 1,
  count: null,
} as const;

const FIX = 'Verify the signature over the raw body before anything else, and respond 400 when it is wrong.';
const RESPOND =
  '. Respond 2xx to every genuine event, even to one that you ignore; `check` finds out why one is refused.';
/** A command that failed, from which no delivery is expected. */
const FAILED = { endedAt: Infinity, isDone: false };

describe('findings', () => {
  test('are none where all is well', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: ({ forged }) => (forged ? 400 : 200) });
    for (const event of ['pix.settled', 'withdrawal.settled', 'withdrawal.failed'] as const) {
      sandbox.dispatch({ type: 'trigger', event });
    }
    await turns();
    expect(listener.received).toHaveLength(4);
    expect(listener.received.filter(({ forged }) => forged)).toHaveLength(1);
    expect(findingsOf(watched, FAIL_ON)).toEqual([]);
  });

  test('name what was not delivered, and how far it came', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: () => 500 });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(findingsOf(watched, ['undelivered', 'ledger', 'unmatched'])).toEqual([
      {
        kind: 'undelivered',
        message: `pix.settled of order-1 is PENDING (https://listener.listen.sandbox.localhost/) after 1 attempt: HTTP_STATUS 500${RESPOND}`,
      },
    ]);
    expect(findingsOf(watched, ['ledger'])).toEqual([]);
    const found = findingsOf(watched, ['undelivered']);
    sandbox.records.drop(sandbox.world.deliveries.rows.map(({ id }) => id));
    expect(findingsOf(watched, ['undelivered'])).toEqual(found);
  });

  test('name deliveries that a fault forged and that were accepted, and not those that were refused', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, []);
    let status = 400;
    const listener = new TestListener(sandbox, { status: () => status });
    sandbox.dispatch({ type: 'fault.add', fault: FORGED });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(findingsOf(watched, ['unverified'], FAILED)).toEqual([]);
    status = 200;
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-2' } });
    await turns();
    expect(findingsOf(watched, ['unverified'], FAILED)).toEqual([
      {
        kind: 'unverified',
        message: `pix.settled of order-2: attempt 1 had a wrong-signature and was accepted with 200. ${FIX}`,
      },
    ]);
  });

  test('show the start of what the receiver answered, on one line and without known secrets', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    const { endpoint, received } = new TestListener(sandbox, { status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const body = Buffer.from(`the database\n  is on fire \u001b[2J ${endpoint.secret} ${'x'.repeat(300)}`);
    const response = { headers: [], body, truncated: false };
    sandbox.listeners.answer(endpoint.id, received[0]?.attempt_id ?? '', { ...attemptResult(500), response });
    await turns();
    const [finding] = findingsOf(watched, ['undelivered']);
    expect(finding?.message).toMatch(
      /after 1 attempt: HTTP_STATUS 500: the database is on fire \\x1b\[2J … x{100,}…\. Respond 2xx/,
    );
  });

  test('name the first cause and count the rest, without attempts refused after the command ended', async () => {
    const real = { ms: START_MS };
    const sandbox = startSandbox({ realNow: () => real.ms });
    sandbox.setRate(1);
    const watched = watch(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { schedule: 'fast', status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const response = { headers: [], body: Buffer.from('{"error":"no such order"}'), truncated: false };
    const notFound = { ...attemptResult(404), response };
    const refused = failedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED');
    const messageAfter = (endedAt: number) =>
      findingsOf(watched, ['undelivered'], { endedAt, isDone: true })[0]?.message;
    const attempt = async (result: AttemptResult) => {
      await turns();
      const { attempt_id: id = '' } = listener.received.at(-1) ?? {};
      expect(sandbox.listeners.answer(listener.endpoint.id, id, result)).toBe(true);
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
    expect(messageAfter(endedAt)?.endsWith(counted + RESPOND)).toBe(true);
    expect(
      messageAfter(endedAt + 1)?.endsWith(`after 6 attempts: ${counted}; then CONNECTION_REFUSED${RESPOND}`),
    ).toBe(true);
  });

  test('say so where the command ended before the first attempt', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, { status: () => undefined });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const { attempt_id: id = '' } = listener.received[0] ?? {};
    sandbox.listeners.answer(listener.endpoint.id, id, failedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'));
    await turns();
    const [finding] = findingsOf(watched, ['undelivered'], { endedAt: 0, isDone: true });
    expect(finding?.message).toMatch(
      /because the command ended before its first attempt: end it only after the webhook was handled$/,
    );
  });

  test('name what ended a delivery without an attempt', () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    sandbox.dispatch({ type: 'deliveries.pause' });
    const { endpoint } = new TestListener(sandbox);
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    sandbox.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const [finding] = findingsOf(watched, ['undelivered']);
    expect(finding?.message).toMatch(/ is FAILED .* after 0 attempts: ENDPOINT_DISABLED$/);
  });

  test('know of forgeries after a reset', async () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, []);
    const listener = new TestListener(sandbox);
    sandbox.dispatch({ type: 'fault.add', fault: FORGED });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
    await turns();
    expect(listener.received).toHaveLength(1);
    sandbox.reset();
    expect(findingsOf(watched, FAIL_ON)).toMatchObject([{ kind: 'unverified' }]);
  });

  test('name accounts that do not add up', () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const [account] = sandbox.world.accounts.values();
    account?.transactions.pop();
    const messages = findingsOf(watched, ['ledger']).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/: transactions add up to 10100.00, the balance is 10099.20$/),
      expect.stringMatching(/: order-1 moved 100.00 instead of 99.20$/),
    ]);
  });

  test('name calls that met nothing, and only where they are asked for', () => {
    const sandbox = startSandbox();
    const watched = watch(sandbox, FAIL_ON);
    sandbox.calls.add(aCall({ path: '/pix', hint: 'Did you mean POST /api/public/v1/pix?' }));
    sandbox.calls.add(aCall({ path: '/api/public/v1/webhook-endpoints/x', matched: true }));
    expect(findingsOf(watched, ['undelivered', 'ledger'])).toEqual([]);
    expect(findingsOf(watched, ['unmatched'])).toEqual([
      {
        kind: 'unmatched',
        message: 'POST /pix met nothing (404 NOT_FOUND). Did you mean POST /api/public/v1/pix?',
      },
    ]);
  });
});

function aCall(call: Partial<Call>): Call {
  return {
    requestId: 'request-1',
    at: 0,
    realAt: 0,
    door: 'api',
    method: 'POST',
    path: '/',
    status: 404,
    matched: false,
    appId: null,
    resourceId: null,
    error: 'NOT_FOUND',
    hint: null,
    warnings: [],
    faults: [],
    ...call,
  };
}
