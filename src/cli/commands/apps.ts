import { SCOPES } from '../../contract/enums.js';
import type { AppView } from '../../http/control/schema.js';
import { completeRows, completeList } from '../completion/sources.js';
import { parseChoices } from '../program/errors.js';
import { declareCommand } from '../program/declaration.js';
import { defineFlag, requireArgument, defineText, defineValue } from '../program/options.js';
import { createColumn, formatFacts, formatList } from '../terminal/text.js';
import { createAmountOption } from './payments.js';

const NO_SCOPES = 'none';
const ACCOUNT = {
  accountId: defineText('uuid', 'account id (default: random)'),
  openingBalance: createAmountOption('opening balance, e.g. 100.00'),
};

type Shown = Omit<AppView, 'token'>;

export default {
  about: 'manage applications and their accounts',
  related: ['env', 'charges', 'endpoints'],
  commands: [
    declareCommand({ name: 'apps list', summary: 'list applications with their scopes and accounts' }).shows(
      async (client) => {
        const { data } = await client.get('apps');
        // Only `apps create` and `env` print tokens.
        return { data: data.map(({ token: _token, ...app }): Shown => app) };
      },
      formatList('No applications.', () => [
        createColumn('name'),
        createColumn('id'),
        { title: 'ACCOUNTS', value: ({ account_ids: ids }) => ids.join(' '), wraps: true },
        { title: 'SCOPES', value: scopesText, wraps: true, optional: true },
      ]),
    ),
    declareCommand({
      name: 'apps create',
      summary: 'create an application and print its secrets once',
      options: {
        name: defineText('name', 'application name (default: app-2, app-3, …)'),
        scopes: defineValue(
          {
            placeholder: 'scopes',
            description: `comma-separated scopes, or ${NO_SCOPES} (default: all)`,
            values: completeList([...SCOPES, NO_SCOPES]),
          },
          (given) => (given === NO_SCOPES ? [] : parseChoices('scope', given, SCOPES)),
        ),
        ...ACCOUNT,
        organization: defineText('name', 'existing or new organization (default: the first application’s)'),
        withoutKyc: defineFlag('omit identity verification credentials from a new organization'),
      },
      examples: ['--name shop', '--name reader --scopes withdrawals:read'],
    }).shows(
      (client, { options: { name, scopes, accountId, openingBalance, organization, withoutKyc } }) => {
        const account = { account_id: accountId, opening_balance: openingBalance };
        const kyc = withoutKyc ? false : undefined;
        return client.post('apps', { body: { name, scopes, ...account, organization, kyc } });
      },
      (io, app) =>
        formatFacts(io, [
          ['application', app.name],
          ['id', app.id],
          ['scopes', scopesText(app)],
          ['account', app.account_id],
          ['token', app.token],
          ['signing secret', app.signing_secret],
          ['kyc token', app.kyc_token],
          ['publishable key', app.kyc_publishable_key],
        ]),
      () => 'Save these secrets now; they are not shown again.',
    ),
    declareCommand({
      name: 'apps add-account',
      summary: 'add an account to an application',
      args: { app: requireArgument(completeRows('apps')) },
      options: ACCOUNT,
      examples: ['default --opening-balance 100.00'],
    }).shows(
      (client, { args, options: { accountId, openingBalance } }) =>
        client.post('apps/:id/accounts', {
          id: args.app,
          body: { account_id: accountId, opening_balance: openingBalance },
        }),
      (_, { id, balance }) => `Opened account ${id} with balance ${balance}.`,
    ),
  ],
};

function scopesText({ scopes }: Shown): string {
  if (scopes.length === SCOPES.length) return 'all';
  return scopes.length === 0 ? 'none' : scopes.join(' ');
}
