import type { Step } from '../effects.js';
import { idFor } from '../ids.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import type { Organization, World } from '../world.js';
import { insert } from '../table.js';

/** Finds an organization by name, or creates it with these credentials. */
export interface OrganizationInput {
  readonly name: string;
  readonly kycToken: string | null;
  readonly publishableKey: string | null;
}

const FIRST: OrganizationInput = { name: 'default', kycToken: null, publishableKey: null };

export function findOrganizationByName(world: World, name: string): Organization | undefined {
  return world.organizations.rows.find((organization) => organization.name === name);
}

/** Refuses a new organization with the credentials of another. */
export function checkOrganization(world: World, input: OrganizationInput | undefined): void {
  if (input === undefined || findOrganizationByName(world, input.name) !== undefined) return;
  const isTaken = world.organizations.rows.some(
    ({ kycToken, publishableKey }) =>
      (kycToken !== null && kycToken === input.kycToken) ||
      (publishableKey !== null && publishableKey === input.publishableKey),
  );
  if (isTaken) throw new Refusal('INVALID_REQUEST', 'Another organization has these identity credentials.');
}

/** The organization for an application: the one of this name, a new one, or the first. */
export function joinOrganization({ world }: Step, input: OrganizationInput | undefined): Organization {
  const { rows } = world.organizations;
  const existing = input === undefined ? rows[0] : findOrganizationByName(world, input.name);
  if (existing !== undefined) return existing;
  const ordinal = rows.length;
  return insert<Organization>(world.organizations, {
    ordinal,
    id: idFor(world, 'organization', ordinal),
    ...(input ?? FIRST),
    origins: [],
    sessionsByKey: new Map(),
  });
}

/** Refuses with SERVICE_UNAVAILABLE when identity verification is switched off (§7). */
export function checkKycEnabled({ kycEnabled }: World): void {
  if (kycEnabled) return;
  throw new Refusal('SERVICE_UNAVAILABLE', 'Identity verification is not enabled for this environment.', {
    hint: 'The sandbox was started with --kyc off.',
  });
}

const KYC_TOKEN_HINT = '`npx sandbox env` prints the identity credential as SANDBOX_KYC_TOKEN.';

/**
 * The organization of a bearer credential of the identity API (§5.4). Refuses with UNAUTHENTICATED, and with
 * SERVICE_UNAVAILABLE where identity is off or the credential is that of an application that has none for identity.
 */
export function organizationByToken(world: World, token: string | undefined): Organization {
  checkKycEnabled(world);
  if (token === undefined) {
    throw new Refusal('UNAUTHENTICATED', 'The header Authorization: Bearer <credential> is required.', {
      hint: KYC_TOKEN_HINT,
    });
  }
  const owner = world.organizations.rows.find(({ kycToken }) => kycToken === token);
  if (owner !== undefined) return owner;
  const app = world.appsByToken.get(token);
  if (app !== undefined && world.organizations.byId.get(app.organizationId)?.kycToken === null) {
    throw new Refusal(
      'SERVICE_UNAVAILABLE',
      `Application ${app.name} has no credential for identity verification.`,
      { hint: 'Its organization was made without one; POST /_sandbox/apps makes another.' },
    );
  }
  throw new Refusal('UNAUTHENTICATED', 'The identity credential is not known.', {
    hint:
      app === undefined
        ? KYC_TOKEN_HINT
        : 'This is the token of the payments API; identity has one of its own, SANDBOX_KYC_TOKEN.',
  });
}

/** The organization of a publishable key; refuses with UNAUTHENTICATED, and with SERVICE_UNAVAILABLE while identity is off. */
export function organizationByPublishableKey(world: World, key: string): Organization {
  checkKycEnabled(world);
  const owner = world.organizations.rows.find(({ publishableKey }) => publishableKey === key);
  if (owner !== undefined) return owner;
  throw new Refusal('UNAUTHENTICATED', 'The publishable key is not known.', {
    hint: '`npx sandbox env` prints it as SANDBOX_KYC_PUBLISHABLE_KEY.',
  });
}

const ORIGIN = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::(?:\d{1,5}|\*))?$/;
const DEFAULT_PORT = /:443$(?<=^https:.*)|:80$(?<=^http:.*)/;

/** Normalises an origin to the form browsers send; its port may be `*`. Refuses anything else with INVALID_REQUEST. */
export function checkedOrigin(text: string): string {
  const origin = text.toLowerCase().replace(/\/$/, '').replace(DEFAULT_PORT, '');
  if (ORIGIN.test(origin) && origin.length <= LIMITS.urlLength) return origin;
  throw new Refusal('INVALID_REQUEST', `An origin is scheme, host and port; got ${text.slice(0, 80)}.`, {
    hint: 'Write https://shop.example or http://localhost:3000, without a path.',
  });
}

/** Registers an origin where the pages of an organization may be embedded (§5.4). */
export function addOrigin(organization: Organization, text: string): Organization {
  const origin = checkedOrigin(text);
  if (!organization.origins.includes(origin)) organization.origins.push(origin);
  return organization;
}

/** The registered origins of one organization, or of all of them: texts that a CSP's frame-ancestors takes as they are. */
export function registeredOrigins(world: World, organizationId?: string): string[] {
  const { rows, byId } = world.organizations;
  const organizations = organizationId === undefined ? rows : [byId.get(organizationId)];
  return [...new Set([...world.origins, ...organizations.flatMap((one) => one?.origins ?? [])])];
}

/** Whether this origin may embed, open and receive messages from the pages of one organization, or of any. */
export function originAllowed(world: World, origin: string, organizationId?: string): boolean {
  return registeredOrigins(world, organizationId).some((pattern) => {
    if (!pattern.endsWith(':*')) return pattern === origin;
    const bare = pattern.slice(0, -':*'.length);
    return (
      origin === bare || (origin.startsWith(`${bare}:`) && /^\d{1,5}$/.test(origin.slice(bare.length + 1)))
    );
  });
}
