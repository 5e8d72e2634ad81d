import { expect, test } from 'vitest';
import { addSession, otherOrganization } from '../helpers/core/sessions.js';
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
