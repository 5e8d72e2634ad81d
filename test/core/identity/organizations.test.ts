import { describe, expect, test } from 'vitest';
import {
  parseOrigin,
  findOrganizationByToken,
  isOriginAllowed,
  listOrigins,
} from '../../../src/core/identity/applications.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { firstOrganization, otherOrganization } from '../../helpers/core/sessions.js';
import { thrownBy } from '../../helpers/thrown-by.js';
import { TestWorld } from '../../helpers/core/world.js';

const codeOf = (work: () => unknown) => thrownBy(work, Refusal).code;

describe('an organization', () => {
  test('an organization is shared by all applications unless another is named', () => {
    const testWorld = new TestWorld();
    testWorld.addApp();
    const other = otherOrganization(testWorld, 'other');
    const [first, second, third] = testWorld.world.apps.rows;
    expect(testWorld.world.organizations.rows.map(({ name }) => name)).toEqual(['first', 'other']);
    expect(second?.organizationId).toBe(first?.organizationId);
    expect(third?.organizationId).toBe(other.id);
    expect(other.id).not.toBe(first?.organizationId);
  });

  test('an organization is identified by its credential', () => {
    const testWorld = new TestWorld();
    const other = otherOrganization(testWorld, 'other');
    expect(findOrganizationByToken(testWorld.world, 'kyc-token-1')).toBe(firstOrganization(testWorld));
    expect(findOrganizationByToken(testWorld.world, 'kyc-of-other')).toBe(other);
    for (const token of [undefined, '', 'kyc-token-2', 'publishable-key-1', testWorld.app.token]) {
      expect(codeOf(() => findOrganizationByToken(testWorld.world, token))).toBe('UNAUTHENTICATED');
    }
  });
});

describe('an origin', () => {
  test.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.Example/', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://localhost:80', 'http://localhost'],
    ['http://localhost:443', 'http://localhost:443'],
    ['http://localhost:*', 'http://localhost:*'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('registers %s as %s', (text, origin) => {
    expect(parseOrigin(text)).toBe(origin);
  });

  test.each([
    '',
    '*',
    'null',
    'shop.example',
    'ftp://shop.example',
    'https://',
    'https://*.example',
    'https://shop.example/path',
    'https://user@shop.example',
    'https://shop.example:*:1',
    'https://shop.example; script-src *',
    'https://shop.example https://other.example',
    `https://${'a'.repeat(3_000)}.example`,
  ])('rejects %s', (text) => {
    expect(codeOf(() => parseOrigin(text))).toBe('INVALID_REQUEST');
  });

  test('an origin is allowed once for its own organization, and for all if it is a start option', () => {
    const testWorld = new TestWorld({ origins: ['http://localhost:*'] });
    const other = otherOrganization(testWorld, 'other');
    for (let times = 0; times < 2; times += 1)
      testWorld.do({ type: 'origin.add', origin: 'https://shop.example/' });
    const { id } = firstOrganization(testWorld);
    expect(listOrigins(testWorld.world, id)).toEqual(['http://localhost:*', 'https://shop.example']);
    expect(listOrigins(testWorld.world, other.id)).toEqual(['http://localhost:*']);
    expect(listOrigins(testWorld.world)).toEqual(['http://localhost:*', 'https://shop.example']);
    const allowed = (organizationId?: string) =>
      isOriginAllowed(testWorld.world, 'https://shop.example', organizationId);
    expect([allowed(), allowed(id), allowed(other.id)]).toEqual([true, true, false]);
    expect(testWorld.refuse({ type: 'origin.add', origin: 'shop' }).code).toBe('INVALID_REQUEST');
    expect(testWorld.refuse({ type: 'origin.add', appId: 'nobody', origin: 'https://a.example' }).code).toBe(
      'NOT_FOUND',
    );
  });

  test.each([
    ['http://localhost', true],
    ['http://localhost:3000', true],
    ['http://localhost:65535', true],
    ['http://localhost:', false],
    ['http://localhost:3000.evil.example', false],
    ['http://localhost.evil.example', false],
    ['http://localhost:3000@evil.example', false],
    ['https://localhost:3000', false],
    ['http://127.0.0.1:3000', false],
    ['https://shop.example', true],
    ['https://shop.example:8443', false],
    ['http://shop.example', false],
    ['https://a.shop.example', false],
    ['null', false],
    ['', false],
  ])('%s: allowed is %s', (origin, isAllowed) => {
    const { world } = new TestWorld({ origins: ['http://localhost:*', 'https://shop.example'] });
    expect(isOriginAllowed(world, origin)).toBe(isAllowed);
  });
});

describe('publishable-key mode', () => {
  const create = (fields: object = {}) =>
    ({
      type: 'session.createPublic',
      publishableKey: 'publishable-key-1',
      origin: 'https://shop.example',
      sessionId: 'kyc_public',
      formToken: 'form',
      customerType: 'business',
      ...fields,
    }) as const;

  test('creates a session of the key’s organization, for the requesting origin', () => {
    const testWorld = new TestWorld({ origins: ['https://shop.example'] });
    expect(testWorld.do(create())).toMatchObject({
      id: 'kyc_public',
      organizationId: firstOrganization(testWorld).id,
      embedOrigin: 'https://shop.example',
      idempotencyKey: null,
      formToken: 'form',
      customerType: 'business',
      status: 'CREATED',
    });
  });
});
