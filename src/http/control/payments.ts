import { appOrDefault } from '../../core/identity/applications.js';
import { findCharge } from '../../core/payments/charges.js';
import { draftCharge, draftWithdrawal } from '../../core/payments/defaults.js';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import { chargeFields, withdrawalFields } from '../../core/input/bodies.js';
import { body as bodyOf } from '../../core/input/body.js';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import { findWithdrawal } from '../../core/payments/withdrawals.js';
import type { DrawQr } from '../../core/resources/serialize.js';
import type { App, Charge } from '../../core/world.js';
import { nullish } from '../../schema/fields.js';
import { oneOf } from '../../schema/values.js';
import { payPath } from '../operation/page-urls.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { listRoute } from './lists.js';
import type { OfApp } from './of-app.js';
import { OF_APP } from './of-app.js';
import type { ChargeDetail } from './payment-schema.js';
import type { ServerFacts } from './status-view.js';
import { chargeView, withdrawalView } from './views.js';

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

const isOfApp = ({ appId }: { readonly appId: string }, { id }: App) => appId === id;

/** What the routes know of the server. */
type Facts = Pick<ServerFacts, 'url' | 'isExposed'>;

function chargeDetail(charge: Charge, { url, isExposed = false }: Facts, drawQr?: DrawQr): ChargeDetail {
  return { ...chargeView(charge, drawQr), pay_url: url() + payPath(charge.id, isExposed) };
}

/** The payer's side of charges and the bank's side of withdrawals. */
export const paymentRoutes = (facts: Facts): readonly ControlRoute[] => [
  listRoute(
    'charges',
    CHARGE_STATUSES,
    ({ charges }) => charges.rows,
    (charge: Charge) => chargeView(charge),
    isOfApp,
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
  listRoute(
    'withdrawals',
    WITHDRAWAL_STATUSES,
    ({ withdrawals }) => withdrawals.rows,
    withdrawalView,
    isOfApp,
  ),
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
];
