import { describe, expect, test } from 'vitest';
import { Forgeries } from '../../../../src/cli/commands/exec/findings.js';
import { failedAttempt } from '../../../../src/delivery/attempt-failure.js';
import { verifyWebhook } from '../../../../src/signing/webhook.js';
import { turns } from '../../../helpers/delivery/attempts.js';
import type { ListenOptions } from '../../../helpers/sandbox/sandbox.js';
import { SECRET, settle, startSandbox, TestListener } from '../../../helpers/sandbox/sandbox.js';
import { START_MS } from '../../../helpers/core/world.js';

const EXPECTED = { expectsDelivery: true };
const URL = 'https://listener.listen.sandbox.localhost/';
const FIX = 'Verify the signature over the raw body before anything else, and respond 400 when it is wrong.';

function watched(status?: ListenOptions['status'], name?: string) {
  const sandbox = startSandbox({ realNow: () => START_MS });
  const forgeries = new Forgeries(sandbox, true);
  const listener = new TestListener(sandbox, { status, name });
  return { sandbox, forgeries, listener };
}

const REFUSES: ListenOptions['status'] = ({ forged }) => (forged ? 401 : 204);

describe('forged copies', () => {
  test('go to each receiver once, after the first delivery that it accepts', async () => {
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
    expect(forgeries.problems(EXPECTED)).toEqual([]);
    expect(forgeries.refused).toEqual([
      `${URL} refused a forged pix.settled with 401`,
      'https://other.listen.sandbox.localhost/ refused a forged pix.settled with 401',
    ]);
  });

  test('have a fresh webhook-id and a wrong signature, and are no attempts', async () => {
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
    expect(forgeries.problems(EXPECTED)).toEqual([
      `${URL} accepted a forged pix.settled (wrong signature, new webhook-id) with 200. ${FIX}`,
    ]);
  });

  test('that met nobody go out again, and are a problem until a receiver responds', async () => {
    const { sandbox, forgeries, listener } = watched(({ forged }) => (forged ? undefined : 200));
    settle(sandbox);
    await turns();
    const { attempt_id: id = '' } = listener.received.at(-1) ?? {};
    sandbox.listeners.answer(listener.endpoint.id, id, failedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'));
    await turns();
    expect(forgeries.problems(EXPECTED)).toEqual([
      `${URL} accepted an event, but did not respond to a forged copy (CONNECTION_REFUSED). Keep it running until exec ends it.`,
    ]);
    settle(sandbox);
    await turns();
    listener.answer(listener.received.at(-1), 400);
    await turns();
    expect(forgeries.problems(EXPECTED)).toEqual([]);
    expect(forgeries.refused).toHaveLength(1);
  });

  test('are expected where the command succeeded', async () => {
    const { sandbox, forgeries } = watched(() => 500);
    settle(sandbox);
    await turns();
    expect(forgeries.problems(EXPECTED)).toEqual([
      expect.stringMatching(
        /^Nothing forged was tried, because no delivery was accepted with 2xx: .*--forward-to/,
      ),
    ]);
    expect(forgeries.problems({ expectsDelivery: false })).toEqual([]);
  });

  test('do not go to the test receiver, nor out because of a simulated 200', async () => {
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
    expect(forgeries.problems(EXPECTED)).toHaveLength(1);
  });

  test('go out only where they are wanted', async () => {
    const sandbox = startSandbox();
    const forgeries = new Forgeries(sandbox, false);
    const listener = new TestListener(sandbox);
    settle(sandbox);
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(forgeries.problems({ expectsDelivery: false })).toEqual([]);
  });
});
