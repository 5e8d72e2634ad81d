import { Refusal } from './refusals.js';

export const CHARGE_STATUSES = ['PENDING', 'EXPIRED', 'SETTLED', 'FAILED'] as const;
export const WITHDRAWAL_STATUSES = ['PENDING', 'PROCESSING', 'SETTLED', 'FAILED'] as const;
export const DELIVERY_STATUSES = ['PENDING', 'FAILED', 'DELIVERED'] as const;
export const ENDPOINT_STATUSES = ['ACTIVE', 'DISABLED'] as const;
/** Possible session decisions (§2.7). */
export const SESSION_DECISIONS = ['under_review', 'approved', 'rejected', 'cancelled', 'expired'] as const;
export const SESSION_STATUSES = ['CREATED', 'IN_PROGRESS', ...SESSION_DECISIONS] as const;

export type ChargeStatus = (typeof CHARGE_STATUSES)[number];
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export type SessionDecision = (typeof SESSION_DECISIONS)[number];

export interface Move<Status extends string = string, Event = `${string}.${string}`> {
  /** Starting statuses, most likely first. */
  readonly from: readonly Status[];
  readonly to: Status;
  /** Event type, e.g. `pix.settled`. */
  readonly event?: Event;
  readonly label: string;
  /** Button text: `English | Portuguese`. */
  readonly button: string;
  /** Accepts an SPI code as the reason. */
  readonly hasReason?: true;
}

type Moves<Status extends string> = Readonly<Record<string, Move<Status>>>;
type MoveWithoutButton<Status extends string = string> = Omit<Move<Status>, 'button'>;

const UNDECIDED = ['CREATED', 'IN_PROGRESS'] as const;

/** All allowed status changes (§3). */
export const MOVES = {
  charge: {
    settle: {
      from: ['PENDING', 'EXPIRED'],
      to: 'SETTLED',
      event: 'pix.settled',
      label: 'the payer pays',
      button: 'Pay | Pagar',
    },
    fail: {
      from: ['PENDING'],
      to: 'FAILED',
      event: 'pix.failed',
      label: 'the payment fails',
      button: 'Fail | Falhar',
      hasReason: true,
    },
    expire: {
      from: ['PENDING'],
      to: 'EXPIRED',
      event: 'pix.expired',
      label: 'the time to pay runs out',
      button: 'Expire | Expirar',
    },
  } satisfies Moves<ChargeStatus>,
  withdrawal: {
    process: {
      from: ['PENDING'],
      to: 'PROCESSING',
      label: 'the bank starts processing the withdrawal',
      button: 'Process | Processar',
    },
    /** Settling a pending withdrawal first processes it. */
    settle: {
      from: ['PROCESSING', 'PENDING'],
      to: 'SETTLED',
      event: 'withdrawal.settled',
      label: 'the banking network settles the withdrawal',
      button: 'Settle | Liquidar',
    },
    fail: {
      from: ['PENDING', 'PROCESSING'],
      to: 'FAILED',
      event: 'withdrawal.failed',
      label: 'the withdrawal fails',
      button: 'Fail | Falhar',
      hasReason: true,
    },
    return: {
      from: ['SETTLED'],
      to: 'FAILED',
      event: 'withdrawal.failed',
      label: 'the bank returns the withdrawal',
      button: 'Return | Devolver',
      hasReason: true,
    },
  } satisfies Moves<WithdrawalStatus>,
  session: {
    /** Lets the person restart the verification to correct personal details. */
    begin: { from: UNDECIDED, to: 'IN_PROGRESS', label: 'the person starts the verification' },
    under_review: { from: UNDECIDED, to: 'under_review', label: 'a person must review the session' },
    approved: { from: [...UNDECIDED, 'under_review'], to: 'approved', label: 'the session is approved' },
    rejected: { from: [...UNDECIDED, 'under_review'], to: 'rejected', label: 'the session is rejected' },
    cancelled: { from: UNDECIDED, to: 'cancelled', label: 'the person cancels' },
    expired: { from: UNDECIDED, to: 'expired', label: 'the session times out' },
  } satisfies Readonly<Record<string, MoveWithoutButton<SessionStatus>>>,
} as const;

/** Pays an expired charge; `trigger` expires a pending charge first. */
export const LATE_PAYMENT = {
  name: 'payLate',
  event: MOVES.charge.settle.event,
  button: 'Pay late | Pagar com atraso',
} as const;

