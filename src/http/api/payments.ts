import type { ChargeInput } from '../../core/payments/charges.js';
import { ownAccount } from '../../core/payments/ledger.js';
import type { PageQuery } from '../../core/page.js';
import { page } from '../../core/page.js';
import { presentCharge, presentTransaction, presentWithdrawal } from '../../core/resources/serialize.js';
import type { Answer } from '../operation/answer.js';
import { presentPage } from '../operation/pages.js';
import type { ApiRequest } from './route.js';

/** POST /pix (§4.1): 201 for a new charge, 200 with the current charge for a code that already belongs to it. */
export function createCharge({ sandbox, app, body }: ApiRequest<ChargeInput>): Answer {
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: body });
  const drawQr = sandbox.world.assumed['charge.qr_image'] === 'full' ? sandbox.drawQr : null;
  return { status: created ? 201 : 200, body: presentCharge(charge, drawQr) };
}

type Listing = ApiRequest<undefined, PageQuery>;

/** GET /withdrawals (§4.2). */
export function listWithdrawals({ sandbox: { world }, app, query }: Listing): Answer {
  const key = { list: 'withdrawals', owner: app.id };
  return presentPage(page(world, app.withdrawals, key, query), presentWithdrawal);
}

/** GET /accounts/{id}/transactions (§4.3). */
export function listTransactions({ sandbox: { world }, app, param, query }: Listing): Answer {
  const account = ownAccount(world, app.id, param('id').toLowerCase());
  const key = { list: 'transactions', owner: account.id };
  const found = page(world, account.transactions, key, query);
  return presentPage(found, (transaction) => presentTransaction(world, transaction));
}
