import { formatAmount } from '../../../contract/money.js';
import { lookUp } from '../../../core/named-rows.js';
import { NAME } from '../../../core/input/text-kinds.js';
import { page, PAGE_FIELDS } from '../../../core/page.js';
import { accountProblems } from '../../../core/payments/ledger-check.js';
import type { LedgerEntry } from '../../../core/payments/ledger-entries.js';
import { ledgerOf } from '../../../core/payments/ledger-entries.js';
import { presentTransaction } from '../../../core/resources/serialize.js';
import type { World } from '../../../core/world.js';
import { optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import { pageView } from '../../operation/pages.js';
import { ok, route } from '../control.js';
import { listKey } from '../lists.js';
import type { LedgerEntryView, LedgerView } from './schema.js';

/** The account, by its id or the beginning of it; by default, all. */
const QUERY = object('a query', { account: optional(NAME), ...PAGE_FIELDS });

function entryView(
  world: World,
  { what, resource, account, transaction, balanceCents }: LedgerEntry,
): LedgerEntryView {
  const type = what === 'charge' || what === 'fee' ? 'pix' : 'withdrawal';
  return {
    ...presentTransaction(world, transaction),
    account_id: account.id,
    balance: formatAmount(balanceCents),
    what,
    resource: resource === null ? null : { type, id: resource.id, code: resource.code },
  };
}

/** The ledger of an account or of all, with running balances, and what its audit finds. */
export const LEDGER_ROUTE = route('GET', 'ledger', { query: QUERY }, ({ sandbox, query }) => {
  const { world } = sandbox;
  const { account: named, ...asked } = query;
  const account = named === undefined ? undefined : lookUp(world, 'account', named);
  const ledgers = (account === undefined ? [...world.accounts.values()] : [account]).map((one) => {
    const ledger = ledgerOf(world, one);
    return { ledger, problems: accountProblems(one, ledger) };
  });
  const entries = ledgers.flatMap(({ ledger }) => ledger.entries);
  if (ledgers.length > 1) entries.sort((one, other) => one.ordinal - other.ordinal);
  const found = page(world, entries, listKey('ledger', { account: account?.id }), asked);
  const problems = ledgers.flatMap((one) => one.problems);
  return ok({ ...pageView(found, (entry) => entryView(world, entry)), problems } satisfies LedgerView);
});
