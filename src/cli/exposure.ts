import { randomBytes } from 'node:crypto';
import type { Environment } from '../client/run-file.js';
import { isUuid } from '../core/ids.js';
import { isLoopbackHost } from '../http/server.js';
import type { Credentials } from '../sandbox/credentials.js';
import { newCredentials, WELL_KNOWN_CREDENTIALS } from '../sandbox/credentials.js';
import { usageError } from './errors.js';
import type { Options } from './io.js';

/** Who can reach the sandbox, and with which credentials. */
export interface Exposure {
  readonly host: string | undefined;
  readonly credentials: Credentials;
  readonly controlToken: string | undefined;
}

/**
 * On loopback the published credentials; elsewhere, and behind a tunnel, fresh ones, or those of the environment. There the published ones are
 * refused, and so is a seed, from which others could compute the secrets.
 */
export function exposureOf(options: Options, env: Environment): Exposure {
  const host = options.text('host');
  const isTunnelled = options.flag('tunnel');
  if (isLoopbackHost(host) && !isTunnelled)
    return { host, credentials: WELL_KNOWN_CREDENTIALS, controlToken: undefined };
  if (options.text('seed') !== undefined) {
    throw usageError(
      `--seed is not possible together with ${isTunnelled ? '--tunnel' : `--host ${host}`}: secrets that follow from a seed can be computed by others.`,
      'Leave one of the two out.',
    );
  }
  const drawn = newCredentials(randomBytes);
  const { accountId } = WELL_KNOWN_CREDENTIALS;
  const credentials: Credentials = {
    accountId:
      env.SANDBOX_ACCOUNT_ID !== undefined && isUuid(env.SANDBOX_ACCOUNT_ID)
        ? env.SANDBOX_ACCOUNT_ID
        : accountId,
    token: given(env, 'SANDBOX_TOKEN') ?? drawn.token,
    signingSecret: given(env, 'SANDBOX_SIGNING_SECRET') ?? drawn.signingSecret,
    webhookSecret: given(env, 'SANDBOX_WEBHOOK_SECRET') ?? drawn.webhookSecret,
    kycToken: given(env, 'SANDBOX_KYC_TOKEN') ?? drawn.kycToken,
    kycPublishableKey: given(env, 'SANDBOX_KYC_PUBLISHABLE_KEY') ?? drawn.kycPublishableKey,
  };
  const controlToken = given(env, 'SANDBOX_CONTROL_TOKEN') ?? randomBytes(24).toString('base64url');
  return { host, credentials, controlToken };
}

const PUBLISHED = new Set<string>(Object.values(WELL_KNOWN_CREDENTIALS));

function given(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  if (!PUBLISHED.has(value)) return value;
  throw usageError(
    `${name} holds a published test value, which protects nothing off loopback.`,
    `Unset ${name} to have one drawn, or give a secret of your own.`,
  );
}
