import { createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';

/** What an application needs to call the service and to verify its webhooks (§5). */
export interface Credentials {
  readonly accountId: string;
  readonly token: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
  readonly kycToken: string;
  readonly kycPublishableKey: string;
}

/**
 * The credentials of the default application on loopback: published, the same at every start and whatever the seed, so that
 * a `.env.test` is written once. They protect nothing and are refused where others can reach the sandbox.
 */
export const WELL_KNOWN_CREDENTIALS: Credentials = {
  accountId: '00000000-0000-4000-8000-000000000001',
  token: 'pix_test_token_0000000000000001',
  signingSecret: 'pix_test_signing_secret_0000000000000001',
  webhookSecret: `whsec_${Buffer.from('pix-sandbox well-known secret 01').toString('base64')}`,
  kycToken: 'kyc_test_token_0000000000000001',
  kycPublishableKey: 'pk_test_0000000000000001',
};

/** What a token or secret has to be where others can reach the sandbox, in words. */
export const STRONG_SECRET = `${LIMITS.exposedSecretLengthMin} to ${LIMITS.exposedSecretLengthMax} letters, digits and signs without spaces, at least ${LIMITS.exposedSecretVarietyMin} of them different`;

/** Whether strangers cannot guess it, as far as its form tells, and it fits into a header. */
export function isStrongSecret(secret: string): boolean {
  const { exposedSecretLengthMin, exposedSecretLengthMax, exposedSecretVarietyMin } = LIMITS;
  const fits = secret.length >= exposedSecretLengthMin && secret.length <= exposedSecretLengthMax;
  return fits && /^[!-~]+$/.test(secret) && new Set(secret).size >= exposedSecretVarietyMin;
}

/** Draws secret bytes: from the system, or from a seed by the order of the drawing since a beginning. */
export type DrawBytes = (byteLength: number) => Buffer;

export function createDrawBytes(seed: string | undefined, beginning = ''): DrawBytes {
  if (seed === undefined) return randomBytes;
  let drawn = 0;
  return (byteLength) => {
    drawn += 1;
    const bytes = createHmac('sha512', seed).update(`secret ${beginning}${drawn}`).digest();
    return bytes.subarray(0, byteLength);
  };
}

/** A webhook secret: `whsec_` and 32 bytes in base64 (§2.3). */
export function newWebhookSecret(draw: DrawBytes): string {
  return `whsec_${draw(32).toString('base64')}`;
}

/** What lets its holder go through one identity session, and what shows that a form came from its page: 160 bits and more. */
export interface SessionSecrets {
  readonly sessionId: string;
  readonly formToken: string;
}

export function newSessionSecrets(draw: DrawBytes): SessionSecrets {
  return { sessionId: `kyc_${draw(20).toString('hex')}`, formToken: draw(24).toString('base64url') };
}

export function newCredentials(draw: DrawBytes): Omit<Credentials, 'accountId'> {
  return {
    token: `pix_test_${draw(24).toString('base64url')}`,
    signingSecret: `pix_test_signing_${draw(32).toString('base64url')}`,
    webhookSecret: newWebhookSecret(draw),
    kycToken: `kyc_test_${draw(24).toString('base64url')}`,
    kycPublishableKey: `pk_test_${draw(16).toString('base64url')}`,
  };
}
