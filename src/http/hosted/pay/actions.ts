import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../../contract/failure-reasons.js';
import type { FailureReason } from '../../../contract/failure-reasons.js';
import { Refusal } from '../../../contract/refusals.js';
import type { ChargeStatus } from '../../../contract/transitions.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Form } from '../form.js';

/** The buttons of the panel, in their order. */
export const ACTIONS = ['pay', 'fail', 'expire', 'late'] as const;
export type Action = (typeof ACTIONS)[number];

const POSSIBLE: Readonly<Record<ChargeStatus, readonly Action[]>> = {
  PENDING: ACTIONS,
  EXPIRED: ['late'],
  SETTLED: [],
  FAILED: [],
};

/** The buttons that make sense for a charge of this status. */
export function actionsOf(status: ChargeStatus): readonly Action[] {
  return POSSIBLE[status];
}

/** Does what a button says, as one command. Refuses (INVALID_REQUEST) unknown buttons and reasons, and what the charge cannot become. */
export function carryOut(sandbox: Sandbox, chargeId: string, form: Form): void {
  switch (form.get('action')) {
    case 'pay':
      sandbox.dispatch({ type: 'charge.settle', chargeId });
      return;
    case 'fail':
      sandbox.dispatch({ type: 'charge.fail', chargeId, reason: reasonOf(form) });
      return;
    case 'expire':
      sandbox.dispatch({ type: 'charge.expire', chargeId });
      return;
    case 'late':
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', charge: chargeId, late: true });
      return;
    default:
      throw new Refusal('INVALID_REQUEST', `action must be one of ${ACTIONS.join(', ')}.`);
  }
}

function reasonOf(form: Form): FailureReason {
  const given = form.get('reason') || DEFAULT_FAILURE_REASON;
  const reason = FAILURE_REASON_CODES.find((code) => code === given);
  if (reason !== undefined) return reason;
  throw new Refusal('INVALID_REQUEST', `reason must be one of ${FAILURE_REASON_CODES.join(', ')}.`);
}
