import { describe, expect, test } from 'vitest';
import { type Refusal, Refusal as RefusalError } from '../../src/contract/refusals.js';
import {
  type RowKind,
  requireRow,
  requireRowOfAnyKind,
  requireRowByFullId,
} from '../../src/core/named-rows.js';
import { addSession } from '../helpers/core/sessions.js';
import { endpointInput, TestWorld } from '../helpers/core/world.js';
import { thrownBy } from '../helpers/thrown-by.js';

/** A world with a row or more of every kind. */
function populated(): TestWorld {
  const testWorld = new TestWorld();
  testWorld.endpoint();
  testWorld.withdrawal({ code: 'payout-1' });
  addSettled(testWorld, 'order-1');
  addSession(testWorld, { sessionId: 'kyc_0123aaaa' });
  testWorld.do({
    type: 'fault.add',
    fault: {
      match: { on: 'call', api: null, method: null, path: null },
      action: 'reset',
      probability: 1,
      count: null,
      status: null,
      delayMs: null,
      copies: null,
    },
  });
  return testWorld;
}

function addSettled(testWorld: TestWorld, code: string) {
  const charge = testWorld.charge({ code });
  testWorld.do({ type: 'charge.settle', chargeId: charge.id });
  return charge;
}

function firstOf<Row>(rows: Iterable<Row>): Row {
  for (const row of rows) return row;
  throw new Error('Expected a row');
}

function refusalOf(work: () => unknown): Refusal {
  return thrownBy(work, RefusalError);
}

describe('a row', () => {
  const { world } = populated();
  const rows: Readonly<Record<RowKind, { readonly id: string }>> = {
    app: firstOf(world.apps.rows),
    account: firstOf(world.accounts.values()),
    charge: firstOf(world.charges.rows),
    withdrawal: firstOf(world.withdrawals.rows),
    event: firstOf(world.events.rows),
    delivery: firstOf(world.deliveries.rows),
    endpoint: firstOf(world.endpoints.values()),
    recipient: firstOf(world.endpoints.values()),
    session: firstOf(world.sessions.rows),
    fault: firstOf(world.faults.values()),
  };

  test.for(Object.keys(rows) as RowKind[])('a row is found by its id or an id prefix: %s', (kind) => {
    const row = rows[kind];
    const { id } = row;
    const start = /^[a-z]*_|^/.exec(id)?.[0] ?? '';
    const digits = id.slice(start.length, start.length + 4);
    const texts = [id, start + digits, digits, digits.toUpperCase(), `${id.slice(0, 12)}…`, id.toUpperCase()];
    for (const text of texts) expect([text, requireRow(world, kind, text)]).toEqual([text, row]);
    for (const text of [digits.slice(0, 3), start + digits.slice(0, 3)]) {
      const { code, hint } = refusalOf(() => requireRow(world, kind, text));
      expect([code, hint]).toEqual(['NOT_FOUND', expect.stringContaining('at least 4 digits; got 3.')]);
    }
    for (const text of ['', 'none', 'x12', `${digits}x`, `x${digits}`, `${id}0`, `other_${digits}`]) {
      const { code, hint } = refusalOf(() => requireRow(world, kind, text));
      expect([text, code]).toEqual([text, 'NOT_FOUND']);
      expect(hint).not.toContain('digits');
      expect(requireRowOfAnyKind(world, kind, text)).toBeUndefined();
    }
  });

  test.for(['endpoint', 'fault'] as const)('a row is found only by its whole id on request: %s', (kind) => {
    const row = rows[kind];
    const { id } = row;
    expect(requireRowByFullId(world, kind, id)).toBe(row);
    expect(requireRowByFullId(world, kind, id.toUpperCase())).toBe(row);
    const { code, hint } = refusalOf(() => requireRowByFullId(world, kind, id.slice(0, -1)));
    expect(code).toBe('INVALID_REQUEST');
    expect(hint).toBe(`Use ${id}.`);
    expect(refusalOf(() => requireRowByFullId(world, kind, 'none')).code).toBe('NOT_FOUND');
  });

  test('a row is found by the name of a listener, even while it is disconnected', () => {
    const testWorld = populated();
    const listener = testWorld.listener('abcd');
    testWorld.do({ type: 'listener.lose', endpointId: listener.id });
    for (const kind of ['endpoint', 'recipient'] as const) {
      expect(requireRow(testWorld.world, kind, 'abcd')).toBe(listener);
      expect(refusalOf(() => requireRow(testWorld.world, kind, 'ABCD')).code).toBe('NOT_FOUND');
    }
    expect(refusalOf(() => requireRowByFullId(testWorld.world, 'endpoint', 'abcd')).hint).toBe(
      `Use ${listener.id}.`,
    );
    const other = testWorld.addApp();
    const input = { ...endpointInput({}), name: 'abcd' };
    testWorld.do({ type: 'listener.connect', appId: other.id, listener: input });
    expect(refusalOf(() => requireRow(testWorld.world, 'endpoint', 'abcd'))).toMatchObject({
      message: '2 applications have a webhook endpoint with the name abcd.',
      hint: 'Use the id instead.',
    });
  });

  test('a row is found by a deleted endpoint only for its deliveries', () => {
    const testWorld = populated();
    const { id } = firstOf(testWorld.world.endpoints.values());
    testWorld.do({ type: 'endpoint.delete', endpointId: id });
    expect(requireRow(testWorld.world, 'recipient', id.slice(0, 6))).toEqual({ id });
    expect(refusalOf(() => requireRow(testWorld.world, 'endpoint', id)).code).toBe('NOT_FOUND');
  });
});

