import type { NewSession } from '../../../src/core/identity/sessions.js';
import type { IdentitySession, Organization } from '../../../src/core/world.js';
import type { TestWorld } from './world.js';

/** A CPF and a CNPJ that belong to nobody in particular. */
export const CPF = '52998224725';
export const CNPJ = '11222333000181';
export const SESSION_LIFETIME_MS = 1_800_000;

/** The organization of a test world's first application. */
export function firstOrganization({ world }: TestWorld): Organization {
  const [organization] = world.organizations.rows;
  if (organization === undefined) throw new Error('Expected an organization');
  return organization;
}

/** Another organization with credentials of its own, or without. */
export function otherOrganization(test: TestWorld, name: string, hasCredentials = true): Organization {
  const app = test.do({
    type: 'app.create',
    name,
    token: `token-of-${name}`,
    signingSecret: 's',
    scopes: [],
    openingBalanceCents: 0,
    organization: {
      name,
      kycToken: hasCredentials ? `kyc-of-${name}` : null,
      publishableKey: hasCredentials ? `key-of-${name}` : null,
    },
  });
  const organization = test.world.organizations.byId.get(app.organizationId);
  if (organization === undefined) throw new Error(`Expected an organization ${name}`);
  return organization;
}

/** The command that creates a session of the first organization. */
export function newSession(test: TestWorld, fields: Partial<NewSession> = {}) {
  return {
    type: 'session.create',
    organizationId: firstOrganization(test).id,
    sessionId: `kyc_session_${test.world.sessions.rows.length}`,
    formToken: 'form-token',
    customerType: 'individual',
    idempotencyKey: null,
    ...fields,
  } as const;
}

export function addSession(test: TestWorld, fields: Partial<NewSession> = {}): IdentitySession {
  return test.do(newSession(test, fields)).session;
}
