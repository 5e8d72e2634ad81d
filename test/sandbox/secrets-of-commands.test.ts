import { expect, test } from 'vitest';
import type { Command } from '../../src/core/commands.js';
import { SandboxSecrets } from '../../src/sandbox/secrets.js';
import { otherOrganization } from '../helpers/core/sessions.js';
import { endpointInput, TestWorld } from '../helpers/core/world.js';

const SAID = 'token-abcdef signing-abcdef kyc-abcdef webhook-abcdef lasting-abcdef';
const APP = { name: 'a', token: 'token-abcdef', signingSecret: 'signing-abcdef' } as const;
const KYC = { kycToken: 'kyc-abcdef', publishableKey: 'key-abcdef' } as const;
const RECEIVER = endpointInput({ secret: 'webhook-abcdef' });

/** The words of `SAID` that are left when the secrets are hidden. */
function left(secrets: SandboxSecrets): string[] {
  return SAID.split(' ').filter((word) => secrets.hide(word) === word);
}

test.each<[Command, string[]]>([
  [
    { type: 'app.create', ...APP, scopes: [], openingBalanceCents: 0, organization: { name: 'o', ...KYC } },
    ['webhook-abcdef', 'lasting-abcdef'],
  ],
  [
    { type: 'app.create', ...APP, scopes: [], openingBalanceCents: 0 },
    ['kyc-abcdef', 'webhook-abcdef', 'lasting-abcdef'],
  ],
  [{ type: 'app.rekey', ...APP, ...KYC }, ['webhook-abcdef', 'lasting-abcdef']],
  [
    { type: 'endpoint.create', appId: 'a', endpoint: RECEIVER },
    ['token-abcdef', 'signing-abcdef', 'kyc-abcdef', 'lasting-abcdef'],
  ],
  [
    { type: 'endpoint.rotate', endpointId: 'a', secret: 'webhook-abcdef' },
    ['token-abcdef', 'signing-abcdef', 'kyc-abcdef', 'lasting-abcdef'],
  ],
  [
    { type: 'listener.connect', appId: 'a', listener: { ...RECEIVER, name: 'a' } },
    ['token-abcdef', 'signing-abcdef', 'kyc-abcdef', 'lasting-abcdef'],
  ],
  [{ type: 'clock.tick' }, SAID.split(' ')],
])('the secrets of %j are hidden', (command, words) => {
  const secrets = new SandboxSecrets();
  secrets.learnFrom(command);
  expect(left(secrets)).toEqual(words);
});

test('a secret that lasts is hidden in every world, and others in theirs alone', () => {
  const secrets = new SandboxSecrets();
  secrets.keep('lasting-abcdef');
  secrets.learnFrom({ type: 'endpoint.rotate', endpointId: 'a', secret: 'webhook-abcdef' });
  secrets.clear();
  expect(left(secrets)).toEqual(['token-abcdef', 'signing-abcdef', 'kyc-abcdef', 'webhook-abcdef']);
});

test('every secret of a world is hidden, those of before a rotation, too', () => {
  const life = new TestWorld();
  otherOrganization(life, 'shop');
  otherOrganization(life, 'none', false);
  const endpoint = life.endpoint({ secret: 'webhook-abcdef' });
  life.do({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: 'webhook-ghijkl' });
  const secrets = new SandboxSecrets();
  secrets.learnAll(life.world);
  const words = ['token-of-shop', life.app.signingSecret, 'kyc-of-shop', 'webhook-abcdef', 'webhook-ghijkl'];
  expect(words.filter((word) => secrets.hide(word) === word)).toEqual([]);
});
