import { expect, test } from 'vitest';
import type { Kind } from '../../src/core/named-rows.js';
import { lookUp, lookUpWhole } from '../../src/core/named-rows.js';
import { callFault, deliveryFault } from '../helpers/core/faults.js';
import { refusalTextOf } from '../helpers/core/refusal-text.js';
import { addSession } from '../helpers/core/sessions.js';
import { TestWorld } from '../helpers/core/world.js';

interface Row {
  readonly id: string;
}

/** A world with a row of every kind. */
const life = new TestWorld();
const { world } = life;
life.endpoint();
life.listener('mine');
const charge = life.charge({ code: 'order-1' });
life.withdrawal({ code: 'payout-1' });
life.do({ type: 'charge.settle', chargeId: charge.id });
addSession(life, { sessionId: 'kyc_0123aaaa' });
life.do({ type: 'fault.add', fault: callFault('reset') });
life.do({ type: 'fault.add', fault: deliveryFault('drop') });

const TABLES: Readonly<Record<Exclude<Kind, 'recipient'>, Map<string, Row>>> = {
  app: world.apps.byId,
  account: world.accounts,
  charge: world.charges.byId,
  withdrawal: world.withdrawals.byId,
  event: world.events.byId,
  delivery: world.deliveries.byId,
  endpoint: world.endpoints,
  session: world.sessions.byId,
  fault: world.faults,
};

test.each<[Kind, string]>([
  ['app', 'NOT_FOUND There is no application none. → `npx sandbox apps list` shows those that exist.'],
  ['account', 'NOT_FOUND There is no account none. → `npx sandbox status` shows those that exist.'],
  [
    'charge',
    'NOT_FOUND There is no charge with the id or code none. → `npx sandbox charges list` shows those that exist.',
  ],
  [
    'withdrawal',
    'NOT_FOUND There is no withdrawal with the id or code none. → `npx sandbox withdrawals list` shows those that exist.',
  ],
  ['event', 'NOT_FOUND There is no event none. → `npx sandbox events list` shows those that exist.'],
  [
    'delivery',
    'NOT_FOUND There is no delivery none. → `npx sandbox deliveries list` shows those that exist.',
  ],
  [
    'endpoint',
    'NOT_FOUND There is no webhook endpoint none. → `npx sandbox endpoints list` shows those that exist.',
  ],
  [
    'recipient',
    'NOT_FOUND There is no webhook endpoint none. → `npx sandbox endpoints list` shows those that exist.',
  ],
  ['session', 'NOT_FOUND There is no such session. → `npx sandbox kyc list` shows those that exist.'],
  ['fault', 'NOT_FOUND There is no fault none. → `npx sandbox faults list` shows those that exist.'],
])('an unknown %s is refused in words that say where to look', (kind, words) => {
  expect(refusalTextOf(() => lookUp(world, kind, 'none'))).toBe(words);
});

/** Two rows like the first of a kind whose ids begin alike. */
function twins(kind: Exclude<Kind, 'recipient'>): void {
  const table = TABLES[kind];
  const [first] = table.values();
  if (first === undefined) throw new Error(`Expected a row of ${kind}.`);
  const start = /^[a-z]*_|^/.exec(first.id)?.[0] ?? '';
  for (const digit of ['0', '1']) {
    const id = `${start}abcd000${digit}`;
    table.set(id, { ...first, id });
  }
}

