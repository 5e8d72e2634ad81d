import { expect, test } from 'vitest';
import { addSession, newSession, otherOrganization } from '../helpers/core/sessions.js';
import { withOverrides } from '../../src/core/webhooks/overrides.js';
import { TestWorld } from '../helpers/core/world.js';

test('a session takes null for what is not known', () => {
  const life = new TestWorld();
  const session = addSession(life, { sessionId: 'kyc_open' });
  life.do({ type: 'session.begin', sessionId: session.id, name: null, document: null });
  expect(session).toMatchObject({ status: 'IN_PROGRESS', name: null, document: null });
  life.do({ type: 'session.decide', sessionId: session.id, error: 'CAMERA_DENIED', document: null });
  expect(session).toMatchObject({ status: 'IN_PROGRESS', error: 'CAMERA_DENIED' });
  life.do({ type: 'session.decide', sessionId: session.id, status: 'approved', error: null });
  expect(session).toMatchObject({ status: 'approved', error: null });
});

test('credentials that only the default application has may be given to it again', () => {
  const life = new TestWorld();
  otherOrganization(life, 'other');
  const { token, signingSecret } = life.app;
  const same = { token, signingSecret, kycToken: 'kyc-token-1', publishableKey: 'publishable-key-1' };
  expect(() => life.do({ type: 'app.rekey', ...same })).not.toThrow();
  expect(life.world.appsByToken.get(token)).toBe(life.app);
});

test('a key of the same kind of customer gives the same session', () => {
  const life = new TestWorld();
  const first = life.do(newSession(life, { idempotencyKey: 'key' }));
  const again = life.do(newSession(life, { idempotencyKey: 'key', sessionId: 'kyc_other' }));
  expect([first.created, again.created, again.session]).toEqual([true, false, first.session]);
});

test('an override reaches into a list and leaves the payload as it was', () => {
  const payload = { items: [{ a: 1 }, { a: 2 }], kept: { b: 1 } };
  const changed = withOverrides(payload, [
    { path: 'items[1].a', value: 3 },
    { path: 'items.0', value: null },
  ]);
  expect(changed).toEqual({ items: [null, { a: 3 }], kept: { b: 1 } });
  expect(payload).toEqual({ items: [{ a: 1 }, { a: 2 }], kept: { b: 1 } });
  expect(withOverrides({ 'a.b': 1, 'a[b]': 2, a: { b: 3 } }, [{ path: 'a.b', value: 4 }])).toEqual({
    'a.b': 4,
    'a[b]': 2,
    a: { b: 3 },
  });
});
