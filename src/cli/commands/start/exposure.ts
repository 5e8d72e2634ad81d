import { randomBytes } from 'node:crypto';
import type { Environment } from '../../../client/run-file.js';
import { isUuid } from '../../../core/ids.js';
import { isLoopbackHost } from '../../../http/server/start.js';
import type { Credentials } from '../../../sandbox/credentials.js';
import {
  isStrongSecret,
  createCredentials,
  STRONG_SECRET,
  WELL_KNOWN_CREDENTIALS,
} from '../../../sandbox/credentials.js';
import { SecretFormatError, webhookKey } from '../../../signing/webhook.js';
import { shortenSecret } from '../../../text/redaction.js';
import type { InvocationOf } from '../../program/declaration.js';
import { createUsageError } from '../../program/errors.js';
import { toOneLine } from '../../terminal/text.js';
import type { start } from '../../declarations/serve.js';

export interface Exposure {
  readonly host: string | undefined;
  readonly credentials: Credentials;
  readonly controlToken: string | undefined;
}

/**
 * Resolves the credentials and the control token. On loopback, uses the published credentials. On another
 * host or behind a tunnel, uses credentials from the environment or generated ones, and rejects published
 * credentials and a seed, from which others could compute secrets. Rejects `--pay-buttons` if only this
 * machine can reach the pay pages.
 */
export function resolveExposure(
  options: Pick<InvocationOf<typeof start>['options'], 'host' | 'seed' | 'tunnel' | 'payPage' | 'payButtons'>,
  env: Environment,
): Exposure {
  const { host, seed, tunnel: isTunnelled, payPage, payButtons } = options;
  if (payButtons && isLoopbackHost(host) && !payPage) {
    throw createUsageError(
      '--pay-buttons requires --host or --pay-page.',
      'Omit --pay-buttons: on this machine, pay pages always have buttons.',
    );
  }
  const accountId = accountIdOf(env);
  if (isLoopbackHost(host) && !isTunnelled)
    return { host, credentials: WELL_KNOWN_CREDENTIALS, controlToken: undefined };
  if (seed !== undefined) {
    throw createUsageError(
      `--seed cannot be combined with ${isTunnelled ? '--tunnel' : `--host ${host}`}: ` +
        'others can compute secrets derived from a seed.',
      'Remove one of the two options.',
    );
  }
  const drawn = createCredentials(randomBytes);
  const credentials: Credentials = {
    accountId,
    token: given(env, 'SANDBOX_TOKEN') ?? drawn.token,
    signingSecret: given(env, 'SANDBOX_SIGNING_SECRET') ?? drawn.signingSecret,
    webhookSecret: webhookSecretOf(env) ?? drawn.webhookSecret,
    kycToken: given(env, 'SANDBOX_KYC_TOKEN') ?? drawn.kycToken,
    kycPublishableKey: given(env, 'SANDBOX_KYC_PUBLISHABLE_KEY') ?? drawn.kycPublishableKey,
  };
  const controlToken = given(env, 'SANDBOX_CONTROL_TOKEN') ?? randomBytes(24).toString('base64url');
  return { host, credentials, controlToken };
}

const PUBLISHED = new Set<string>(Object.values(WELL_KNOWN_CREDENTIALS));

/** Prints a random token in any shell. */
const DRAW = `node -p "require('crypto').randomBytes(24).toString('base64url')"`;
const DRAW_WEBHOOK_SECRET = `node -p "'whsec_' + require('crypto').randomBytes(32).toString('base64')"`;

function given(env: Environment, name: string, draw = DRAW): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  if (PUBLISHED.has(value)) {
    throw createUsageError(
      `${name} is a published test value, which offers no protection beyond loopback.`,
      `Unset ${name} to generate a secret, or set your own.`,
    );
  }
  if (isStrongSecret(value)) return value;
  const length = value.length === 1 ? '1 character' : `${value.length} characters`;
  throw createUsageError(
    `${name} must be ${STRONG_SECRET} if others can reach the sandbox; got ` +
      `${toOneLine(shortenSecret(value), 0)} (${length}).`,
    `Unset ${name} to generate a secret, or print one with \`${draw}\`.`,
  );
}

function accountIdOf({ SANDBOX_ACCOUNT_ID: id = '' }: Environment): string {
  if (id === '') return WELL_KNOWN_CREDENTIALS.accountId;
  if (isUuid(id)) return id;
  throw createUsageError(
    `SANDBOX_ACCOUNT_ID must be a UUID, e.g. ${WELL_KNOWN_CREDENTIALS.accountId}; got ${toOneLine(id, 80)}.`,
    'Unset SANDBOX_ACCOUNT_ID to use the default.',
  );
}

function webhookSecretOf(env: Environment): string | undefined {
  const { SANDBOX_WEBHOOK_SECRET: secret = '' } = env;
  try {
    if (secret !== '') webhookKey(secret);
  } catch (error) {
    if (!(error instanceof SecretFormatError)) throw error;
    throw createUsageError(
      `SANDBOX_WEBHOOK_SECRET: ${error.message}`,
      `Unset SANDBOX_WEBHOOK_SECRET to generate a secret, or print one with \`${DRAW_WEBHOOK_SECRET}\`.`,
    );
  }
  return given(env, 'SANDBOX_WEBHOOK_SECRET', DRAW_WEBHOOK_SECRET);
}