describe('latest', () => {
  test('finds the newest row of every kind, but is no full id', () => {
    const testWorld = populated();
    testWorld.endpoint({ url: 'https://other.example/' });
    addSettled(testWorld, 'order-2');
    addSession(testWorld, { sessionId: 'kyc_0123bbbb' });
    const { world } = testWorld;
    const endpoint = [...world.endpoints.values()].at(-1);
    const newest: Readonly<Record<RowKind, unknown>> = {
      app: world.apps.rows.at(-1),
      account: [...world.accounts.values()].at(-1),
      charge: world.charges.rows.at(-1),
      withdrawal: world.withdrawals.rows.at(-1),
      event: world.events.rows.at(-1),
      delivery: world.deliveries.rows.at(-1),
      endpoint,
      recipient: endpoint,
      session: world.sessions.rows.at(-1),
      fault: [...world.faults.values()].at(-1),
    };
    for (const [kind, row] of Object.entries(newest))
      expect([kind, requireRow(world, kind as RowKind, 'latest')]).toEqual([kind, row]);
    expect(requireRow(world, 'charge', 'latest')).toMatchObject({ code: 'order-2' });
    expect(refusalOf(() => requireRowByFullId(world, 'endpoint', 'latest')).hint).toBe(
      `Use ${endpoint?.id}.`,
    );
  });

  test('finds the newest row of an application', () => {
    const testWorld = populated();
    const other = testWorld.addApp();
    const own = testWorld.charge({ code: 'own' });
    testWorld.charge({ code: 'theirs' }, other);
    expect(requireRow(testWorld.world, 'charge', 'latest', testWorld.app)).toBe(own);
  });

  test('finds the row with this code or name, if there is one', () => {
    const testWorld = populated();
    const coded = addSettled(testWorld, 'latest');
    const listener = testWorld.listener('latest');
    addSettled(testWorld, 'newer');
    testWorld.listener('newer');
    const { world } = testWorld;
    expect(requireRow(world, 'charge', 'latest')).toBe(coded);
    expect(requireRow(world, 'event', 'latest').resource.id).toBe(coded.id);
    expect(requireRow(world, 'endpoint', 'latest')).toBe(listener);
  });

  test('is rejected while there is no row', () => {
    const { world } = new TestWorld();
    for (const kind of ['charge', 'event', 'session', 'fault'] as const)
      expect(refusalOf(() => requireRow(world, kind, 'latest'))).toMatchObject({
        code: 'NOT_FOUND',
        message: `There is no ${kind} yet.`,
      });
  });
});

