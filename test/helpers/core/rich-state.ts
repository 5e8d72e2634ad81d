import { type StateFile, createStateFile } from '../../../src/sandbox/state-file.js';
import { callFault, deliveryFault } from './fault-commands.js';
import { addSession } from './sessions.js';
import { TestWorld } from './world.js';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const ACCOUNT_ID = '00000000-0000-4000-8000-000000000001';

/** What the world is made with. */
export const RICH = { autoSettleMs: 3_600_000, origins: ['http://localhost:*'] };

/** The state of a world in which there is something of everything, in every state that it may have. */
export function richState(): StateFile {
  const { world } = richWorld(new TestWorld(RICH));
  return createStateFile({ world, rate: 0 });
}

/** Fills a world with something of everything. */
export function richWorld<Test extends TestWorld>(test: Test): Test {
  const other = test.do({
    type: 'app.create',
    name: 'shop',
    token: 'token-of-the-shop',
    signingSecret: 'signing secret of the shop',
    scopes: ['pix:read', 'pix:write'],
    accountId: ACCOUNT_ID,
    openingBalanceCents: 500_000,
    organization: { name: 'shop', kycToken: 'kyc-of-the-shop', publishableKey: 'key-of-the-shop' },
  });
  test.do({ type: 'origin.add', appId: other.id, origin: 'https://shop.example' });
  const nowS = Math.floor(test.now / 1_000);
  test.do({
    type: 'nonce.use',
    appId: test.app.id,
    nonce: 'a-nonce-of-enough-length',
    nowS,
    untilS: nowS + 300,
  });
  addPayments(test);
  addDeliveries(test);
  addSessions(test);
  return test;
}

function addPayments(test: TestWorld): void {
  const [failed, expired] = [test.charge({ metadata: { order: '1' } }), test.charge({ payerName: null })];
  test.do({ type: 'charge.fail', chargeId: failed.id, reason: 'FRAD' });
  test.do({ type: 'charge.expire', chargeId: expired.id });
  test.withdrawal({ pixKey: 'ana@example.com' });
  const processed = test.withdrawal({ beneficiaryDocument: null });
  test.do({ type: 'withdrawal.process', withdrawalId: processed.id });
  test.charge({ code: 'pending' });
}

/** Deliveries that wait, are in flight, were delivered and are dead letters, to endpoints of every kind. */
function addDeliveries(test: TestWorld): void {
  const removed = test.endpoint({ url: 'https://removed.example/' });
  const disabled = test.endpoint({ url: 'https://disabled.example/', schedule: 'off' });
  const rotated = test.endpoint({ url: 'https://shop.example/webhooks', description: 'the shop' });
  const listener = test.listener('mine', { schedule: 'fast' });
  test.do({ type: 'endpoint.rotate', endpointId: rotated.id, secret: SECRET });
  const faults = [
    deliveryFault('duplicate', { count: 1, copies: 2, match: { eventType: 'pix.*' } }),
    deliveryFault('answer', { probability: 0.5, status: 503, match: { endpointId: rotated.id } }),
    deliveryFault('two-signatures', { match: { attempt: 2 } }),
    callFault('status', { status: 503, count: 3, match: { api: 'api', path: '/api/*' } }),
    deliveryFault('hold', { forMs: 7_200_000, incident: 'mine', match: { eventType: 'withdrawal.settled' } }),
    callFault('reset', { from: test.now + 3_600_000, forMs: 60_000, match: { every: 2 } }),
  ];
  for (const fault of faults) test.do({ type: 'fault.add', fault });
  const first = test.announce();
  first.forEach((delivery, index) => test.answer(delivery, index % 2 === 0 ? 200 : 500));
  test.do({ type: 'endpoint.disable', endpointId: disabled.id });
  test.do({ type: 'endpoint.delete', endpointId: removed.id });
  test.pass(60_000);
  const overrides = [{ path: 'data.object.amount', value: '1.00' }];
  test.do({ type: 'trigger', event: 'withdrawal.failed', overrides });
  for (const delivery of test.world.deliveries.rows) {
    if (delivery.inFlight && delivery.endpointId === rotated.id) test.answer(delivery, 500);
  }
  test.do({ type: 'trigger', event: 'withdrawal.settled' });
  test.do({ type: 'trigger', event: 'pix.settled' });
  test.do({ type: 'listener.lose', endpointId: listener.id });
}

function addSessions(test: TestWorld): void {
  addSession(test, { idempotencyKey: 'key-of-a-session-1' });
  const sessions = ['approved', 'under_review', 'expired'].map(() => addSession(test));
  const [approved, reviewed, expired] = sessions.map(({ id }) => id);
  test.do({ type: 'session.begin', sessionId: approved ?? '', name: 'Ana', document: '52998224725' });
  test.do({ type: 'session.decide', sessionId: approved ?? '', status: 'approved', delayMs: 7_200_000 });
  test.do({ type: 'session.decide', sessionId: reviewed ?? '', status: 'under_review' });
  test.do({ type: 'session.decide', sessionId: expired ?? '', status: 'expired' });
  test.do({ type: 'session.decide', sessionId: addSession(test).id, error: 'CAMERA_DENIED' });
  const origin = 'http://localhost:3000';
  const publishableKey = 'publishable-key-1';
  test.do({
    type: 'session.createPublic',
    publishableKey,
    origin,
    sessionId: 'kyc_public',
    formToken: 'form-token',
    customerType: 'business',
  });
}
