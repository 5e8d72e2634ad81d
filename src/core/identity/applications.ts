import type { Scope } from '../../contract/enums.js';
import { requireFound, Refusal } from '../../contract/refusals.js';
import type { ApplyStep } from '../effects.js';
import { createId } from '../ids.js';
import { normalizeOrigin } from '../input/kinds.js';
import { requireRow } from '../named-rows.js';
import { openAccount } from '../payments/ledger.js';
import { insertRow } from '../table.js';
import type { Account, App, Organization, World } from '../world.js';

/** Identifies an organization by name; the credentials are used only if the organization is new. */
export interface OrganizationInput {
  readonly name: string;
  readonly kycToken: string | null;
  readonly publishableKey: string | null;
}

const FIRST: OrganizationInput = { name: 'default', kycToken: null, publishableKey: null };

export function findOrganizationByName(world: World, name: string): Organization | undefined {
  return world.organizations.rows.find((organization) => organization.name === name);
}

/** Returns true if another organization has one of these credentials. */
function isTaken(world: World, input: Omit<OrganizationInput, 'name'>, ownId?: string): boolean {
  return (['kycToken', 'publishableKey'] as const).some(
    (key) =>
      input[key] !== null &&
      world.organizations.rows.some((other) => other.id !== ownId && other[key] === input[key]),
  );
}

/** Returns the named organization, creating it if needed; defaults to the first organization. */
function joinOrganization({ world }: ApplyStep, input: OrganizationInput | undefined): Organization {
  const { rows } = world.organizations;
  const existing = input === undefined ? rows[0] : findOrganizationByName(world, input.name);
  if (existing !== undefined) return existing;
  const ordinal = rows.length;
  return insertRow<Organization>(world.organizations, {
    ordinal,
    id: createId(world, 'organization', ordinal),
    ...(input ?? FIRST),
    origins: [],
    sessionsByKey: new Map(),
  });
}

/** Throws SERVICE_UNAVAILABLE if identity verification is disabled (§7). */
export function checkKycEnabled({ kycEnabled }: World): void {
  if (kycEnabled) return;
  throw new Refusal('SERVICE_UNAVAILABLE', 'Identity verification is not enabled for this environment.', {
    hint: 'The sandbox was started with --kyc off.',
  });
}

const KYC_TOKEN_HINT = '`npx sandbox env` prints the identity credential as SANDBOX_KYC_TOKEN.';

/**
 * Finds the organization of an identity API bearer credential (§5.4). Throws UNAUTHENTICATED for unknown
 * credentials, and SERVICE_UNAVAILABLE if identity verification is disabled or not provisioned for the
 * token's application.
 */
export function findOrganizationByToken(world: World, token: string | undefined): Organization {
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
      { hint: 'The organization has no credential; create another application with POST /_sandbox/apps.' },
    );
  }
  throw new Refusal('UNAUTHENTICATED', 'Unknown identity credential.', {
    hint:
      app === undefined
        ? KYC_TOKEN_HINT
        : 'This is a payments API token; the identity API uses SANDBOX_KYC_TOKEN.',
  });
}

export function findOrganizationByKey(world: World, key: string): Organization {
  checkKycEnabled(world);
  const owner = world.organizations.rows.find(({ publishableKey }) => publishableKey === key);
  if (owner !== undefined) return owner;
  throw new Refusal('UNAUTHENTICATED', 'Unknown publishable key.', {
    hint: '`npx sandbox env` prints the key as SANDBOX_KYC_PUBLISHABLE_KEY.',
  });
}

/**
 * Normalizes an origin to the form that browsers send, allowing `*` as the port. Throws INVALID_REQUEST for
 * other texts.
 */
export function parseOrigin(text: string): string {
  const origin = normalizeOrigin(text);
  if (origin !== undefined) return origin;
  throw new Refusal(
    'INVALID_REQUEST',
    `An origin must consist of a scheme, a host and an optional port; got ${text.slice(0, 80)}.`,
    {
      hint: 'Use an origin such as https://shop.example or http://localhost:3000, without a path.',
    },
  );
}

export function addOrigin(organization: Organization, text: string): Organization {
  const origin = parseOrigin(text);
  if (!organization.origins.includes(origin)) organization.origins.push(origin);
  return organization;
}

/** Lists the registered origins of one or all organizations, in CSP frame-ancestors syntax. */
export function listOrigins(world: World, organizationId?: string): string[] {
  const { rows, byId } = world.organizations;
  const organizations = organizationId === undefined ? rows : [byId.get(organizationId)];
  return [...new Set([...world.origins, ...organizations.flatMap((one) => one?.origins ?? [])])];
}

/**
 * Returns true if this origin can embed, open and receive messages from an organization's pages. Without an
 * id, accepts the origins of all organizations.
 */
export function isOriginAllowed(world: World, origin: string, organizationId?: string): boolean {
  return listOrigins(world, organizationId).some((pattern) => {
    if (!pattern.endsWith(':*')) return pattern === origin;
    const bare = pattern.slice(0, -':*'.length);
    return (
      origin === bare || (origin.startsWith(`${bare}:`) && /^\d{1,5}$/.test(origin.slice(bare.length + 1)))
    );
  });
}

interface AppInput {
  readonly name: string;
  readonly token: string;
  readonly signingSecret: string;
  readonly scopes: readonly Scope[];
  /** UUID; derived from the seed by default. */
  readonly accountId?: string | undefined;
  readonly openingBalanceCents: number;
  /** Existing or new organization; defaults to the first organization. */
  readonly organization?: OrganizationInput | undefined;
}