describe('the code of a payment', () => {
  test('finds its newest event and delivery', () => {
    const testWorld = populated();
    testWorld.endpoint({ url: 'https://other.example/' });
    const late = testWorld.charge({ code: 'late' });
    testWorld.do({ type: 'charge.expire', chargeId: late.id });
    testWorld.do({ type: 'charge.settle', chargeId: late.id });
    addSettled(testWorld, 'other');
    const { world } = testWorld;
    const { type, resource } = requireRow(world, 'event', 'late');
    expect([type, resource.id]).toEqual(['pix.settled', late.id]);
    const delivery = world.deliveries.rows.findLast(({ event }) => event.resource.id === late.id);
    expect(requireRow(world, 'delivery', 'late')).toBe(delivery);
    expect(refusalOf(() => requireRow(world, 'event', 'LATE')).code).toBe('NOT_FOUND');
  });

  test('finds the newest preferred row, or else the newest', () => {
    const testWorld = populated();
    testWorld.endpoint({ url: 'https://other.example/' });
    addSettled(testWorld, 'order-2');
    addSettled(testWorld, 'order-3');
    const { world } = testWorld;
    const [first, second] = world.deliveries.rows.filter(({ event }) => event.resource.code === 'order-2');
    const find = (text: string, preferred: unknown) =>
      requireRow(world, 'delivery', text, undefined, (row) => row === preferred);
    expect([find('latest', first), find('order-2', first)]).toEqual([first, first]);
    expect(find('order-2', null)).toBe(second);
    expect(find('latest', null)).toBe(world.deliveries.rows.at(-1));
  });

  test('is rejected if several payments have it, with the newest row of each', () => {
    const testWorld = populated();
    const { world } = testWorld;
    const { id } = testWorld.withdrawal({ code: 'order-1' });
    testWorld.do({ type: 'withdrawal.fail', withdrawalId: id });
    const ids = world.events.rows.map((event) => event.id);
    expect(refusalOf(() => requireRow(world, 'event', 'order-1'))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: '2 payments have the code order-1.',
      details: [
        { message: `${ids[1]} withdrawal.failed of order-1` },
        { message: `${ids[0]} pix.settled of order-1` },
      ],
      hint: 'Use the id instead.',
    });
  });
});

describe('an ambiguous text', () => {
  test('matches the id first, then the code, then an id prefix', () => {
    const testWorld = new TestWorld();
    const first = testWorld.charge({ code: 'a' });
    const coded = testWorld.charge({ code: first.id.slice(0, 8) });
    const named = testWorld.charge({ code: first.id });
    expect(requireRow(testWorld.world, 'charge', first.id)).toBe(first);
    expect(requireRow(testWorld.world, 'charge', first.id.slice(0, 8))).toBe(coded);
    expect(requireRow(testWorld.world, 'charge', first.id.slice(0, 7))).toBe(first);
    expect(requireRow(testWorld.world, 'charge', named.id)).toBe(named);
  });

  test('an ambiguous text is rejected with a few of the rows, the newest first', () => {
    const testWorld = new TestWorld();
    const { charges } = testWorld.world;
    const charge = testWorld.charge({ code: 'order-0' });
    for (let n = 1; n < 7; n += 1) {
      const twin = { ...charge, ordinal: n, id: `abcd${n}${charge.id.slice(5)}`, code: `order-${n}` };
      charges.rows.push(twin);
      charges.byId.set(twin.id, twin);
    }
    const { code, message, details, hint } = refusalOf(() => requireRow(testWorld.world, 'charge', 'abcd'));
    expect([code, message]).toEqual(['INVALID_REQUEST', 'The ids of 6 charges begin with abcd.']);
    expect(details.map((one) => one.message)).toEqual(
      [6, 5, 4, 3, 2].map((n) => `abcd${n}${charge.id.slice(5)} order-${n} PENDING`),
    );
    expect(hint).toBe('Use a longer prefix of the id; 1 more match.');
    expect(requireRow(testWorld.world, 'charge', 'abcd3')).toMatchObject({ code: 'order-3' });
  });

  test('never reveals the whole id of a session, which is a credential', () => {
    const testWorld = new TestWorld();
    const ids = ['0', '1'].map((last) => `kyc_0123aaaa${last.repeat(32)}`);
    for (const sessionId of ids) addSession(testWorld, { sessionId });
    const refusals = ['0123', 'kyc_0123aaaa', '0123aaaaff', `${ids[0]}9`].map((text) =>
      refusalOf(() => requireRow(testWorld.world, 'session', text)),
    );
    expect(refusals.map(({ code }) => code)).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    const shown = JSON.stringify(refusals.map(({ message, details, hint }) => ({ message, details, hint })));
    expect(shown).toContain('kyc_0123aaaa… individual CREATED');
    for (const id of ids) expect(shown).not.toContain(id.slice(0, 13));
    expect(requireRow(testWorld.world, 'session', 'kyc_0123aaaa0').id).toBe(ids[0]);
  });

  test('an ambiguous text may belong to another application', () => {
    const testWorld = new TestWorld();
    const other = testWorld.addApp();
    const theirs = testWorld.charge({ code: 'theirs' }, other);
    const start = theirs.id.slice(0, 6);
    expect(requireRow(testWorld.world, 'charge', start, other)).toBe(theirs);
    expect(refusalOf(() => requireRow(testWorld.world, 'charge', start, testWorld.app)).code).toBe(
      'NOT_FOUND',
    );
  });
});
