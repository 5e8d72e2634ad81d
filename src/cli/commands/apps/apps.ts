import { SCOPES } from '../../../contract/enums.js';
import type { AppView } from '../../../http/control/schema.js';
import type { BodiesOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import { facts, table } from '../../terminal/text.js';
import type { APPS } from './command.js';

type Shown = Omit<AppView, 'token'>;

export const apps: BodiesOf<typeof APPS> = {
  list: present(
    async (client) => {
      const { data } = await client.get('apps');
      // Tokens are shown when they are made, and by `env`.
      return { data: data.map(({ token: _token, ...app }): Shown => app) };
    },
    (io, { data }) => table(io, data, COLUMNS),
  ),
  create: present(
    (client, { options }) => {
      const { name, scopes, accountId, openingBalance, organization, withoutKyc } = options;
      const account = { account_id: accountId, opening_balance: openingBalance };
      const kyc = withoutKyc ? false : undefined;
      return client.post('apps', { body: { name, scopes, ...account, organization, kyc } });
    },
    (io, app) =>
      facts(io, [
        ['application', app.name],
        ['id', app.id],
        ['scopes', scopesText(app)],
        ['account', app.account_id],
        ['token', app.token],
        ['signing secret', app.signing_secret],
        ['kyc token', app.kyc_token ?? ''],
        ['publishable key', app.kyc_publishable_key ?? ''],
      ]),
    () => 'Keep the secrets: they are not shown again.',
  ),
  addAccount: present(
    (client, { args, options }) =>
      client.post('apps/:id/accounts', {
        id: args.app,
        body: { account_id: options.accountId, opening_balance: options.openingBalance },
      }),
    (_, { id, balance }) => `account ${id} is open and holds ${balance}.`,
  ),
};

const COLUMNS = [
  { title: 'NAME', value: ({ name }: Shown) => name, leastWidth: 8 },
  { title: 'ID', value: ({ id }: Shown) => id },
  { title: 'ACCOUNTS', value: ({ account_ids: ids }: Shown) => ids.join(' '), leastWidth: 10 },
  { title: 'SCOPES', value: scopesText, leastWidth: 8, optional: true },
];

function scopesText({ scopes }: Shown): string {
  if (scopes.length === SCOPES.length) return 'all';
  return scopes.length === 0 ? 'none' : scopes.join(' ');
}
