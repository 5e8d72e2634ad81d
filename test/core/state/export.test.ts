import { describe, expect, test } from 'vitest';
import { exportWorld } from '../../../src/core/state/export.js';
import type { World } from '../../../src/core/world.js';
import { addSession } from '../../helpers/core/sessions.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

function lived(): TestWorld {
  const testWorld = new TestWorld();
  testWorld.endpoint();
  testWorld.listener('one');
  const [delivery] = testWorld.announce();
  if (delivery !== undefined) testWorld.answer(delivery, 500);
  testWorld.charge({ metadata: { order: '1' } });
  testWorld.withdrawal();
  const { id } = addSession(testWorld, { idempotencyKey: 'key-0123456789abcdef' });
  testWorld.do({ type: 'session.decide', sessionId: id, status: 'approved', delayMs: 1_000 });
  testWorld.do({ type: 'origin.add', origin: 'https://shop.example' });
  testWorld.do({ type: 'nonce.use', appId: testWorld.app.id, nonce: 'n', nowS: 1, untilS: 2 });
  return testWorld;
}

describe('exportWorld', () => {
  test('contains every row, references as ids and amounts as text', () => {
    const { world, app } = lived();
    const exported = exportWorld(world);
    const [delivery] = exported.deliveries;
    expect(exported.apps).toMatchObject([{ id: app.id, token: app.token, nonces: [['n', 2]] }]);
    expect(exported.accounts[0]?.balanceCents).toBe(String(world.accounts.get(app.accountId)?.balanceCents));
    expect(delivery?.event).toBe(exported.events[0]?.id);
    expect(delivery?.log).toEqual([{ number: 1, startedAt: START_MS, status: 500, error: 'HTTP_STATUS' }]);
    expect(exported.endpoints.map(({ transport }) => transport)).toEqual(['http', 'listener']);
    expect(exported.charges).toHaveLength(2);
    expect(exported.withdrawals).toHaveLength(1);
    expect(exported.sessions).toEqual(world.sessions.rows);
    expect(exported.organizations).toMatchObject([
      { id: app.organizationId, kycToken: 'kyc-token-1', origins: ['https://shop.example'] },
    ]);
    expect(exported.agenda).toContainEqual({ at: START_MS + 1_000, kind: 'session.decide', ordinal: 0 });
  });

  test('shares nothing mutable, and stays unchanged', () => {
    const testWorld = lived();
    const exported = exportWorld(testWorld.world);
    const text = JSON.stringify(exported);
    testWorld.pass(90_000_000);
    testWorld.announce();
    expect(JSON.stringify(exported)).toBe(text);
    expect(JSON.stringify(exportWorld(testWorld.world))).not.toBe(text);
  });

  test('shows the agenda in its order, without outdated items', () => {
    const testWorld = new TestWorld();
    const [first, second] = [testWorld.charge(), testWorld.charge()];
    testWorld.do({ type: 'charge.settle', chargeId: first.id });
    expect(exportWorld(testWorld.world).agenda).toEqual([
      { at: second.expiresAt, kind: 'charge.expire', ordinal: second.ordinal },
    ]);
  });

  test('reflects every change of a scalar anywhere in the world', () => {
    const testWorld = lived();
    const before = JSON.stringify(exportWorld(testWorld.world));
    const unnoticed: string[] = [];
    let visited = 0;
    forEachScalar(testWorld.world, (path, owner, key) => {
      visited += 1;
      const value = owner[key];
      owner[key] = typeof value === 'bigint' ? value + 1n : `changed ${String(value)}`;
      if (JSON.stringify(exportWorld(testWorld.world)) === before) unnoticed.push(path);
      owner[key] = value;
    });
    expect(unnoticed).toEqual([]);
    expect(visited).toBeGreaterThan(100);
  });
});

type Owner = Record<string, unknown>;

/** Visits each text, number and null of the rows once; maps are other ways to the same rows. */
function forEachScalar(world: World, visit: (path: string, owner: Owner, key: string) => void): void {
  const seen = new Set<unknown>([world.assumed, world.agenda]);
  const walk = (path: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof Map) {
      for (const [key, item] of value) walk(`${path}.${String(key)}`, item);
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      const here = `${path}.${key}`;
      if (typeof item === 'object' && item !== null) walk(here, item);
      else if (!Object.isFrozen(value)) visit(here, value as Owner, key);
    }
  };
  walk('world', world);
}
