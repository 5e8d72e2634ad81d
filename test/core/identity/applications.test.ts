import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apply } from '../../../src/core/apply.js';
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
    const test = new TestWorld();
    const app = test.do(NEW_APP);
    expect(test.world.appsByToken.get('second-token')).toBe(app);
    expect(test.world.accounts.get(app.accountId)).toMatchObject({ balanceCents: 0n, transactions: [] });
    expect(app.accountId).not.toBe(test.app.accountId);
  });

  test('an application may have further accounts, whose payments are separate', () => {
    const test = new TestWorld();
    const first = test.balance();
    const { id: appId } = test.app;
    const account = test.do({ type: 'account.create', appId: test.app.name, openingBalanceCents: 500 });
    const next = test.do({ type: 'account.create', appId, openingBalanceCents: 0 });
    const other = test.do(NEW_APP);
    expect(new Set([test.app.accountId, account.id, next.id, other.accountId]).size).toBe(4);
    expect(account).toMatchObject({ appId, balanceCents: 500n, transactions: [{ amountCents: 500 }] });
    const charge = test.charge({ code: 'order-1', accountId: account.id, amountCents: 1_000 });
    test.do({ type: 'charge.settle', chargeId: charge.id });
    expect(account.balanceCents).toBe(
      500n + 1_000n - BigInt(charge.providerFeeCents + charge.partnerFeeCents),
    );
    expect(test.balance()).toBe(first);
    expect(listAccounts(test.world, test.app).map(({ id }) => id)).toEqual([
      test.app.accountId,
      account.id,
      next.id,
    ]);
    expect(findLedgerProblems(test.world)).toEqual([]);
    const copy = importWorld(JSON.parse(JSON.stringify(exportWorld(test.world))));
    expect(exportWorld(copy)).toEqual(exportWorld(test.world));
  });

  test('an application is found by id or name, and defaults to the first one', () => {
    const test = new TestWorld();
    const second = test.do(NEW_APP);
    expect(findAppOrDefault(test.world)).toBe(test.app);
    expect(findAppOrDefault(test.world, second.id)).toBe(second);
    expect(findAppOrDefault(test.world, 'second')).toBe(second);
    expect(() => findAppOrDefault(test.world, 'third')).toThrow('There is no application third.');
  });
});

describe('a nonce', () => {
  const NOW_S = 1_800_000_000;
  const use = (test: TestWorld, nonce: string, nowS: number, untilS: number, app = test.app) =>
    ({ type: 'nonce.use', appId: app.id, nonce, nowS, untilS }) as const;

  test('a nonce is remembered separately for each application', () => {
    const test = new TestWorld();
    const other = test.addApp();
    test.do(use(test, 'nonce', NOW_S, NOW_S + 300));
    expect(() => test.do(use(test, 'nonce', NOW_S, NOW_S + 300, other))).not.toThrow();
  });

  test('a nonce is forgotten in time, so that memory does not grow', () => {
    const test = new TestWorld();
    for (let second = 0; second < 1_000; second += 1) {
      test.do(use(test, `nonce-${second}`, NOW_S + second, NOW_S + second + 10));
    }
    expect(test.app.nonces.size).toBe(11);
  });

  test('a nonce is accepted exactly when no earlier use is still valid, in any order of timestamps', () => {
    const anyUse = fc.record({
      nonce: fc.constantFrom('a', 'b', 'c'),
      passS: fc.nat(200),
      skewS: fc.integer({ min: -300, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(anyUse, { maxLength: 30 }), (uses) => {
        const test = new TestWorld();
        const validUntil = new Map<string, number>();
        let nowS = NOW_S;
        for (const { nonce, passS, skewS } of uses) {
          nowS += passS;
          const untilS = nowS + skewS + 300;
          const isFree = (validUntil.get(nonce) ?? 0) < nowS;
          const { refusal } = apply(test.world, use(test, nonce, nowS, untilS), test.now);
          expect(refusal === undefined).toBe(isFree);
          if (isFree) validUntil.set(nonce, untilS);
        }
      }),
    );
  });
});