test.each<[Exclude<Kind, 'recipient'>, string]>([
  [
    'app',
    'INVALID_REQUEST The ids of 2 applications begin with abcd. (id: abcd0001 app-1) (id: abcd0000 app-1) → Give more of the id.',
  ],
  [
    'account',
    'INVALID_REQUEST The ids of 2 accounts begin with abcd. (id: abcd0001 of application c9ba6375-ce95-486b-89e3-60e47e075bd1) (id: abcd0000 of application c9ba6375-ce95-486b-89e3-60e47e075bd1) → Give more of the id.',
  ],
  [
    'charge',
    'INVALID_REQUEST The ids of 2 charges begin with abcd. (id: abcd0001 order-1 SETTLED) (id: abcd0000 order-1 SETTLED) → Give more of the id.',
  ],
  [
    'withdrawal',
    'INVALID_REQUEST The ids of 2 withdrawals begin with abcd. (id: abcd0001 payout-1 PENDING) (id: abcd0000 payout-1 PENDING) → Give more of the id.',
  ],
  [
    'event',
    'INVALID_REQUEST The ids of 2 events begin with abcd. (id: evt_abcd0001 pix.settled of order-1) (id: evt_abcd0000 pix.settled of order-1) → Give more of the id.',
  ],
  [
    'delivery',
    'INVALID_REQUEST The ids of 2 deliveries begin with abcd. (id: abcd0001 pix.settled of order-1 PENDING) (id: abcd0000 pix.settled of order-1 PENDING) → Give more of the id.',
  ],
  [
    'endpoint',
    'INVALID_REQUEST The ids of 2 webhook endpoints begin with abcd. (id: abcd0001 https://shop.example/webhooks ACTIVE) (id: abcd0000 https://shop.example/webhooks ACTIVE) → Give more of the id.',
  ],
  [
    'session',
    'INVALID_REQUEST The ids of 2 sessions begin with abcd. (id: kyc_abcd0001 individual CREATED) (id: kyc_abcd0000 individual CREATED) → Give more of the id.',
  ],
  [
    'fault',
    'INVALID_REQUEST The ids of 2 faults begin with abcd. (id: abcd0001 reset on calls) (id: abcd0000 reset on calls) → Give more of the id.',
  ],
])('the beginning of two ids of a %s is refused with what tells them apart', (kind, words) => {
  twins(kind);
  expect(refusalTextOf(() => lookUp(world, kind, 'abcd'))).toBe(words);
});

test('a fault on deliveries is told from one on calls', () => {
  for (const [, fault] of world.faults) {
    if (fault.match.on === 'delivery') world.faults.set('feed0001', { ...fault, id: 'feed0001' });
    else world.faults.set('feed0002', { ...fault, id: 'feed0002' });
  }
  expect(refusalTextOf(() => lookUp(world, 'fault', 'feed'))).toBe(
    'INVALID_REQUEST The ids of 2 faults begin with feed. (id: feed0001 drop on deliveries) (id: feed0002 reset on calls) → Give more of the id.',
  );
});

test('a code of charges of two applications is refused', () => {
  const other = life.addApp();
  life.charge({ code: 'shared' });
  life.charge({ code: 'shared' }, other);
  expect(refusalTextOf(() => lookUp(world, 'charge', 'shared'))).toBe(
    'INVALID_REQUEST 2 applications have a charge with the code shared. → Give its id instead.',
  );
});

test('the beginning of an id is refused where the whole is asked for', () => {
  const other = new TestWorld();
  const endpoint = other.endpoint();
  expect(refusalTextOf(() => lookUpWhole(other.world, 'endpoint', endpoint.id.slice(0, 8)))).toBe(
    'INVALID_REQUEST This takes the whole id of the webhook endpoint https://shop.example/webhooks ACTIVE; got 9f22b944. → Give 9f22b944-164e-4f24-af1b-2bd7c02ae897.',
  );
});

test('an endpoint that was deleted is told by that', () => {
  const other = new TestWorld();
  const ids = ['https://a.example/', 'https://b.example/'].map((url) => other.endpoint({ url }).id);
  other.announce();
  for (const endpointId of ids) other.do({ type: 'endpoint.delete', endpointId });
  for (const [index, delivery] of other.world.deliveries.rows.entries()) {
    other.world.deliveries.rows[index] = { ...delivery, endpointId: `abcd000${index}` };
  }
  expect(refusalTextOf(() => lookUp(other.world, 'recipient', 'abcd'))).toBe(
    'INVALID_REQUEST The ids of 2 webhook endpoints begin with abcd. (id: abcd0001 (deleted)) (id: abcd0000 (deleted)) → Give more of the id.',
  );
});
