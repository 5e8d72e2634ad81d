import { expect, test } from 'vitest';
import { type RowKind, requireRow } from '../../src/core/named-rows.js';
import { callFault, deliveryFault } from '../helpers/core/fault-commands.js';
import { refusalTextOf, TestWorld } from '../helpers/core/world.js';
import { addSession } from '../helpers/core/sessions.js';

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

const TABLES: Readonly<Record<Exclude<RowKind, 'recipient'>, Map<string, Row>>> = {
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

/** Two rows like the first of a kind whose ids begin alike. */
function twins(kind: Exclude<RowKind, 'recipient'>): void {
  const table = TABLES[kind];
  const [first] = table.values();
  if (first === undefined) throw new Error(`Expected a row of ${kind}.`);
  const start = /^[a-z]*_|^/.exec(first.id)?.[0] ?? '';
  for (const digit of ['0', '1']) {
    const id = `${start}abcd000${digit}`;
    table.set(id, { ...first, id });
  }
}

const KINDS = Object.keys(TABLES) as Exclude<RowKind, 'recipient'>[];

test('rejects an unknown row, and an ambiguous id prefix, and says where to look', async () => {
  const unknown = [...KINDS, 'recipient' as const].map((kind) =>
    refusalTextOf(() => requireRow(world, kind, 'none')),
  );
  const ambiguous = KINDS.map((kind) => {
    twins(kind);
    return refusalTextOf(() => requireRow(world, kind, 'abcd'));
  });
  const text = [...unknown, ...ambiguous, ''].join('\n');
  await expect(text).toMatchFileSnapshot('golden/refused-lookups.txt');
});

test('distinguishes a fault on deliveries from one on API requests', () => {
  for (const [, fault] of world.faults) {
    if (fault.match.on === 'delivery') world.faults.set('feed0001', { ...fault, id: 'feed0001' });
    else world.faults.set('feed0002', { ...fault, id: 'feed0002' });
  }
  expect(refusalTextOf(() => requireRow(world, 'fault', 'feed'))).toBe(
    'INVALID_REQUEST The ids of 2 faults begin with feed. (id: feed0001 drop on deliveries) (id: feed0002 reset on calls) → Use a longer prefix of the id.',
  );
});

test('rejects a code of charges of two applications', () => {
  const other = life.addApp();
  const { id: first } = life.charge({ code: 'shared' });
  const { id: second } = life.charge({ code: 'shared' }, other);
  expect(refusalTextOf(() => requireRow(world, 'charge', 'shared'))).toBe(
    'INVALID_REQUEST 2 applications have a charge with the code shared. ' +
      `(id: ${second} shared PENDING) (id: ${first} shared PENDING) → Use the id instead.`,
  );
});

test('rejects the name of two applications and lists their ids', () => {
  const named = new TestWorld();
  const [first, second] = [named.addApp(), named.addApp()];
  for (const app of [first, second]) named.world.apps.byId.set(app.id, Object.assign(app, { name: 'shop' }));
  expect(refusalTextOf(() => requireRow(named.world, 'app', 'shop'))).toBe(
    'INVALID_REQUEST 2 applications have the name shop. ' +
      `(id: ${second.id} shop) (id: ${first.id} shop) → Use the id instead.`,
  );
  expect(requireRow(named.world, 'app', second.id)).toBe(second);
});

test('reports that an endpoint was deleted', () => {
  const other = new TestWorld();
  const ids = ['https://a.example/', 'https://b.example/'].map((url) => other.endpoint({ url }).id);
  other.announce();
  for (const endpointId of ids) other.do({ type: 'endpoint.delete', endpointId });
  for (const [index, delivery] of other.world.deliveries.rows.entries()) {
    other.world.deliveries.rows[index] = { ...delivery, endpointId: `abcd000${index}` };
  }
  expect(refusalTextOf(() => requireRow(other.world, 'recipient', 'abcd'))).toBe(
    'INVALID_REQUEST The ids of 2 webhook endpoints begin with abcd. (id: abcd0001 (deleted)) (id: abcd0000 (deleted)) → Use a longer prefix of the id.',
  );
});