/** Creates an application with its account; the opening balance becomes the account's first CREDIT. */
export function createApp(step: ApplyStep, input: AppInput): App {
  const { world } = step;
  if (world.appsByToken.has(input.token)) {
    throw new Refusal('INVALID_REQUEST', 'Another application already uses this token.', {
      hint: 'Use a different token for each application.',
    });
  }
  const ordinal = world.apps.rows.length;
  const accountId = input.accountId ?? createId(world, 'account', ordinal);
  checkNewAccount(world, accountId);
  const { organization } = input;
  const isNew = organization !== undefined && findOrganizationByName(world, organization.name) === undefined;
  if (isNew && isTaken(world, organization))
    throw new Refusal('INVALID_REQUEST', 'Another organization already uses these identity credentials.');
  const app = insertRow(world.apps, {
    ordinal,
    id: createId(world, 'app', ordinal),
    organizationId: joinOrganization(step, organization).id,
    name: input.name,
    token: input.token,
    signingSecret: input.signingSecret,
    scopes: input.scopes,
    accountId,
    chargesByCode: new Map(),
    withdrawalsByCode: new Map(),
    withdrawals: [],
    nonces: new Map(),
  });
  world.appsByToken.set(app.token, app);
  openAccount(step, app.id, accountId, input.openingBalanceCents);
  return app;
}

export interface AccountInput {
  readonly accountId?: string | undefined;
  readonly openingBalanceCents: number;
}

/** Separates the ordinals of additional accounts from those of applications' first accounts. */
const FURTHER_ACCOUNTS = 2 ** 32;

export function createAccount(step: ApplyStep, appId: string, input: AccountInput): Account {
  const { world } = step;
  const app = findAppOrDefault(world, appId);
  const accountId = input.accountId ?? createId(world, 'account', FURTHER_ACCOUNTS + world.accounts.size);
  checkNewAccount(world, accountId);
  return openAccount(step, app.id, accountId, input.openingBalanceCents);
}

function checkNewAccount(world: World, accountId: string): void {
  const owner = world.accounts.get(accountId)?.appId;
  if (owner === undefined) return;
  throw new Refusal('INVALID_REQUEST', `Account ${accountId} already exists.`, {
    details: [
      { field: 'account_id', message: `Belongs to application ${findAppOrDefault(world, owner).name}.` },
    ],
    hint: 'Use another account_id, or omit it to generate one.',
  });
}

/** Lists an application's accounts in creation order. */
export function listAccounts(world: World, app: App): Account[] {
  return [...world.accounts.values()].filter(({ appId }) => appId === app.id);
}

export interface DefaultCredentials {
  readonly token: string;
  readonly signingSecret: string;
  readonly kycToken: string;
  readonly publishableKey: string;
}

export function rekeyDefault({ world }: ApplyStep, given: DefaultCredentials): void {
  checkRekey(world, given);
  const app = findAppOrDefault(world);
  const organization = findOrganization(world);
  world.appsByToken.delete(app.token);
  app.token = given.token;
  app.signingSecret = given.signingSecret;
  world.appsByToken.set(app.token, app);
  organization.kycToken = given.kycToken;
  organization.publishableKey = given.publishableKey;
}

export function checkRekey(world: World, credentials: DefaultCredentials): void {
  const app = findAppOrDefault(world);
  const owner = world.appsByToken.get(credentials.token) ?? app;
  if (owner !== app || isTaken(world, credentials, app.organizationId)) {
    throw new Refusal(
      'INVALID_REQUEST',
      'Another application uses the credentials of the default application.',
      {
        hint: 'The state contains another application with the published test credentials.',
      },
    );
  }
}

/** Finds an application by id, id prefix or name; defaults to the first application. */
export function findAppOrDefault(world: World, named?: string): App {
  if (named !== undefined) return world.apps.byId.get(named) ?? requireRow(world, 'app', named);
  return requireFound(world.apps.rows[0], 'application');
}

export function findOrganization(world: World, appId?: string): Organization {
  const { organizationId } = findAppOrDefault(world, appId);
  const organization = world.organizations.byId.get(organizationId);
  if (organization === undefined) throw new Error(`Expected an organization ${organizationId}`);
  return organization;
}

interface NonceUse {
  readonly appId: string;
  readonly nonce: string;
  /** Current time and timestamp expiry, in real Unix seconds. */
  readonly nowS: number;
  readonly untilS: number;
}

/** Stores a nonce until its timestamp expires (§5.2). Throws NONCE_REUSED if the nonce is already stored. */
export function useNonce({ world }: ApplyStep, { appId, nonce, nowS, untilS }: NonceUse): void {
  const { nonces } = findAppOrDefault(world, appId);
  const rememberedUntilS = nonces.get(nonce);
  if (rememberedUntilS !== undefined && rememberedUntilS >= nowS) {
    throw new Refusal('NONCE_REUSED', 'X-Nonce was already used.', {
      hint: 'Generate a new nonce for every request, even when resending the same body.',
    });
  }
  nonces.delete(nonce);
  nonces.set(nonce, untilS);
  for (const [oldest, oldestUntilS] of nonces) {
    if (oldestUntilS >= nowS) break;
    nonces.delete(oldest);
  }
}
