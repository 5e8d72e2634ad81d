import { createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';
import { type ENVIRONMENT_VARIABLES, SCOPES } from '../contract/enums.js';
import type { Command } from '../core/apply.js';
import type { DefaultCredentials } from '../core/identity/applications.js';
import type { World } from '../core/world.js';
import { KnownSecrets } from '../text/redaction.js';

/** Collects the secrets to redact from all logs, including the secrets of replaced worlds. */
export class SandboxSecrets extends KnownSecrets {
  addSecretsOf(command: Command): void {
    this.add(secretsOfCommand(command));
  }

  addAllSecrets(world: World): void {
    this.add(secretsOfWorld(world));
  }
}

/** Returns the secrets that a command introduces. */
function secretsOfCommand(command: Command): readonly string[] {
  switch (command.type) {
    case 'app.create': {
      const { token, signingSecret, organization } = command;
      return present([token, signingSecret, organization?.kycToken]);
    }
    case 'app.rekey': {
      return [command.token, command.signingSecret, command.kycToken];
    }
    case 'endpoint.create': {
      return [command.endpoint.secret];
    }
    case 'endpoint.rotate': {
      return [command.secret];
    }
    case 'listener.connect': {
      return [command.listener.secret];
    }
    default: {
      return NONE;
    }
  }
}

const NONE: readonly string[] = [];

/** Returns every token and secret in a world, including rotated secrets. */
function secretsOfWorld({ apps, organizations, endpoints }: World): readonly string[] {
  return present([
    ...apps.rows.flatMap(({ token, signingSecret }) => [token, signingSecret]),
    ...organizations.rows.map(({ kycToken }) => kycToken),
    ...Array.from(endpoints.values(), ({ secret, previousSecret }) => [secret, previousSecret]).flat(),
  ]);
}

function present(secrets: readonly (string | null | undefined)[]): readonly string[] {
  return secrets.filter((secret) => secret !== null && secret !== undefined);
}

/** Amount of the default account's first CREDIT: 10000.00. */
const OPENING_BALANCE_CENTS = 1_000_000;

export function getDefaultCredentials(credentials: Credentials): DefaultCredentials {
  const { token, signingSecret, kycToken, kycPublishableKey } = credentials;
  return { token, signingSecret, kycToken, publishableKey: kycPublishableKey };
}

/** Creates the command that adds the default application to a fresh world. */
export function createDefaultAppCommand(credentials: Credentials): Command<'app.create'> {
  const { token, signingSecret, kycToken, publishableKey } = getDefaultCredentials(credentials);
  return {
    type: 'app.create',
    name: 'default',
    token,
    signingSecret,
    scopes: SCOPES,
    accountId: credentials.accountId,
    openingBalanceCents: OPENING_BALANCE_CENTS,
    organization: { name: 'default', kycToken, publishableKey },
  };
}

/** Credentials for calling the service and verifying its webhooks (§5). */
export interface Credentials {
  readonly accountId: string;
  readonly token: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
  readonly kycToken: string;
  readonly kycPublishableKey: string;
}

/**
 * Default application's credentials on loopback: public and identical for every start and seed, so that
 * `.env.test` never changes. Because they provide no protection, they are rejected if other machines can
 * reach the sandbox.
 */
export const WELL_KNOWN_CREDENTIALS: Credentials = {
  accountId: '00000000-0000-4000-8000-000000000001',
  token: 'pix_test_token_0000000000000001',
  signingSecret: 'pix_test_signing_secret_0000000000000001',
  webhookSecret: `whsec_${Buffer.from('pix-sandbox well-known secret 01').toString('base64')}`,
  kycToken: 'kyc_test_token_0000000000000001',
  kycPublishableKey: 'pk_test_0000000000000001',
};

/** Describes the tokens and secrets required if other machines can reach the sandbox. */
export const STRONG_SECRET =
  `${LIMITS.exposedSecretLengthMin} to ${LIMITS.exposedSecretLengthMax} letters, digits ` +
  `and symbols without spaces, at least ${LIMITS.exposedSecretVarietyMin} of them different`;

/** Returns true if a value is hard to guess and valid in a header. */
export function isStrongSecret(secret: string): boolean {
  const { exposedSecretLengthMin, exposedSecretLengthMax, exposedSecretVarietyMin } = LIMITS;
  const fits = secret.length >= exposedSecretLengthMin && secret.length <= exposedSecretLengthMax;
  return fits && /^[!-~]+$/.test(secret) && new Set(secret).size >= exposedSecretVarietyMin;
}

/** Generates secret bytes, either random or derived from a seed and a counter. */
export type ByteGenerator = (byteLength: number) => Buffer;

export function createByteGenerator(seed: string | undefined, beginning = ''): ByteGenerator {
  if (seed === undefined) return randomBytes;
  let drawn = 0;
  return (byteLength) => {
    drawn += 1;
    const bytes = createHmac('sha512', seed).update(`secret ${beginning}${drawn}`).digest();
    return bytes.subarray(0, byteLength);
  };
}

/** Creates a webhook secret: `whsec_` and 32 bytes in base64 (§2.3). */
export function createWebhookSecret(draw: ByteGenerator): string {
  return `whsec_${draw(32).toString('base64')}`;
}

/** An identity session's credential and its page's CSRF token, each with at least 160 random bits. */
export interface SessionSecrets {
  readonly sessionId: string;
  readonly formToken: string;
}

export function createSessionSecrets(draw: ByteGenerator): SessionSecrets {
  return { sessionId: `kyc_${draw(20).toString('hex')}`, formToken: draw(24).toString('base64url') };
}

export function createCredentials(draw: ByteGenerator): Omit<Credentials, 'accountId'> {
  return {
    token: `pix_test_${draw(24).toString('base64url')}`,
    signingSecret: `pix_test_signing_${draw(32).toString('base64url')}`,
    webhookSecret: createWebhookSecret(draw),
    kycToken: `kyc_test_${draw(24).toString('base64url')}`,
    kycPublishableKey: `pk_test_${draw(16).toString('base64url')}`,
  };
}

/** Environment variables for an application under test. */
export type EnvironmentBlock = Readonly<Record<(typeof ENVIRONMENT_VARIABLES)[number], string>>;

/** Creates the environment variables that point an application under test to the sandbox (§5). */
export function createEnvironmentBlock(url: string, credentials: Credentials): EnvironmentBlock {
  return {
    SANDBOX_URL: url,
    SANDBOX_BASE_URL: url,
    SANDBOX_KYC_API_URL: url,
    SANDBOX_KYC_HOSTED_URL: url,
    SANDBOX_ACCOUNT_ID: credentials.accountId,
    SANDBOX_TOKEN: credentials.token,
    SANDBOX_SIGNING_SECRET: credentials.signingSecret,
    SANDBOX_WEBHOOK_SECRET: credentials.webhookSecret,
    SANDBOX_KYC_TOKEN: credentials.kycToken,
    SANDBOX_KYC_PUBLISHABLE_KEY: credentials.kycPublishableKey,
  };
}
