import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/apply.js';
import {
  checkedOrigin,
  organizationByPublishableKey,
  organizationByToken,
} from '../../../src/core/identity/applications.js';
import { ownSession, sessionResult } from '../../../src/core/identity/sessions.js';
import { refusalText, refusalTextOf } from '../../helpers/core/refusal-text.js';
import { addSession, newSession, otherOrganization } from '../../helpers/core/sessions.js';
import { TestWorld } from '../../helpers/core/world.js';

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

test.each<[Command, string]>([
  [
    { ...APP, token: life.app.token },
    'INVALID_REQUEST Another application has this token. → Give each application a token of its own.',
  ],
  [
    { ...APP, accountId: life.app.accountId },
    'INVALID_REQUEST Account 728fcc00-708e-4284-92c7-f8469665c154 exists already. (account_id: Belongs to application app-1.) → Give another account_id, or leave it out to have one drawn.',
  ],
  [
    { ...APP, organization: { name: 'thief', kycToken: 'kyc-of-other', publishableKey: null } },
    'INVALID_REQUEST Another organization has these identity credentials.',
  ],
  [
    { ...REKEY, token: 'token-of-other' },
    'INVALID_REQUEST Another application has the credentials of the default one. → The state was made with an application of its own that uses the published test values.',
  ],
  [
    { ...REKEY, kycToken: 'kyc-of-other' },
    'INVALID_REQUEST Another application has the credentials of the default one. → The state was made with an application of its own that uses the published test values.',
  ],
  [
    { ...REKEY, publishableKey: 'key-of-other' },
    'INVALID_REQUEST Another application has the credentials of the default one. → The state was made with an application of its own that uses the published test values.',
  ],
  [
    NONCE,
    'NONCE_REUSED X-Nonce was used before. → Draw a new nonce for every request, also when you send the same body again.',
  ],
  [
    { type: 'origin.add', origin: 'shop.example' },
    'INVALID_REQUEST An origin is scheme, host and port; got shop.example. → Write https://shop.example or http://localhost:3000, without a path.',
  ],
  [
    { type: 'origin.add', origin: `https://shop.example/${'a'.repeat(100)}` },
    'INVALID_REQUEST An origin is scheme, host and port; got https://shop.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa. → Write https://shop.example or http://localhost:3000, without a path.',
  ],
  [newSession(life, { organizationId: 'stranger' }), 'NOT_FOUND There is no organization stranger.'],
  [
    newSession(life, { customerType: 'business', idempotencyKey: 'key' }),
    'IDEMPOTENCY_KEY_REUSED The Idempotency-Key was used for a session with another body. (customerType: Was individual with this key.) → Send the same body to repeat a request; use a new key for a new attempt.',
  ],
  [newSession(life, { sessionId: session.id }), 'INVALID_REQUEST The session id is taken.'],
  [
    PUBLIC,
    'FORBIDDEN The origin https://shop.example is not registered. → Register it with `start --origin https://shop.example`.',
  ],
  [
    { ...PUBLIC, origin: `https://${'a'.repeat(100)}` },
    'FORBIDDEN The origin https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa is not registered. → Register it with `start --origin https://shop.example`.',
  ],
  [
    { ...PUBLIC, publishableKey: 'stranger' },
    'UNAUTHENTICATED The publishable key is not known. → `npx sandbox env` prints it as SANDBOX_KYC_PUBLISHABLE_KEY.',
  ],
  [
    { type: 'session.begin', sessionId: 'stranger' },
    'NOT_FOUND There is no such session. → `npx sandbox kyc list` shows those that exist.',
  ],
  [
    { type: 'session.begin', sessionId: session.id, document: '52998224724' },
    'INVALID_REQUEST Not valid: document. (document: Must be a CPF or CNPJ whose check digits are right.)',
  ],
  [decide(session.id, {}), 'INVALID_REQUEST A decision needs a status or an error.'],
  [
    decide(decided.id, { status: 'rejected' }),
    'INVALID_TRANSITION The session is already decided and cannot become rejected. → Its decision cannot be read yet; `npx sandbox clock next` advances to that time.',
  ],
  [
    decide(decided.id, { error: 'CAMERA_DENIED' }),
    'INVALID_TRANSITION A session that is approved can no longer report an error.',
  ],
  [
    decide(rejected.id, { status: 'approved' }),
    'INVALID_TRANSITION A session that is rejected cannot become approved.',
  ],
])('%j is refused in words that say what to do', (command, words) => {
  expect(refusalText(life.refuse(command))).toBe(words);
});

test.each<[string, () => unknown, string]>([
  [
    'no credential',
    () => organizationByToken(world, undefined),
    'UNAUTHENTICATED The header Authorization: Bearer <credential> is required. → `npx sandbox env` prints the identity credential as SANDBOX_KYC_TOKEN.',
  ],
  [
    'an unknown credential',
    () => organizationByToken(world, 'stranger'),
    'UNAUTHENTICATED The identity credential is not known. → `npx sandbox env` prints the identity credential as SANDBOX_KYC_TOKEN.',
  ],
  [
    'a payments token',
    () => organizationByToken(world, life.app.token),
    'UNAUTHENTICATED The identity credential is not known. → This is the token of the payments API; identity has one of its own, SANDBOX_KYC_TOKEN.',
  ],
  [
    'the token of one without identity',
    () => organizationByToken(world, 'token-of-none'),
    'SERVICE_UNAVAILABLE Application none has no credential for identity verification. → Its organization was made without one; POST /_sandbox/apps makes another.',
  ],
  [
    'a credential while identity is off',
    () => organizationByToken(off.world, 'kyc-token-1'),
    'SERVICE_UNAVAILABLE Identity verification is not enabled for this environment. → The sandbox was started with --kyc off.',
  ],
  [
    'an unknown key',
    () => organizationByPublishableKey(world, 'stranger'),
    'UNAUTHENTICATED The publishable key is not known. → `npx sandbox env` prints it as SANDBOX_KYC_PUBLISHABLE_KEY.',
  ],
  [
    'a key while identity is off',
    () => organizationByPublishableKey(off.world, 'publishable-key-1'),
    'SERVICE_UNAVAILABLE Identity verification is not enabled for this environment. → The sandbox was started with --kyc off.',
  ],
  [
    'a long text as an origin',
    () => checkedOrigin('a'.repeat(100)),
    'INVALID_REQUEST An origin is scheme, host and port; got aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa. → Write https://shop.example or http://localhost:3000, without a path.',
  ],
  [
    'a result too early',
    () => sessionResult(world, decided.id, life.now),
    'NOT_TERMINAL The verification has no final decision yet. → Ask again with a growing delay and a cap; `npx sandbox kyc decide` decides it.',
  ],
  [
    'a result too late',
    () => sessionResult(world, session.id, session.expiresAt),
    'SESSION_EXPIRED The session lapsed without a decision. → Create another with a new Idempotency-Key. To change the lifetime: --assume session.lifetime=2h.',
  ],
  [
    'the session of another',
    () => ownSession(world, other.id, session.id),
    'NOT_FOUND There is no such session. → `npx sandbox kyc list` shows those that exist.',
  ],
])('%s is refused in words that say what to do', (_what, act, words) => {
  expect(refusalTextOf(act)).toBe(words);
});
