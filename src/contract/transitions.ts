import { Refusal } from './refusals.js';

/** Which state may follow which (§3). A transition that is not listed is refused. */
export const TRANSITIONS = {
  charge: {
    PENDING: ['SETTLED', 'FAILED', 'EXPIRED'],
    EXPIRED: ['SETTLED'],
    SETTLED: [],
    FAILED: [],
  },
  withdrawal: {
    PENDING: ['PROCESSING', 'FAILED'],
    PROCESSING: ['SETTLED', 'FAILED'],
    SETTLED: ['FAILED'],
    FAILED: [],
  },
  delivery: {
    PENDING: ['DELIVERED', 'FAILED'],
    FAILED: ['PENDING'],
    DELIVERED: [],
  },
  session: {
    CREATED: ['IN_PROGRESS', 'approved', 'rejected', 'under_review', 'cancelled', 'expired'],
    IN_PROGRESS: ['approved', 'rejected', 'under_review', 'cancelled', 'expired'],
    under_review: ['approved', 'rejected'],
    approved: [],
    rejected: [],
    cancelled: [],
    expired: [],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

type Machines = typeof TRANSITIONS;
export type ChargeStatus = keyof Machines['charge'];
export type WithdrawalStatus = keyof Machines['withdrawal'];
export type DeliveryStatus = keyof Machines['delivery'];
export type SessionStatus = keyof Machines['session'];
/** The possible decisions on a session (§2.7). */
export type SessionDecision = Exclude<SessionStatus, 'CREATED' | 'IN_PROGRESS'>;

function statesOf<M extends keyof Machines>(machine: M): (keyof Machines[M])[] {
  return Object.keys(TRANSITIONS[machine]) as (keyof Machines[M])[];
}

export const CHARGE_STATUSES = statesOf('charge');
export const WITHDRAWAL_STATUSES = statesOf('withdrawal');
export const DELIVERY_STATUSES = statesOf('delivery');
export const SESSION_STATUSES = statesOf('session');
export const SESSION_DECISIONS = SESSION_STATUSES.filter(isDecision);

/** Whether a session is decided or lapsed. */
export function isDecision(status: SessionStatus): status is SessionDecision {
  return status !== 'CREATED' && status !== 'IN_PROGRESS';
}

/** Refuses with INVALID_TRANSITION a step that is not in the table. */
export function checkTransition<M extends keyof Machines>(
  machine: M,
  from: keyof Machines[M] & string,
  to: keyof Machines[M] & string,
  hint?: string,
): void {
  const next: Record<string, readonly string[]> = TRANSITIONS[machine];
  if (next[from]?.includes(to)) return;
  throw new Refusal('INVALID_TRANSITION', `A ${machine} that is ${from} cannot become ${to}.`, { hint });
}
