import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { LIMITS } from '../../../src/contract/limits.js';
import type { Command } from '../../../src/core/apply.js';
import type { TriggerInput } from '../../../src/core/webhooks/trigger.js';
import { callFault } from '../../helpers/core/fault-commands.js';
import { endpointInput, refusalText, TestWorld } from '../../helpers/core/world.js';

/** A world with an endpoint, a listener and a failed delivery to each; the latest to the endpoint is under way. */
function lived(): TestWorld {
  const life = new TestWorld();
  life.endpoint({ schedule: 'off' });
  life.listener('mine', { schedule: 'off', description: 'mine' });
  for (const delivery of life.announce()) life.answer(delivery, 500);
  return life;
}

const creating = (fields: object) => (life: TestWorld) =>
  ({ type: 'endpoint.create', appId: life.app.id, endpoint: endpointInput(fields) }) as const;
const connecting = (name: string) => (life: TestWorld) =>
  ({ type: 'listener.connect', appId: life.app.id, listener: { ...endpointInput({}), name } }) as const;
const retrying = (index: number) => (life: TestWorld) =>
  ({ type: 'delivery.retry', deliveryId: life.world.deliveries.rows[index]?.id ?? '' }) as const;
const triggering = (input: TriggerInput) => () => ({ type: 'trigger', ...input }) as const;
const endpointAt = (life: TestWorld, index: number) => [...life.world.endpoints.values()][index]?.id ?? '';
const full = (life: TestWorld) => {
  for (let count = 0; count < LIMITS.faults; count += 1) {
    life.do({ type: 'fault.add', fault: callFault('reset') });
  }
};
const payments = (life: TestWorld) => {
  life.charge({ code: 'order-1' });
  life.withdrawal({ code: 'payout-1' });
};

const after =
  (given: (life: TestWorld) => void, command: (life: TestWorld) => Command) => (life: TestWorld) => {
    given(life);
    return command(life);
  };

const REFUSED: Readonly<Record<string, (life: TestWorld) => Command>> = {
  'an endpoint that exists': creating({}),
  'an endpoint too many': after(
    (life) => {
      for (let count = 1; count < LIMITS.endpointsPerApp; count += 1) {
        life.endpoint({ url: `https://shop.example/${count}` });
      }
    },
    creating({ url: 'https://shop.example/more' }),
  ),
  'an endpoint beyond the scopes of its application': after(
    (life) => life.addApp(['pix:write']),
    (life) => ({ ...creating({})(life), appId: life.world.apps.rows[1]?.id ?? '' }),
  ),
  'an endpoint whose URL another has taken since': after(
    (life) => {
      life.do({ type: 'endpoint.disable', endpointId: endpointAt(life, 0) });
      life.endpoint();
    },
    (life) => ({ type: 'endpoint.enable', endpointId: endpointAt(life, 0) }),
  ),
  'an unknown endpoint': () => ({ type: 'endpoint.disable', endpointId: 'stranger' }),
  'a listener that is described by its name': connecting('mine'),
  'a listener that is described otherwise': after(
    (life) => life.listener('other', { description: 'to http://localhost:3000' }),
    connecting('other'),
  ),
  'a fault too many': after(full, () => ({ type: 'fault.add', fault: callFault('reset') })),
  'the removal of an unknown fault': () => ({ type: 'fault.remove', id: 'stranger' }),
  'the retry of an unknown delivery': () => ({ type: 'delivery.retry', deliveryId: 'stranger' }),
  'the retry of what was delivered': after(
    (life) => life.announce().map((one) => life.answer(one, 200)),
    retrying(2),
  ),
  'the retry of what is under way': after((life) => life.announce(), retrying(2)),
  'the retry of what waits while deliveries are paused': after((life) => {
    life.do({ type: 'deliveries.pause' });
    life.announce();
  }, retrying(2)),
  'the retry of what a listener has missed': after((life) => {
    const { id } = life.listener('slow');
    const [, , delivery] = life.announce();
    if (delivery !== undefined) life.answer(delivery, 500);
    life.do({ type: 'listener.lose', endpointId: id });
  }, retrying(4)),
  'a retry to a disabled endpoint': after(
    (life) => life.do({ type: 'endpoint.disable', endpointId: endpointAt(life, 0) }),
    retrying(0),
  ),
  'a retry to a deleted endpoint': after(
    (life) => life.do({ type: 'endpoint.delete', endpointId: endpointAt(life, 0) }),
    retrying(0),
  ),
  'a retry to a listener that is away': after(
    (life) => life.do({ type: 'listener.lose', endpointId: endpointAt(life, 1) }),
    retrying(1),
  ),
  'an unknown event': () => ({ type: 'event.resend', eventId: 'stranger' }),
  'a withdrawal for an event of charges': triggering({ event: 'pix.settled', withdrawal: 'a' }),
  'a charge for an event of withdrawals': triggering({ event: 'withdrawal.failed', charge: 'a' }),
  'a late failure': triggering({ event: 'pix.failed', late: true }),
  'new fields for a charge': after(
    payments,
    triggering({ event: 'pix.failed', charge: 'order-1', chargeFields: { amountCents: 1, code: 'a' } }),
  ),
  'new fields for a charge that is settled': after(
    payments,
    triggering({ event: 'pix.settled', charge: 'order-1', chargeFields: { amountCents: 1 } }),
  ),
  'new fields for a withdrawal': after(
    payments,
    triggering({ event: 'withdrawal.failed', withdrawal: 'payout-1', withdrawalFields: { code: 'a' } }),
  ),
  'a charge anew': after(payments, triggering({ event: 'pix.settled', chargeFields: { code: 'order-1' } })),
  'a withdrawal anew': after(
    payments,
    triggering({ event: 'withdrawal.settled', withdrawalFields: { code: 'payout-1' } }),
  ),
  'a path that is nearly there': triggering({
    event: 'pix.settled',
    overrides: [{ path: 'data.object.amont', value: '1' }],
  }),
  'paths of nothing': triggering({
    event: 'withdrawal.settled',
    overrides: [
      { path: 'a', value: 1 },
      { path: 'b[0]', value: 1 },
    ],
  }),
  'a text for what is no text': triggering({
    event: 'pix.settled',
    overrides: [{ path: 'data', value: 'x', isText: true }],
  }),
  'a long text for what is no text': triggering({
    event: 'pix.settled',
    overrides: [{ path: 'data', value: 'x'.repeat(41), isText: true }],
  }),
};

test('webhook errors state what to do', async () => {
  const refused = Object.entries(REFUSED).map(([what, command]) => {
    const life = lived();
    return `${what}\n  ${refusalText(life.refuse(command(life)))}\n`;
  });
  await expect(refused.join('')).toMatchFileSnapshot('../golden/refused-webhooks.txt');
});

test('rejects a late payment without a window for it', () => {
  const life = new TestWorld({ assume: { 'charge.late_window': '0s' } });
  const [event] = EVENT_TYPES;
  expect(refusalText(life.refuse({ type: 'trigger', event, late: true }))).toBe(
    'INVALID_TRANSITION Late payments are impossible while charge.late_window is 0s.',
  );
});
