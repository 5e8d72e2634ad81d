import { ownAccount } from '../../core/payments/ledger.js';
import type { PageQuery } from '../../core/page.js';
import { page } from '../../core/page.js';
import { presentTransaction, presentWithdrawal } from '../../core/resources/serialize.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../operation/answer.js';
import { presentPage } from '../operation/pages.js';
import type { Caller, RouteRequest } from './route.js';

type Listing = RouteRequest<undefined, PageQuery>;

/** GET /withdrawals (§4.2). */
export function listWithdrawals({ world }: Sandbox, { app }: Caller, { query }: Listing): Answer {
  const key = { list: 'withdrawals', owner: app.id };
  return presentPage(page(world, app.withdrawals, key, query), presentWithdrawal);
}

/** GET /accounts/{id}/transactions (§4.3). */
export function listTransactions({ world }: Sandbox, { app }: Caller, { param, query }: Listing): Answer {
  const account = ownAccount(world, app.id, param('id').toLowerCase());
  const key = { list: 'transactions', owner: account.id };
  return presentPage(page(world, account.transactions, key, query), presentTransaction);
}