/** Maps statuses and listener connections to tones; all others are neutral. */
export const STATUS_TONES: Readonly<Record<string, 'good' | 'bad' | 'waiting'>> = {
  SETTLED: 'good',
  DELIVERED: 'good',
  ACTIVE: 'good',
  approved: 'good',
  FAILED: 'bad',
  EXPIRED: 'bad',
  DISABLED: 'bad',
  rejected: 'bad',
  PENDING: 'waiting',
  PROCESSING: 'waiting',
  CREATED: 'waiting',
  IN_PROGRESS: 'waiting',
  under_review: 'waiting',
  connected: 'good',
  away: 'waiting',
};

const is = (one: string) => (status: string | null | undefined) => status === one;
export const isPending = is('PENDING');
export const isSettled = is('SETTLED');
/** Returns true for a failed payment or a dead letter. */
export const isFailed = is('FAILED');
export const isDelivered = is('DELIVERED');
export const isDisabled = is('DISABLED');
export const isExpired = is('EXPIRED');

type Machine = keyof typeof MOVES;
export type PaymentKind = 'charge' | 'withdrawal';
export type MoveOf<Of extends Machine> = { [One in Of]: keyof (typeof MOVES)[One] & string }[Of];
/** Events emitted by a payment kind's transitions. */
type EventOf<Of extends PaymentKind> = {
  [Kind in Of]: Extract<(typeof MOVES)[Kind][MoveOf<Kind>], { readonly event: string }>['event'];
}[Of];
type EventType = EventOf<PaymentKind>;

/** Control API routes that change a payment's status. */
export type MovePath = { [Kind in PaymentKind]: `${Kind}s/:id/${MoveOf<Kind>}` }[PaymentKind];

interface StatusOf {
  readonly charge: ChargeStatus;
  readonly withdrawal: WithdrawalStatus;
}

const PAYMENT_MOVES: {
  readonly [Kind in PaymentKind]: Readonly<Record<MoveOf<Kind>, Move<StatusOf[Kind], EventType>>>;
} = MOVES;

export function getMove<Of extends PaymentKind>(kind: Of, name: MoveOf<Of>): Move<StatusOf[Of], EventType> {
  return PAYMENT_MOVES[kind][name];
}

export function listMoveNames<Of extends Machine>(machine: Of): MoveOf<Of>[] {
  return Object.keys(MOVES[machine]) as MoveOf<Of>[];
}

function listMoveEntries(machine: Machine): [string, MoveWithoutButton][] {
  return Object.entries(MOVES[machine]);
}

export function listMoves<Of extends Machine>(machine: Of, status: string): MoveOf<Of>[] {
  const allowed = listMoveEntries(machine).filter(([, { from }]) => from.includes(status));
  return allowed.map(([name]) => name as MoveOf<Of>);
}

/** Lists the statuses in which any of these transitions can start. */
export function listStatusesBefore(machine: Machine, names: readonly string[]): string[] {
  return listMoveEntries(machine).flatMap(([name, { from }]) => (names.includes(name) ? from : []));
}

/** Lists a payment kind's events in transition order. */
export function listPaymentEvents<Of extends PaymentKind>(kind: Of) {
  const events = listMoveNames(kind).flatMap((name) => getMove(kind, name).event ?? []);
  return [...new Set(events)] as [EventOf<Of>, ...EventOf<Of>[]];
}

/** Returns an event's payment kind and the transitions that emit the event. */
export function describeEvent(event: EventType) {
  const kind: PaymentKind = listPaymentEvents('charge').some((own) => own === event)
    ? 'charge'
    : 'withdrawal';
  const names = listMoveNames(kind).filter((name) => getMove(kind, name).event === event);
  const moves = names.map((name) => getMove(kind, name));
  return {
    kind,
    moves: names,
    status: moves[0]?.to ?? '',
    label: moves.map(({ label }) => label).join(', or '),
    hasReason: moves.some(({ hasReason }) => hasReason),
  };
}

/** Returns true for the status of a decided or expired session. */
export function isDecision(status: SessionStatus): status is SessionDecision {
  return status !== 'CREATED' && status !== 'IN_PROGRESS';
}

/** Throws INVALID_TRANSITION if the status doesn't allow the transition. */
export function checkMove<Of extends Machine>(
  machine: Of,
  name: MoveOf<Of>,
  status: string,
  hint?: string,
): void {
  const { from, to } = MOVES[machine][name] as MoveWithoutButton;
  if (from.includes(status)) return;
  const other = listMoveEntries(machine).find(
    ([, move]) => move.to === to && move.from.includes(status),
  )?.[0];
  const by = other === undefined ? '' : ` by ${name}`;
  throw new Refusal('INVALID_TRANSITION', `A ${machine} with status ${status} cannot become ${to}${by}.`, {
    hint: other === undefined ? hint : `Use ${other} instead of ${name}.`,
  });
}
