import { appOrDefault } from '../../core/apps.js';
import { findCharge } from '../../core/charges.js';
import { draftCharge, draftWithdrawal } from '../../core/drafts.js';
import { parseChargeFields, parseWithdrawalFields } from '../../core/inputs.js';
import { page } from '../../core/page.js';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../core/transitions.js';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES, findWithdrawal } from '../../core/withdrawals.js';
import type { Answer } from '../answer.js';
import { choice, pageQuery, presentPage } from '../pages.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';
import { chargeView, withdrawalView } from './present.js';

function listCharges(request: ControlRequest): Answer {
  const { world } = request.sandbox;
  const status = choice(request, 'status', CHARGE_STATUSES);
  const key = { list: 'control/charges', filters: { status } };
  const rows = page(world, world.charges.rows, key, pageQuery(request), (charge) =>
    status === undefined ? true : charge.status === status,
  );
  return presentPage(rows, chargeView);
}

function createCharge({ sandbox, fields, query }: ControlRequest): Answer {
  const app = appOrDefault(sandbox.world, query('app'));
  const draft = draftCharge(app, parseChargeFields(fields));
  noMoreFields(fields);
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: draft });
  return { status: created ? 201 : 200, body: chargeView(charge) };
}

function chargeId({ sandbox, param, query }: ControlRequest): string {
  return findCharge(sandbox.world, param('id'), query('app')).id;
}

function getCharge(request: ControlRequest): Answer {
  const { sandbox } = request;
  const charge = findCharge(sandbox.world, request.param('id'), request.query('app'));
  return ok(chargeView(charge, sandbox.drawQr));
}

function failCharge(request: ControlRequest): Answer {
  const reason = reasonOf(request) ?? null;
  return ok(
    chargeView(request.sandbox.dispatch({ type: 'charge.fail', chargeId: chargeId(request), reason })),
  );
}

function reasonOf({ fields }: ControlRequest) {
  const reason = fields.oneOf('reason', FAILURE_REASON_CODES);
  noMoreFields(fields);
  return reason;
}

function listWithdrawals(request: ControlRequest): Answer {
  const { world } = request.sandbox;
  const status = choice(request, 'status', WITHDRAWAL_STATUSES);
  const key = { list: 'control/withdrawals', filters: { status } };
  const rows = page(world, world.withdrawals.rows, key, pageQuery(request), (withdrawal) =>
    status === undefined ? true : withdrawal.status === status,
  );
  return presentPage(rows, withdrawalView);
}

function createWithdrawal({ sandbox, fields, query }: ControlRequest): Answer {
  const app = appOrDefault(sandbox.world, query('app'));
  const draft = draftWithdrawal(app, parseWithdrawalFields(fields));
  noMoreFields(fields);
  const { withdrawal, created } = sandbox.dispatch({
    type: 'withdrawal.create',
    appId: app.id,
    withdrawal: draft,
  });
  return { status: created ? 201 : 200, body: withdrawalView(withdrawal) };
}

function withdrawalId({ sandbox, param, query }: ControlRequest): string {
  return findWithdrawal(sandbox.world, param('id'), query('app')).id;
}

function moveWithdrawal(type: 'withdrawal.process' | 'withdrawal.settle') {
  return (request: ControlRequest): Answer => {
    noMoreFields(request.fields);
    return ok(withdrawalView(request.sandbox.dispatch({ type, withdrawalId: withdrawalId(request) })));
  };
}

function endWithdrawal(type: 'withdrawal.fail' | 'withdrawal.return') {
  return (request: ControlRequest): Answer => {
    const reason = reasonOf(request) ?? DEFAULT_FAILURE_REASON;
    return ok(
      withdrawalView(request.sandbox.dispatch({ type, withdrawalId: withdrawalId(request), reason })),
    );
  };
}

function moveCharge(type: 'charge.settle' | 'charge.expire') {
  return (request: ControlRequest): Answer => {
    noMoreFields(request.fields);
    return ok(chargeView(request.sandbox.dispatch({ type, chargeId: chargeId(request) })));
  };
}

/** The payer's side of charges and the bank's side of withdrawals. */
export const PAYMENT_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'charges', handle: listCharges },
  { method: 'POST', path: 'charges', handle: createCharge },
  { method: 'GET', path: 'charges/:id', handle: getCharge },
  { method: 'POST', path: 'charges/:id/settle', handle: moveCharge('charge.settle') },
  { method: 'POST', path: 'charges/:id/fail', handle: failCharge },
  { method: 'POST', path: 'charges/:id/expire', handle: moveCharge('charge.expire') },
  { method: 'GET', path: 'withdrawals', handle: listWithdrawals },
  { method: 'POST', path: 'withdrawals', handle: createWithdrawal },
  {
    method: 'GET',
    path: 'withdrawals/:id',
    handle: ({ sandbox, param, query }) =>
      ok(withdrawalView(findWithdrawal(sandbox.world, param('id'), query('app')))),
  },
  { method: 'POST', path: 'withdrawals/:id/process', handle: moveWithdrawal('withdrawal.process') },
  { method: 'POST', path: 'withdrawals/:id/settle', handle: moveWithdrawal('withdrawal.settle') },
  { method: 'POST', path: 'withdrawals/:id/fail', handle: endWithdrawal('withdrawal.fail') },
  { method: 'POST', path: 'withdrawals/:id/return', handle: endWithdrawal('withdrawal.return') },
];
