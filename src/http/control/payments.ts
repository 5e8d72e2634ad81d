import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../contract/enums.js';
import { formatAmount } from '../../contract/money.js';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import { appOrDefault } from '../../core/identity/applications.js';
import { body as bodyOf, chargeFields, withdrawalFields } from '../../core/input/bodies.js';
import { NAME } from '../../core/input/kinds.js';
import { lookUp } from '../../core/named-rows.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { findCharge } from '../../core/payments/payments.js';
import { draftCharge, draftWithdrawal } from '../../core/payments/payments.js';
import { accountProblems, type LedgerEntry, ledgerOf, POSTINGS } from '../../core/payments/ledger-check.js';
import { findWithdrawal } from '../../core/payments/payments.js';
import type { DrawQr } from '../../core/resources/serialize.js';
import { presentTransaction, presentCharge, presentWithdrawal } from '../../core/resources/serialize.js';
import type { Charge, World, Withdrawal } from '../../core/world.js';
import { nullable, nullish, object, optional } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf, described } from '../../schema/values.js';
import { payPath } from '../operation/targets.js';
import { pageView } from '../operation/answer.js';
import type { ControlRequest, ControlRoute, OfApp } from './control.js';
import { ok, route, listRoute, OF_APP, listKey } from './control.js';
import { NAMED_RESOURCE } from './events.js';
import { BALANCE } from './schema.js';
import type { ServerFacts } from './system.js';

const INSIDE = { app_id: is.UUID, reason: nullable(oneOf(FAILURE_REASON_CODES)) };

export const CHARGE_VIEW = is.resource('Charge', 'A charge, with its application and why it failed.', {
  ...service.CHARGE.fields,
  ...INSIDE,
});
export type ChargeView = Infer<typeof CHARGE_VIEW>;

export const WITHDRAWAL_VIEW = is.resource(
  'Withdrawal',
  'A withdrawal, with its application and why it failed.',
  { ...service.WITHDRAWAL.fields, ...INSIDE },
);
export type WithdrawalView = Infer<typeof WITHDRAWAL_VIEW>;

export function chargeView(charge: Readonly<Charge>, drawQr: DrawQr = null): ChargeView {
  return { ...presentCharge(charge, drawQr), app_id: charge.appId, reason: charge.reason };
}

export function withdrawalView(withdrawal: Readonly<Withdrawal>): WithdrawalView {
  return { ...presentWithdrawal(withdrawal), app_id: withdrawal.appId, reason: withdrawal.reason };
}

/** Why the bank refused, by its SPI code. */
const FAILURE = bodyOf({ reason: nullish(oneOf(FAILURE_REASON_CODES)) });

function chargeOf({ sandbox, param, query }: ControlRequest<unknown, OfApp>) {
  return findCharge(sandbox.world, param('id'), query.app);
}

function moveCharge(move: 'settle' | 'expire'): ControlRoute {
  return route('POST', `charges/:id/${move}`, { query: OF_APP }, (request) => {
    const type = `charge.${move}` as const;
    return ok(chargeView(request.sandbox.dispatch({ type, chargeId: chargeOf(request).id })));
  });
}

function withdrawalOf({ sandbox, param, query }: ControlRequest<unknown, OfApp>) {
  return findWithdrawal(sandbox.world, param('id'), query.app);
}

function moveWithdrawal(move: 'process' | 'settle'): ControlRoute {
  return route('POST', `withdrawals/:id/${move}`, { query: OF_APP }, (request) => {
    const type = `withdrawal.${move}` as const;
    return ok(withdrawalView(request.sandbox.dispatch({ type, withdrawalId: withdrawalOf(request).id })));
  });
}

function endWithdrawal(move: 'fail' | 'return'): ControlRoute {
  return route('POST', `withdrawals/:id/${move}`, { query: OF_APP, body: FAILURE }, (request) => {
    const type = `withdrawal.${move}` as const;
    const withdrawalId = withdrawalOf(request).id;
    const { reason = DEFAULT_FAILURE_REASON } = request.body;
    return ok(withdrawalView(request.sandbox.dispatch({ type, withdrawalId, reason })));
  });
}

