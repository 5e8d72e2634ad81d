import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSandbox, type TestSandbox } from '../../src/index.js';
import { formatRecording, fetchRecording } from '../../src/scenario/record.js';
import { runFresh, scenarioOf } from '../helpers/scenario/scenarios.js';

const START = '2026-03-01T09:00:00Z';

/** Records what was done to a sandbox, and runs that on a fresh one. */
async function recorded(act: (sandbox: TestSandbox) => Promise<unknown>) {
  await using sandbox = await createSandbox({ port: false, freezeAt: START });
  await act(sandbox);
  return await replayed(sandbox);
}

async function replayed(sandbox: TestSandbox) {
  const target = { env: sandbox.env, fetch: (path: string, init?: RequestInit) => sandbox.fetch(path, init) };
  const text = formatRecording(await fetchRecording(target));
  const { steps } = await runFresh(text);
  return { text, scenario: scenarioOf(text), failed: steps.filter(({ status }) => status !== 'passed') };
}

/** A receiver that answers so, one after the other; the last answer stays. */
function answering(...statuses: number[]) {
  let next = 0;
  return {
    fetch: () => {
      const status = statuses[Math.min(next, statuses.length - 1)] ?? 200;
      next += 1;
      return new Response(null, { status });
    },
  };
}

describe('a recorded scenario', () => {
  test('repeats the changes of charges, withdrawals and sessions', async () => {
    const { text, failed } = await recorded(async (sandbox) => {
      sandbox.forwardTo(answering(200));
      await sandbox.charges.create({ code: 'a', amount: '12.34', metadata: { note: 'costs ${price}' } });
      await sandbox.charges.create({ code: 'b' });
      await sandbox.charges.create({ code: 'c' });
      await sandbox.clock.advance('10m');
      await sandbox.charges.settle('a');
      await sandbox.charges.fail('b', { reason: 'AB03' });
      await sandbox.withdrawals.create({ code: 'w', amount: '30.00', pix_key: 'ana@example.com' });
      await sandbox.clock.advance('1h');
      await sandbox.withdrawals.settle('w');
      await sandbox.clock.advance('26h');
      await sandbox.withdrawals.return('w', { reason: 'AC07' });
      const { id } = await sandbox.kyc.create({ customer_type: 'business' });
      await sandbox.kyc.decide(id, { status: 'approved', delay: '5m', document: '11222333000181' });
      await sandbox.clock.advance('6m');
    });
    expect(failed).toEqual([]);
    expect(text).toContain('"freeze": "2026-03-01T09:00:00.000Z"');
    expect(text).toContain('{ "advance": "10m" }');
    expect(text).toContain('{ "settle": { "charge": "${charge_1.id}" } }');
    expect(text).toContain('"return": { "withdrawal": "${withdrawal_1.id}", "reason": "AC07" }');
    expect(text).toContain('costs $${price}');
  });

  test('repeats the results of deliveries, with retries and resends', async () => {
    const { text, scenario, failed } = await recorded(async (sandbox) => {
      sandbox.forwardTo(answering(...Array.from({ length: 16 }, () => 500), 200));
      await sandbox.trigger('pix.settled');
      await sandbox.trigger('pix.failed');
      await sandbox.clock.advance('45h');
      const [dead] = await sandbox.deliveries.list({ status: 'FAILED' });
      await sandbox.deliveries.retry(dead?.id ?? '');
      await sandbox.idle();
      await sandbox.events.resend(dead?.event_id ?? '');
      await sandbox.clock.advance('1m');
      await sandbox.trigger('pix.settled', { late: true });
    });
    expect(failed).toEqual([]);
    const { deliveries } = scenario.steps.at(-1)?.expect ?? {};
    expect(deliveries).toMatchObject([
      { type: 'pix.settled', status: 'FAILED', attempts: 8 },
      { type: 'pix.failed', status: 'DELIVERED', attempts: 9 },
      { type: 'pix.failed', status: 'DELIVERED', attempts: 1 },
      { type: 'pix.expired', status: 'DELIVERED' },
      { type: 'pix.settled', status: 'DELIVERED' },
    ]);
    expect(text).toContain('{ "retry": "${dead_1.deliveries.0.id}" }');
    expect(text).toContain('{ "advance": "1d21h" }');
  });

  test('adds the funds that a triggered withdrawal lacked', async () => {
    const { text, failed } = await recorded(async (sandbox) => {
      await sandbox.trigger('withdrawal.settled', { with: { amount: '20000.00' } });
      await sandbox.clock.advance('1h');
      await sandbox.trigger('withdrawal.failed', { withdrawal: 'withdrawal-1' });
    });
    expect(failed).toEqual([]);
    expect(text).toContain('"trigger": { "type": "withdrawal.settled"');
    expect(text).toContain('"return": { "withdrawal": "${withdrawal_1.events.0.resource.id}"');
  });

  test('expires what expired automatically, and has the same assumptions', async () => {
    await using sandbox = await createSandbox({
      port: false,
      freezeAt: START,
      assume: { 'charge.lifetime': '10m', 'signature.encoding': 'base64' },
    });
    await sandbox.charges.create({ code: 'a' });
    await sandbox.charges.create({ code: 'b' });
    await sandbox.clock.advance('5m');
    await sandbox.charges.expire('b');
    await sandbox.clock.advance('1h');
    const { text, scenario, failed } = await replayed(sandbox);
    expect(failed).toEqual([]);
    expect(scenario.sandbox?.assume).toEqual({ 'charge.lifetime': '10m', 'signature.encoding': 'base64' });
    expect(text.match(/"expire"/g)).toHaveLength(1);
    expect(scenario.steps.at(-1)?.expect?.events).toMatchObject([
      { type: 'pix.expired' },
      { type: 'pix.expired' },
    ]);
  });

  test('passes even if a listener connected late and disconnected', async () => {
    const { scenario, failed } = await recorded(async (sandbox) => {
      await sandbox.trigger('pix.settled');
      const first = sandbox.forwardTo(answering(500), { retries: 'fast', events: ['pix.settled'] });
      await sandbox.trigger('pix.settled');
      await sandbox.trigger('pix.failed');
      await sandbox.clock.advance('1s');
      await first.stop();
      await sandbox.clock.advance('1h');
      await sandbox.trigger('pix.settled');
    });
    expect(failed).toEqual([]);
    expect(scenario.steps.filter(({ receiver }) => receiver !== undefined)).toHaveLength(1);
  });

  test('a recorded scenario of an unused sandbox expects no changes', async () => {
    const { scenario, failed } = await recorded(() => Promise.resolve());
    expect(failed).toEqual([]);
    expect(scenario.steps).toEqual([{ expect: { events: { count: 0 } } }]);
  });

  test('contains no secret and no session id', async () => {
    const secrets: (string | undefined)[] = [];
    const { text } = await recorded(async (sandbox) => {
      sandbox.forwardTo(answering(200));
      await sandbox.trigger('pix.settled');
      const session = await sandbox.kyc.create();
      await sandbox.kyc.decide(session.id, 'approved');
      const { SANDBOX_TOKEN, SANDBOX_SIGNING_SECRET, SANDBOX_WEBHOOK_SECRET, SANDBOX_KYC_TOKEN } =
        sandbox.env;
      secrets.push(
        session.id,
        SANDBOX_TOKEN,
        SANDBOX_SIGNING_SECRET,
        SANDBOX_WEBHOOK_SECRET,
        SANDBOX_KYC_TOKEN,
      );
    });
    expect(secrets.filter((secret) => secret === undefined || text.includes(secret))).toEqual([]);
  });
});

