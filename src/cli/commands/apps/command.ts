import { SCOPES } from '../../../contract/enums.js';
import { rows, several } from '../../completion/sources.js';
import { amountOption } from '../payments/command.js';
import { someOfOrUsage } from '../../program/closest.js';
import { declare, group } from '../../program/declaration.js';
import { flag, required, text, valued } from '../../program/options.js';

const NO_SCOPES = 'none';
const ACCOUNT = {
  accountId: text('uuid', 'the id of the account (default: one is drawn)'),
  openingBalance: amountOption('what the account holds at first, such as 100.00'),
};

const list = declare({ name: 'apps list', summary: 'the applications, their scopes and their accounts' });

const create = declare({
  name: 'apps create',
  summary: 'add an application; prints its secrets once',
  options: {
    name: text('name', 'what it is called (default: app-2 and so on)'),
    scopes: valued(
      {
        placeholder: 'scopes',
        description: `separated by commas, or ${NO_SCOPES} (default: all)`,
        values: several([...SCOPES, NO_SCOPES]),
      },
      (given) => (given === NO_SCOPES ? [] : someOfOrUsage('scope', given, SCOPES)),
    ),
    ...ACCOUNT,
    organization: text('name', 'its organization, existing or new (default: that of the first application)'),
    withoutKyc: flag('a new organization: without credentials for identity verification'),
  },
  examples: ['--name shop', '--name reader --scopes withdrawals:read'],
});

const addAccount = declare({
  name: 'apps add-account',
  summary: 'open a further account of an application',
  args: { app: required(rows('apps')) },
  options: ACCOUNT,
  examples: ['default --opening-balance 100.00'],
});

export const APPS = { list, create, addAccount };

export default group(
  { about: 'the applications that call the service', related: ['env', 'charges', 'endpoints'] },
  APPS,
  async () => (await import('./apps.js')).apps,
);
