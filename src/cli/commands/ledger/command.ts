import { rows } from '../../completion/sources.js';
import { REFUSED } from '../../help/exit-statuses.js';
import { declare } from '../../program/declaration.js';
import { text } from '../../program/options.js';
import { PAGE } from '../../program/shared-options.js';

export const ledger = declare({
  name: 'ledger',
  summary: 'what was credited and debited, with running balances, and whether it is sound',
  description:
    'Sound means: every settled charge has its credit and its fee, every withdrawal its debit and, if it failed, its reversal, each once, and no balance is below zero.',
  options: { account: text('id', 'only of this account', rows('accounts')), ...PAGE },
  examples: ['', '--limit 50 --json'],
  exits: { 1: `the ledger is not sound, or ${REFUSED}`, 3: '' },
  related: ['charges', 'withdrawals', 'status'],
});

export default { commands: [ledger.runs(async () => (await import('./ledger.js')).showLedger)] };