/** No payer is invented, so that an application which posts the same code and amount gets the charge. */
const NO_PAYER = { payerName: null, payerDocument: null };

function chargeDetail(
  charge: Charge,
  { url, isExposed = false }: ServerFacts,
  drawQr?: DrawQr,
): ChargeDetail {
  return { ...chargeView(charge, drawQr), pay_url: url() + payPath(charge.id, isExposed) };
}

export const CHARGE_DETAIL = is.resource(
  'ChargeDetail',
  'A charge, and where a browser opens its pay page.',
  {
    ...CHARGE_VIEW.fields,
    pay_url: is.TEXT,
  },
);
export type ChargeDetail = Infer<typeof CHARGE_DETAIL>;

export const LEDGER_ENTRY = is.resource(
  'LedgerEntry',
  'A transaction with what it belongs to, and the balance of its account after it.',
  {
    ...service.TRANSACTION.fields,
    account_id: is.UUID,
    balance: BALANCE,
    what: described('Null where nothing explains it.', nullable(oneOf(POSTINGS))),
    resource: nullable(NAMED_RESOURCE),
  },
);
export type LedgerEntryView = Infer<typeof LEDGER_ENTRY>;

export const LEDGER = is.resource(
  'Ledger',
  'A page of the ledger, newest first, and what is wrong with the whole.',
  {
    data: is.listOf(LEDGER_ENTRY),
    paging: is.PAGING,
    problems: is.listOf(is.TEXT),
  },
);
export type LedgerView = Infer<typeof LEDGER>;

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
const LEDGER_ROUTE = route('GET', 'ledger', { query: QUERY }, ({ sandbox, query }) => {
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

/** The payer's side of charges and the bank's side of withdrawals. */
export const paymentRoutes = (facts: ServerFacts): readonly ControlRoute[] => [
  listRoute(
    'charges',
    CHARGE_STATUSES,
    ({ charges }) => charges.rows,
    (charge) => chargeView(charge),
  ),
  route('POST', 'charges', { query: OF_APP, body: chargeFields() }, ({ sandbox, body, query }) => {
    const app = appOrDefault(sandbox.world, query.app);
    const draft = draftCharge(app, { ...NO_PAYER, ...body });
    const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: draft });
    return { status: created ? 201 : 200, body: chargeDetail(charge, facts) };
  }),
  route('GET', 'charges/:id', { query: OF_APP }, (request) =>
    ok(chargeDetail(chargeOf(request), facts, request.sandbox.drawQr)),
  ),
  moveCharge('settle'),
  route('POST', 'charges/:id/fail', { query: OF_APP, body: FAILURE }, (request) => {
    const chargeId = chargeOf(request).id;
    const { reason = null } = request.body;
    return ok(chargeView(request.sandbox.dispatch({ type: 'charge.fail', chargeId, reason })));
  }),
  moveCharge('expire'),
  listRoute('withdrawals', WITHDRAWAL_STATUSES, ({ withdrawals }) => withdrawals.rows, withdrawalView),
  route('POST', 'withdrawals', { query: OF_APP, body: withdrawalFields() }, ({ sandbox, body, query }) => {
    const app = appOrDefault(sandbox.world, query.app);
    const draft = draftWithdrawal(app, body);
    const made = sandbox.dispatch({ type: 'withdrawal.create', appId: app.id, withdrawal: draft });
    return { status: made.created ? 201 : 200, body: withdrawalView(made.withdrawal) };
  }),
  route('GET', 'withdrawals/:id', { query: OF_APP }, (request) => ok(withdrawalView(withdrawalOf(request)))),
  moveWithdrawal('process'),
  moveWithdrawal('settle'),
  endWithdrawal('fail'),
  endWithdrawal('return'),
  LEDGER_ROUTE,
];
