import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyCommand } from '../../../src/core/apply.js';
import { listAccounts, findAppOrDefault } from '../../../src/core/identity/applications.js';
import { findLedgerProblems } from '../../../src/core/payments/ledger.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { addSession, otherOrganization } from '../../helpers/core/sessions.js';
import { TestWorld } from '../../helpers/core/world.js';

test('a session accepts null for unknown values', () => {
  const life = new TestWorld();
  const session = addSession(life, { sessionId: 'kyc_open' });
  life.do({ type: 'session.begin', sessionId: session.id, name: null, document: null });
  expect(session).toMatchObject({ status: 'IN_PROGRESS', name: null, document: null });
  life.do({ type: 'session.decide', sessionId: session.id, error: 'CAMERA_DENIED', document: null });
  expect(session).toMatchObject({ status: 'IN_PROGRESS', error: 'CAMERA_DENIED' });
  life.do({ type: 'session.decide', sessionId: session.id, status: 'approved', error: null });
  expect(session).toMatchObject({ status: 'approved', error: null });
});

test('the default application accepts its own credentials again', () => {
  const life = new TestWorld();
  otherOrganization(life, 'other');
  const { token, signingSecret } = life.app;
  const same = { token, signingSecret, kycToken: 'kyc-token-1', publishableKey: 'publishable-key-1' };
  expect(() => life.do({ type: 'app.rekey', ...same })).not.toThrow();
  expect(life.world.appsByToken.get(token)).toBe(life.app);
});

const NEW_APP = {
  type: 'app.create',
  name: 'second',
  token: 'second-token',
  signingSecret: 'second-secret',
  scopes: ['pix:read'],
  openingBalanceCents: 0,
} as const;

describe('an application', () => {
  test('gets a separate account, empty without an opening balance', () => {
    const testWorld = new TestWorld();
    const app = testWorld.do(NEW_APP);
    expect(testWorld.world.appsByToken.get('second-token')).toBe(app);
    expect(testWorld.world.accounts.get(app.accountId)).toMatchObject({ balanceCents: 0n, transactions: [] });
    expect(app.accountId).not.toBe(testWorld.app.accountId);
  });

  test('an application may have further accounts, whose payments are separate', () => {
    const testWorld = new TestWorld();
    const first = testWorld.balance();
    const { id: appId } = testWorld.app;
    const account = testWorld.do({
      type: 'account.create',
      appId: testWorld.app.name,
      openingBalanceCents: 500,
    });
    const next = testWorld.do({ type: 'account.create', appId, openingBalanceCents: 0 });
    const other = testWorld.do(NEW_APP);
    expect(new Set([testWorld.app.accountId, account.id, next.id, other.accountId]).size).toBe(4);
    expect(account).toMatchObject({ appId, balanceCents: 500n, transactions: [{ amountCents: 500 }] });
    const charge = testWorld.charge({ code: 'order-1', accountId: account.id, amountCents: 1_000 });
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    expect(account.balanceCents).toBe(
      500n + 1_000n - BigInt(charge.providerFeeCents + charge.partnerFeeCents),
    );
    expect(testWorld.balance()).toBe(first);
    expect(listAccounts(testWorld.world, testWorld.app).map(({ id }) => id)).toEqual([
      testWorld.app.accountId,
      account.id,
      next.id,
    ]);
    expect(findLedgerProblems(testWorld.world)).toEqual([]);
    const copy = importWorld(JSON.parse(JSON.stringify(exportWorld(testWorld.world))));
    expect(exportWorld(copy)).toEqual(exportWorld(testWorld.world));
  });

  test('an application is found by id or name, and defaults to the first one', () => {
    const testWorld = new TestWorld();
    const second = testWorld.do(NEW_APP);
    expect(findAppOrDefault(testWorld.world)).toBe(testWorld.app);
    expect(findAppOrDefault(testWorld.world, second.id)).toBe(second);
    expect(findAppOrDefault(testWorld.world, 'second')).toBe(second);
    expect(() => findAppOrDefault(testWorld.world, 'third')).toThrow('There is no application third.');
  });
});

describe('a nonce', () => {
  const NOW_S = 1_800_000_000;
  const use = (testWorld: TestWorld, nonce: string, nowS: number, untilS: number, app = testWorld.app) =>
    ({ type: 'nonce.use', appId: app.id, nonce, nowS, untilS }) as const;

  test('a nonce is remembered separately for each application', () => {
    const testWorld = new TestWorld();
    const other = testWorld.addApp();
    testWorld.do(use(testWorld, 'nonce', NOW_S, NOW_S + 300));
    expect(() => testWorld.do(use(testWorld, 'nonce', NOW_S, NOW_S + 300, other))).not.toThrow();
  });

  test('a nonce is forgotten in time, so that memory does not grow', () => {
    const testWorld = new TestWorld();
    for (let second = 0; second < 1_000; second += 1) {
      testWorld.do(use(testWorld, `nonce-${second}`, NOW_S + second, NOW_S + second + 10));
    }
    expect(testWorld.app.nonces.size).toBe(11);
  });

  test('a nonce is accepted exactly when no earlier use is still valid, in any order of timestamps', () => {
    const anyUse = fc.record({
      nonce: fc.constantFrom('a', 'b', 'c'),
      passS: fc.nat(200),
      skewS: fc.integer({ min: -300, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(anyUse, { maxLength: 30 }), (uses) => {
        const testWorld = new TestWorld();
        const validUntil = new Map<string, number>();
        let nowS = NOW_S;
        for (const { nonce, passS, skewS } of uses) {
          nowS += passS;
          const untilS = nowS + skewS + 300;
          const isFree = (validUntil.get(nonce) ?? 0) < nowS;
          const { refusal } = applyCommand(
            testWorld.world,
            use(testWorld, nonce, nowS, untilS),
            testWorld.now,
          );
          expect(refusal === undefined).toBe(isFree);
          if (isFree) validUntil.set(nonce, untilS);
        }
      }),
    );
  });
});
