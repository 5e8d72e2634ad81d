import { expect, test } from 'vitest';
import type { Command } from '../../src/core/apply.js';
import { SandboxSecrets } from '../../src/sandbox/credentials.js';
import { endpointInput, TestWorld } from '../helpers/core/world.js';

const [FIRST, SECOND, THIRD, PUBLIC] = [
  'first-secret-1',
  'second-secret-2',
  'third-secret-3',
  'public-key-0004',
] as const;
const APP = {
  type: 'app.create',
  name: 'shop',
  token: FIRST,
  signingSecret: SECOND,
  scopes: [],
  openingBalanceCents: 0,
} as const;

test.each<[Command, readonly string[]]>([
  [APP, [FIRST, SECOND]],
  [{ ...APP, organization: { name: 'o', kycToken: THIRD, publishableKey: PUBLIC } }, [FIRST, SECOND, THIRD]],
  [
    { type: 'app.rekey', token: FIRST, signingSecret: SECOND, kycToken: THIRD, publishableKey: PUBLIC },
    [FIRST, SECOND, THIRD],
  ],
  [{ type: 'endpoint.create', appId: 'a', endpoint: endpointInput({ secret: FIRST }) }, [FIRST]],
  [{ type: 'endpoint.rotate', endpointId: 'e', secret: FIRST }, [FIRST]],
  [
    { type: 'listener.connect', appId: 'a', listener: { ...endpointInput({ secret: FIRST }), name: 'n' } },
    [FIRST],
  ],
  [{ type: 'clock.tick' }, []],
])('$type adds secrets that are hidden from then on', (command, expected) => {
  const secrets = new SandboxSecrets();
  secrets.addSecretsOf(command);
  const all = [FIRST, SECOND, THIRD, PUBLIC];
  expect(all.filter((one) => secrets.hide(one) !== one)).toEqual(expected);
});

test('a world adds all of its secrets, including rotated ones', () => {
  const life = new TestWorld();
  const endpoint = life.endpoint({ secret: FIRST });
  life.do({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: SECOND });
  const secrets = new SandboxSecrets();
  secrets.addAllSecrets(life.world);
  const all = [FIRST, SECOND, life.app.signingSecret, 'kyc-token-1', 'publishable-key-1'];
  expect(all.filter((one) => secrets.hide(one) === one)).toEqual(['publishable-key-1']);
});
