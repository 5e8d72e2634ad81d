import type { Step } from '../effects.js';
import { idFor } from '../ids.js';
import { lookUp } from '../named-rows.js';
import { openAccount } from '../payments/ledger.js';
import type { OrganizationInput } from './organizations.js';
import { checkOrganization, joinOrganization } from './organizations.js';
import { existing, Refusal } from '../../contract/refusals.js';
import type { Scope } from '../../contract/enums.js';
import type { Account, App, Organization, World } from '../world.js';
import { insert } from '../table.js';

export interface AppInput {
  readonly name: string;
  readonly token: string;
  readonly signingSecret: string;
  readonly scopes: readonly Scope[];
  /** A UUID; drawn from the seed when absent. */
  readonly accountId?: string | undefined;
  readonly openingBalanceCents: number;
  /** Its organization, existing or new; the first one when absent. */
  readonly organization?: OrganizationInput | undefined;
}

/** A new application with its account; the opening balance is the account's first CREDIT. */
export function createApp(step: Step, input: AppInput): App {
  const { world } = step;
  if (world.appsByToken.has(input.token)) {
    throw new Refusal('INVALID_REQUEST', 'Another application has this token.', {
      hint: 'Give each application a token of its own.',
    });
  }
  const ordinal = world.apps.rows.length;
  const accountId = input.accountId ?? idFor(world, 'account', ordinal);
  checkNewAccount(world, accountId);
  checkOrganization(world, input.organization);
  const app = insert(world.apps, {
    ordinal,
    id: idFor(world, 'app', ordinal),
    organizationId: joinOrganization(step, input.organization).id,
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
  /** A UUID; drawn from the seed when absent. */
  readonly accountId?: string | undefined;
  readonly openingBalanceCents: number;
}

/** Further accounts have ids of their own: ordinals beyond those of applications, whose first accounts have theirs. */
const FURTHER_ACCOUNTS = 2 ** 32;

/** A further account of an application; its opening balance is its first CREDIT. */
export function createAccount(step: Step, appId: string, input: AccountInput): Account {
  const { world } = step;
  const app = appOrDefault(world, appId);
  const accountId = input.accountId ?? idFor(world, 'account', FURTHER_ACCOUNTS + world.accounts.size);
  checkNewAccount(world, accountId);
  return openAccount(step, app.id, accountId, input.openingBalanceCents);
}

function checkNewAccount(world: World, accountId: string): void {
  const owner = world.accounts.get(accountId)?.appId;
  if (owner === undefined) return;
  throw new Refusal('INVALID_REQUEST', `Account ${accountId} exists already.`, {
    details: [{ field: 'account_id', message: `Belongs to application ${appOrDefault(world, owner).name}.` }],
    hint: 'Give another account_id, or leave it out to have one drawn.',
  });
}

/** The accounts of an application, its first one first. */
export function accountsOf(world: World, app: App): Account[] {
  return [...world.accounts.values()].filter(({ appId }) => appId === app.id);
}

/** The credentials of the default application and its organization. */
export interface DefaultCredentials {
  readonly token: string;
  readonly signingSecret: string;
  readonly kycToken: string;
  readonly publishableKey: string;
}

/** Gives the default application new credentials; refuses those of another application. */
export function rekeyDefault({ world }: Step, given: DefaultCredentials): void {
  checkRekey(world, given);
  const app = appOrDefault(world);
  const organization = organizationOf(world);
  world.appsByToken.delete(app.token);
  app.token = given.token;
  app.signingSecret = given.signingSecret;
  world.appsByToken.set(app.token, app);
  organization.kycToken = given.kycToken;
  organization.publishableKey = given.publishableKey;
}

/** Refuses (INVALID_REQUEST) credentials for the default application that another application uses. */
export function checkRekey(world: World, { token, kycToken, publishableKey }: DefaultCredentials): void {
  const app = appOrDefault(world);
  const taken = world.appsByToken.get(token);
  const others = world.organizations.rows.filter(({ id }) => id !== app.organizationId);
  if (
    (taken !== undefined && taken !== app) ||
    others.some((other) => other.kycToken === kycToken || other.publishableKey === publishableKey)
  ) {
    throw new Refusal('INVALID_REQUEST', 'Another application has the credentials of the default one.', {
      hint: 'The state was made with an application of its own that uses the published test values.',
    });
  }
}

/** The application of this id or name, or of an id that begins so; without one the first, which is the default. */
export function appOrDefault(world: World, named?: string): App {
  if (named !== undefined) return world.apps.byId.get(named) ?? lookUp(world, 'app', named);
  return existing(world.apps.rows[0], 'application');
}

/** The organization of an application, or of the default one. */
export function organizationOf(world: World, appId?: string): Organization {
  const { organizationId } = appOrDefault(world, appId);
  const organization = world.organizations.byId.get(organizationId);
  if (organization === undefined) throw new Error(`Expected an organization ${organizationId}`);
  return organization;
}

export interface NonceUse {
  readonly appId: string;
  readonly nonce: string;
  /** Real time in Unix seconds: now, and until when the request's timestamp could pass. */
  readonly nowS: number;
  readonly untilS: number;
}

/** Remembers a nonce until its timestamp is no longer accepted (§5.2); refuses one that is still remembered. */
export function useNonce({ world }: Step, { appId, nonce, nowS, untilS }: NonceUse): void {
  const { nonces } = appOrDefault(world, appId);
  const rememberedUntilS = nonces.get(nonce);
  if (rememberedUntilS !== undefined && rememberedUntilS >= nowS) {
    throw new Refusal('NONCE_REUSED', 'X-Nonce was used before.', {
      hint: 'Draw a new nonce for every request, also when you send the same body again.',
    });
  }
  nonces.delete(nonce);
  nonces.set(nonce, untilS);
  for (const [oldest, oldestUntilS] of nonces) {
    if (oldestUntilS >= nowS) break;
    nonces.delete(oldest);
  }
}
