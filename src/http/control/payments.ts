import { appOrDefault } from '../../core/identity/applications.js';
import type { ChargeInput } from '../../core/payments/charges.js';
import { findCharge } from '../../core/payments/charges.js';
import { draftCharge, draftWithdrawal } from '../../core/payments/defaults.js';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import { chargeFields, withdrawalFields } from '../../core/input/bodies.js';
import { body as bodyOf } from '../../core/input/body.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import type { WithdrawalInput } from '../../core/payments/withdrawals.js';
import { findWithdrawal } from '../../core/payments/withdrawals.js';
import { nullish, optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { presentPage } from '../operation/pages.js';
import type { ControlRequest, ControlRoute, Sent } from './control.js';
import { ok, route } from './control.js';
import type { OfApp } from './of-app.js';
import { OF_APP } from './of-app.js';
import { chargeView, withdrawalView } from './views.js';

const CHARGE_QUERY = object('a query', { status: optional(oneOf(CHARGE_STATUSES)), ...PAGE_FIELDS });
const WITHDRAWAL_QUERY = object('a query', { status: optional(oneOf(WITHDRAWAL_STATUSES)), ...PAGE_FIELDS });
/** Why the bank refused, by its SPI code. */
const FAILURE = bodyOf({ reason: nullish(oneOf(FAILURE_REASON_CODES)) });

type Failed = Sent<Infer<typeof FAILURE>, OfApp>;

function listCharges(
  { sandbox: { world } }: ControlRequest,
  { query: { status, ...query } }: Sent<undefined, Infer<typeof CHARGE_QUERY>>,
): Answer {
  const key = { list: 'control/charges', filters: { status } };
  const rows = page(world, world.charges.rows, key, query, (charge) =>
    status === undefined ? true : charge.status === status,
  );
  return presentPage(rows, chargeView);
}

function createCharge(
  { sandbox }: ControlRequest,
  { body, query }: Sent<Partial<ChargeInput>, OfApp>,
): Answer {
  const app = appOrDefault(sandbox.world, query.app);
  const { charge, created } = sandbox.dispatch({
    type: 'charge.create',
    appId: app.id,
    charge: draftCharge(app, body),
  });
  return { status: created ? 201 : 200, body: chargeView(charge) };
}

function chargeOf({ sandbox, param }: ControlRequest, { app }: OfApp) {
  return findCharge(sandbox.world, param('id'), app);
}

function getCharge(request: ControlRequest, { query }: Sent<undefined, OfApp>): Answer {
  return ok(chargeView(chargeOf(request, query), request.sandbox.drawQr));
}

function failCharge(request: ControlRequest, { body: { reason }, query }: Failed): Answer {
  const chargeId = chargeOf(request, query).id;
  return ok(chargeView(request.sandbox.dispatch({ type: 'charge.fail', chargeId, reason: reason ?? null })));
}

function listWithdrawals(
  { sandbox: { world } }: ControlRequest,
  { query: { status, ...query } }: Sent<undefined, Infer<typeof WITHDRAWAL_QUERY>>,
): Answer {
  const key = { list: 'control/withdrawals', filters: { status } };
  const rows = page(world, world.withdrawals.rows, key, query, (withdrawal) =>
    status === undefined ? true : withdrawal.status === status,
  );
  return presentPage(rows, withdrawalView);
}

function createWithdrawal(
  { sandbox }: ControlRequest,
  { body, query }: Sent<Partial<WithdrawalInput>, OfApp>,
): Answer {
  const app = appOrDefault(sandbox.world, query.app);
  const { withdrawal, created } = sandbox.dispatch({
    type: 'withdrawal.create',
    appId: app.id,
    withdrawal: draftWithdrawal(app, body),
  });
  return { status: created ? 201 : 200, body: withdrawalView(withdrawal) };
}

function withdrawalOf({ sandbox, param }: ControlRequest, { app }: OfApp) {
  return findWithdrawal(sandbox.world, param('id'), app);
}

function getWithdrawal(request: ControlRequest, { query }: Sent<undefined, OfApp>): Answer {
  return ok(withdrawalView(withdrawalOf(request, query)));
}

function moveWithdrawal(type: 'withdrawal.process' | 'withdrawal.settle') {
  return (request: ControlRequest, { query }: Sent<undefined, OfApp>): Answer => {
    const withdrawalId = withdrawalOf(request, query).id;
    return ok(withdrawalView(request.sandbox.dispatch({ type, withdrawalId })));
  };
}

function endWithdrawal(type: 'withdrawal.fail' | 'withdrawal.return') {
  return (request: ControlRequest, { body: { reason = DEFAULT_FAILURE_REASON }, query }: Failed): Answer => {
    const withdrawalId = withdrawalOf(request, query).id;
    return ok(withdrawalView(request.sandbox.dispatch({ type, withdrawalId, reason })));
  };
}

function moveCharge(type: 'charge.settle' | 'charge.expire') {
  return (request: ControlRequest, { query }: Sent<undefined, OfApp>): Answer => {
    const chargeId = chargeOf(request, query).id;
    return ok(chargeView(request.sandbox.dispatch({ type, chargeId })));
  };
}

const CHARGES: readonly ControlRoute[] = [
  route({ method: 'GET', path: 'charges', query: CHARGE_QUERY, handle: listCharges }),
  route({
    method: 'POST',
    path: 'charges',
    query: OF_APP,
    body: chargeFields(),
    handle: createCharge,
  }),
  route({ method: 'GET', path: 'charges/:id', query: OF_APP, handle: getCharge }),
  route({
    method: 'POST',
    path: 'charges/:id/settle',
    query: OF_APP,
    handle: moveCharge('charge.settle'),
  }),
  route({
    method: 'POST',
    path: 'charges/:id/fail',
    query: OF_APP,
    body: FAILURE,
    handle: failCharge,
  }),
  route({
    method: 'POST',
    path: 'charges/:id/expire',
    query: OF_APP,
    handle: moveCharge('charge.expire'),
  }),
];

const WITHDRAWALS: readonly ControlRoute[] = [
  route({ method: 'GET', path: 'withdrawals', query: WITHDRAWAL_QUERY, handle: listWithdrawals }),
  route({
    method: 'POST',
    path: 'withdrawals',
    query: OF_APP,
    body: withdrawalFields(),
    handle: createWithdrawal,
  }),
  route({ method: 'GET', path: 'withdrawals/:id', query: OF_APP, handle: getWithdrawal }),
  route({
    method: 'POST',
    path: 'withdrawals/:id/process',
    query: OF_APP,
    handle: moveWithdrawal('withdrawal.process'),
  }),
  route({
    method: 'POST',
    path: 'withdrawals/:id/settle',
    query: OF_APP,
    handle: moveWithdrawal('withdrawal.settle'),
  }),
  route({
    method: 'POST',
    path: 'withdrawals/:id/fail',
    query: OF_APP,
    body: FAILURE,
    handle: endWithdrawal('withdrawal.fail'),
  }),
  route({
    method: 'POST',
    path: 'withdrawals/:id/return',
    query: OF_APP,
    body: FAILURE,
    handle: endWithdrawal('withdrawal.return'),
  }),
];

/** The payer's side of charges and the bank's side of withdrawals. */
export const PAYMENT_ROUTES: readonly ControlRoute[] = [...CHARGES, ...WITHDRAWALS];
