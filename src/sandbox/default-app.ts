import { SCOPES } from '../contract/scopes.js';
import type { Command } from '../core/commands.js';
import type { DefaultCredentials } from '../core/identity/applications.js';
import type { Credentials } from './credentials.js';

/** The first CREDIT of the default account: 10000.00. */
const OPENING_BALANCE_CENTS = 1_000_000;

export function defaultCredentials(credentials: Credentials): DefaultCredentials {
  const { token, signingSecret, kycToken, kycPublishableKey } = credentials;
  return { token, signingSecret, kycToken, publishableKey: kycPublishableKey };
}

/** The command that creates the application of a fresh world. */
export function defaultApp(credentials: Credentials): Command<'app.create'> {
  const { token, signingSecret, kycToken, publishableKey } = defaultCredentials(credentials);
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
