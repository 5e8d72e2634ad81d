import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { LIMITS } from '../../../src/contract/limits.js';
import type { Command } from '../../../src/core/apply.js';
import type { TriggerInput } from '../../../src/core/webhooks/trigger.js';
import { callFault } from '../../helpers/core/faults.js';
import { refusalText } from '../../helpers/core/refusal-text.js';
import { endpointInput, TestWorld } from '../../helpers/core/world.js';

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

type Given = (life: TestWorld) => void;
const asItIs: Given = () => {};

test.each<[string, Given, (life: TestWorld) => Command, string]>([
  [
    'an endpoint that exists',
    asItIs,
    creating({}),
    'ENDPOINT_ALREADY_EXISTS The active endpoint 9f22b944-164e-4f24-af1b-2bd7c02ae897 has the URL https://shop.example/webhooks. → List the endpoints to find it; its secret is shown again only when it is rotated.',
  ],
  [
    'an endpoint too many',
    (life) => {
      for (let count = 1; count < LIMITS.endpointsPerApp; count += 1) {
        life.endpoint({ url: `https://shop.example/${count}` });
      }
    },
    creating({ url: 'https://shop.example/more' }),
    'ENDPOINT_LIMIT_REACHED The application has 10 webhook endpoints, the most allowed. → Delete one: `npx sandbox endpoints delete <id>`.',
  ],
  [
    'an endpoint beyond the scopes of its application',
    (life) => life.addApp(['pix:write']),
    (life) => ({ ...creating({})(life), appId: life.world.apps.rows[1]?.id ?? '' }),
    'INSUFFICIENT_SCOPE Subscribing to these events needs the scope pix:read and withdrawals:read. → Use an application that has it, or subscribe to fewer events.',
  ],
  [
    'an endpoint whose URL another has taken since',
    (life) => {
      life.do({ type: 'endpoint.disable', endpointId: endpointAt(life, 0) });
      life.endpoint();
    },
    (life) => ({ type: 'endpoint.enable', endpointId: endpointAt(life, 0) }),
    'ENDPOINT_ALREADY_EXISTS The active endpoint a01bed17-7b5e-411c-a887-f98348454349 has the URL https://shop.example/webhooks. → List the endpoints to find it; its secret is shown again only when it is rotated.',
  ],
  [
    'an unknown endpoint',
    asItIs,
    () => ({ type: 'endpoint.disable', endpointId: 'stranger' }),
    'NOT_FOUND There is no webhook endpoint stranger. → List the endpoints to see their ids.',
  ],
  [
    'a listener that is described by its name',
    asItIs,
    connecting('mine'),
    'ENDPOINT_ALREADY_EXISTS A listener named mine is connected. → What it receives is delivered already. Give this one another --name to receive it, too.',
  ],
  [
    'a listener that is described otherwise',
    (life) => life.listener('other', { description: 'to http://localhost:3000' }),
    connecting('other'),
    'ENDPOINT_ALREADY_EXISTS A listener named other is connected (to http://localhost:3000). → What it receives is delivered already. Give this one another --name to receive it, too.',
  ],
  [
    'a fault too many',
    full,
    () => ({ type: 'fault.add', fault: callFault('reset') }),
    'INVALID_REQUEST There are 200 faults, and at most 200 are allowed. → Remove some: `npx sandbox faults remove --all`.',
  ],
  [
    'the removal of an unknown fault',
    asItIs,
    () => ({ type: 'fault.remove', id: 'stranger' }),
    'NOT_FOUND There is no fault stranger. → `npx sandbox faults list` shows them.',
  ],
  [
    'the retry of an unknown delivery',
    asItIs,
    () => ({ type: 'delivery.retry', deliveryId: 'stranger' }),
    'NOT_FOUND There is no delivery stranger. → `npx sandbox deliveries list` shows those that exist.',
  ],
  [
    'the retry of what was delivered',
    (life) => life.announce().map((one) => life.answer(one, 200)),
    retrying(2),
    'DELIVERY_NOT_FAILED The delivery is DELIVERED; only one in FAILED can be retried. → To send a delivered event once more, use `npx sandbox events resend`.',
  ],
  [
    'the retry of what is under way',
    (life) => life.announce(),
    retrying(2),
    'DELIVERY_NOT_FAILED The delivery is PENDING; only one in FAILED can be retried. → Its next attempt comes by itself; `npx sandbox clock next` jumps to it.',
  ],
  [
    'the retry of what waits while deliveries are paused',
    (life) => {
      life.do({ type: 'deliveries.pause' });
      life.announce();
    },
    retrying(2),
    'DELIVERY_NOT_FAILED The delivery is PENDING; only one in FAILED can be retried. → Deliveries are paused; `npx sandbox deliveries resume` lets them go.',
  ],
  [
    'the retry of what a listener has missed',
    (life) => {
      const { id } = life.listener('slow');
      const [, , delivery] = life.announce();
      if (delivery !== undefined) life.answer(delivery, 500);
      life.do({ type: 'listener.lose', endpointId: id });
    },
    retrying(4),
    'DELIVERY_NOT_FAILED The delivery is PENDING; only one in FAILED can be retried. → It is held while its listener is away; start `npx sandbox listen --name slow` again.',
  ],
  [
    'a retry to a disabled endpoint',
    (life) => life.do({ type: 'endpoint.disable', endpointId: endpointAt(life, 0) }),
    retrying(0),
    'ENDPOINT_UNAVAILABLE The endpoint 9f22b944-164e-4f24-af1b-2bd7c02ae897 of the delivery is disabled. → Enable it first: `npx sandbox endpoints enable 9f22b944-164e-4f24-af1b-2bd7c02ae897`.',
  ],
  [
    'a retry to a deleted endpoint',
    (life) => life.do({ type: 'endpoint.delete', endpointId: endpointAt(life, 0) }),
    retrying(0),
    'ENDPOINT_UNAVAILABLE The endpoint 9f22b944-164e-4f24-af1b-2bd7c02ae897 of the delivery is deleted. → `npx sandbox events resend evt_a929f0986fc195b4cbc26d083e20abdd` sends the event to the endpoints there are now.',
  ],
  [
    'a retry to a listener that is away',
    (life) => life.do({ type: 'listener.lose', endpointId: endpointAt(life, 1) }),
    retrying(1),
    'ENDPOINT_UNAVAILABLE The endpoint a265725f-94a9-40b7-b9ad-f23a95fc757c of the delivery is away. → Start `npx sandbox listen --name mine` again, then retry; or `npx sandbox events resend evt_a929f0986fc195b4cbc26d083e20abdd` sends the event to the endpoints there are now.',
  ],
  [
    'an unknown event',
    asItIs,
    () => ({ type: 'event.resend', eventId: 'stranger' }),
    'NOT_FOUND There is no event stranger. → `npx sandbox events list` shows those that exist.',
  ],
  [
    'a withdrawal for an event of charges',
    asItIs,
    triggering({ event: 'pix.settled', withdrawal: 'a' }),
    'INVALID_REQUEST pix.settled does not apply to a withdrawal.',
  ],
  [
    'a charge for an event of withdrawals',
    asItIs,
    triggering({ event: 'withdrawal.failed', charge: 'a' }),
    'INVALID_REQUEST withdrawal.failed does not apply to a charge.',
  ],
  [
    'a late failure',
    asItIs,
    triggering({ event: 'pix.failed', late: true }),
    'INVALID_REQUEST Only pix.settled can be late; got pix.failed.',
  ],
  [
    'new fields for a charge',
    payments,
    triggering({ event: 'pix.failed', charge: 'order-1', chargeFields: { amountCents: 1, code: 'a' } }),
    'INVALID_REQUEST An existing charge keeps its fields; got amountCents, code. → Leave them out, or leave the charge out to make a new one.',
  ],
  [
    'new fields for a charge that is settled',
    payments,
    triggering({ event: 'pix.settled', charge: 'order-1', chargeFields: { amountCents: 1 } }),
    'INVALID_REQUEST An existing charge keeps its fields; got amountCents. → Leave them out, or leave the charge out to make a new one.',
  ],
  [
    'new fields for a withdrawal',
    payments,
    triggering({ event: 'withdrawal.failed', withdrawal: 'payout-1', withdrawalFields: { code: 'a' } }),
    'INVALID_REQUEST An existing withdrawal keeps its fields; got code. → Leave them out, or leave the withdrawal out to make a new one.',
  ],
  [
    'a charge anew',
    payments,
    triggering({ event: 'pix.settled', chargeFields: { code: 'order-1' } }),
    'CODE_REUSED A charge with the code order-1 exists already. → To move that one, name it: --charge order-1.',
  ],
  [
    'a withdrawal anew',
    payments,
    triggering({ event: 'withdrawal.settled', withdrawalFields: { code: 'payout-1' } }),
    'CODE_REUSED A withdrawal with the code payout-1 exists already. → To move that one, name it: --withdrawal payout-1.',
  ],
  [
    'a path that is nearly there',
    asItIs,
    triggering({ event: 'pix.settled', overrides: [{ path: 'data.object.amont', value: '1' }] }),
    'INVALID_REQUEST The payload has no data.object.amont. (override: There is no path data.object.amont.) → Did you mean data.object.amount? It has: id, type, schema_version, timestamp, environment, data, data.object, data.object.id, data.object.code, data.object.status, data.object.environment, data.object.account_id, data.object.amount, data.object.asset_code, data.object.qr_code, data.object.qr_code_base64, data.object.expires_at, data.object.fees, data.object.fees.provider_fee, data.object.fees.partner_fee, data.object.fees.net_amount, data.object.payer_name, data.object.payer_document, data.object.metadata, data.object.created_at.',
  ],
  [
    'paths of nothing',
    asItIs,
    triggering({
      event: 'withdrawal.settled',
      overrides: [
        { path: 'a', value: 1 },
        { path: 'b[0]', value: 1 },
      ],
    }),
    'INVALID_REQUEST The payload has no a, b[0]. (override: There is no path a.) (override: There is no path b[0].) → It has: id, type, schema_version, timestamp, environment, data, data.object, data.object.id, data.object.code, data.object.account_id, data.object.amount, data.object.net_amount, data.object.fee, data.object.status, data.object.environment, data.object.destination, data.object.destination.rail, data.object.destination.pix_key, data.object.destination.pix_key_type, data.object.destination.beneficiary_document, data.object.destination.beneficiary_name, data.object.metadata, data.object.created_at.',
  ],
  [
    'a text for what is no text',
    asItIs,
    triggering({ event: 'pix.settled', overrides: [{ path: 'data', value: 'x', isText: true }] }),
    'INVALID_REQUEST data must be a JSON object, as it is in the payload; got "x". (override: data must be a JSON object; got "x".) → For a value of another type, write it as JSON after := (data:="x"); in a JSON body, end the path with a colon.',
  ],
  [
    'a long text for what is no text',
    asItIs,
    triggering({ event: 'pix.settled', overrides: [{ path: 'data', value: 'x'.repeat(41), isText: true }] }),
    'INVALID_REQUEST data must be a JSON object, as it is in the payload; got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx". (override: data must be a JSON object; got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".) → For a value of another type, write it as JSON after := (data:=<json>); in a JSON body, end the path with a colon.',
  ],
])('%s is refused in words that say what to do', (_what, given, command, words) => {
  const life = lived();
  given(life);
  expect(refusalText(life.refuse(command(life)))).toBe(words);
});

test('there is no late payment without a window for it', () => {
  const life = new TestWorld({ assume: { 'charge.late_window': '0s' } });
  const [event] = EVENT_TYPES;
  expect(refusalText(life.refuse({ type: 'trigger', event, late: true }))).toBe(
    'INVALID_TRANSITION There is no late payment while charge.late_window is 0s.',
  );
});
