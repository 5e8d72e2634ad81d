import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/apply.js';
import {
  parseOrigin,
  findOrganizationByKey,
  findOrganizationByToken,
} from '../../../src/core/identity/applications.js';
import { findSession, readSessionResult } from '../../../src/core/identity/sessions.js';
import { refusalsOf, refusalTextOf, TestWorld } from '../../helpers/core/world.js';
import { addSession, newSession, otherOrganization } from '../../helpers/core/sessions.js';

const life = new TestWorld();
const { world } = life;
const other = otherOrganization(life, 'other');
otherOrganization(life, 'none', false);
const off = new TestWorld({ kycEnabled: false });
const session = addSession(life, { sessionId: 'kyc_open', idempotencyKey: 'key' });
const decided = addSession(life, { sessionId: 'kyc_decided' });
life.do({ type: 'session.decide', sessionId: decided.id, status: 'approved', delayMs: 60_000 });
const rejected = addSession(life, { sessionId: 'kyc_rejected' });
life.do({ type: 'session.decide', sessionId: rejected.id, status: 'rejected' });

const APP = {
  type: 'app.create',
  name: 'new',
  token: 'new-token',
  signingSecret: 'secret',
  scopes: [],
  openingBalanceCents: 0,
} as const;
const PUBLIC = {
  type: 'session.createPublic',
  publishableKey: 'publishable-key-1',
  origin: 'https://shop.example',
  sessionId: 'kyc_public',
  formToken: 'form',
  customerType: 'business',
} as const;
const REKEY = {
  type: 'app.rekey',
  token: 'new-token',
  signingSecret: 'secret',
  kycToken: 'new-kyc-token',
  publishableKey: 'new-key',
} as const;
const NONCE = { type: 'nonce.use', appId: life.app.id, nonce: 'nonce', nowS: 100, untilS: 400 } as const;
life.do(NONCE);
const decide = (sessionId: string, input: object) =>
  ({ type: 'session.decide', sessionId, ...input }) as const;

const REFUSED: readonly Command[] = [
  { ...APP, token: life.app.token },
  { ...APP, accountId: life.app.accountId },
  { ...APP, organization: { name: 'thief', kycToken: 'kyc-of-other', publishableKey: null } },
  { ...REKEY, token: 'token-of-other' },
  { ...REKEY, kycToken: 'kyc-of-other' },
  { ...REKEY, publishableKey: 'key-of-other' },
  NONCE,
  { type: 'origin.add', origin: 'shop.example' },
  { type: 'origin.add', origin: `https://shop.example/${'a'.repeat(100)}` },
  newSession(life, { organizationId: 'stranger' }),
  newSession(life, { customerType: 'business', idempotencyKey: 'key' }),
  newSession(life, { sessionId: session.id }),
  PUBLIC,
  { ...PUBLIC, origin: `https://${'a'.repeat(100)}` },
  { ...PUBLIC, publishableKey: 'stranger' },
  { type: 'session.begin', sessionId: 'stranger' },
  { type: 'session.begin', sessionId: session.id, document: '52998224724' },
  decide(session.id, {}),
  decide(decided.id, { status: 'rejected' }),
  decide(decided.id, { error: 'CAMERA_DENIED' }),
  decide(rejected.id, { status: 'approved' }),
];

const THROWN: Readonly<Record<string, () => unknown>> = {
  'no credential': () => findOrganizationByToken(world, undefined),
  'an unknown credential': () => findOrganizationByToken(world, 'stranger'),
  'a payments token': () => findOrganizationByToken(world, life.app.token),
  'the token of one without identity': () => findOrganizationByToken(world, 'token-of-none'),
  'a credential while identity is off': () => findOrganizationByToken(off.world, 'kyc-token-1'),
  'an unknown key': () => findOrganizationByKey(world, 'stranger'),
  'a key while identity is off': () => findOrganizationByKey(off.world, 'publishable-key-1'),
  'a long text as an origin': () => parseOrigin('a'.repeat(100)),
  'a result too early': () => readSessionResult(world, decided.id, life.now),
  'a result too late': () => readSessionResult(world, session.id, session.expiresAt),
  'the session of another': () => findSession(world, session.id, other.id),
};

test('identity errors state what to do', async () => {
  const thrown = Object.entries(THROWN).map(([what, act]) => `${what}\n  ${refusalTextOf(act)}\n`);
  const text = refusalsOf(life, REFUSED) + thrown.join('');
  await expect(text).toMatchFileSnapshot('../golden/refused-identity.txt');
});
