import { ownAccount } from '../../core/ledger.js';
import { page } from '../../core/page.js';
import { presentTransaction, presentWithdrawal } from '../../core/present.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import { pageQuery, presentPage } from '../pages.js';
import type { RouteRequest } from './app.js';
import type { Caller } from './call.js';

/** GET /withdrawals (§4.2). */
export function listWithdrawals({ world }: Sandbox, { app }: Caller, request: RouteRequest): Answer {
  const key = { list: 'withdrawals', owner: app.id };
  return presentPage(page(world, app.withdrawals, key, pageQuery(request)), presentWithdrawal);
}

/** GET /accounts/{id}/transactions (§4.3). */
export function listTransactions({ world }: Sandbox, { app }: Caller, request: RouteRequest): Answer {
  const account = ownAccount(world, app.id, request.param('id').toLowerCase());
  const key = { list: 'transactions', owner: account.id };
  return presentPage(page(world, account.transactions, key, pageQuery(request)), presentTransaction);
}