/** Something that a person may do to a sandbox; what it refuses is done to nothing. */
const DEEDS: readonly ((sandbox: TestSandbox, number: number) => Promise<unknown>)[] = [
  ({ charges }, number) =>
    charges.create({ code: `charge ${number}`.replace(' ', '-'), amount: `${number + 1}.00` }),
  async ({ charges }, number) => charges.settle(nth(await charges.list(), number)),
  async ({ charges }, number) => charges.fail(nth(await charges.list(), number), { reason: 'AB03' }),
  async ({ charges }, number) => charges.expire(nth(await charges.list(), number)),
  ({ withdrawals }, number) => withdrawals.create({ amount: `${number + 2}.00` }),
  async ({ withdrawals }, number) => withdrawals.settle(nth(await withdrawals.list(), number)),
  async ({ withdrawals }, number) => withdrawals.fail(nth(await withdrawals.list(), number)),
  async ({ withdrawals }, number) =>
    withdrawals.return(nth(await withdrawals.list(), number), { reason: 'BE01' }),
  ({ trigger }, number) =>
    trigger((['pix.settled', 'pix.failed', 'withdrawal.failed'] as const)[number % 3] ?? 'pix.expired'),
  ({ clock }, number) => clock.advance(`${(number * 37) % 90}m${number}s`),
  ({ clock }) => clock.next(),
  async ({ kyc }, number) => kyc.decide((await kyc.create()).id, { status: 'rejected', delay: `${number}s` }),
  async ({ deliveries }, number) =>
    deliveries.retry(nth(await deliveries.list({ status: 'FAILED' }), number)),
  async ({ events }, number) => events.resend(nth(await events.list(), number)),
];

function nth(rows: readonly { readonly id: string }[], number: number): string {
  return rows[number % Math.max(rows.length, 1)]?.id ?? 'none';
}

test('repeats whatever happens, at one time or another', async () => {
  const deeds = fc.array(fc.tuple(fc.nat(DEEDS.length - 1), fc.nat(20)), { maxLength: 14 });
  const answers = fc.array(fc.constantFrom(200, 500, 404, 302), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      deeds,
      answers,
      fc.constantFrom('real', 'fast', 'off'),
      async (list, statuses, retries) => {
        const { text, failed } = await recorded(async (sandbox) => {
          sandbox.forwardTo(answering(...statuses), { retries });
          for (const [deed, number] of list) {
            await DEEDS[deed]?.(sandbox, number).catch(() => undefined);
            if (number % 4 === 0) await sandbox.clock.advance('1s');
          }
        });
        expect({ text, failed }).toEqual({ text, failed: [] });
      },
    ),
    { numRuns: 20 },
  );
}, 60_000);
