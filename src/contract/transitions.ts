import { Refusal } from './refusals.js';

export const CHARGE_STATUSES = ['PENDING', 'EXPIRED', 'SETTLED', 'FAILED'] as const;
export const WITHDRAWAL_STATUSES = ['PENDING', 'PROCESSING', 'SETTLED', 'FAILED'] as const;
export const DELIVERY_STATUSES = ['PENDING', 'FAILED', 'DELIVERED'] as const;
export const ENDPOINT_STATUSES = ['ACTIVE', 'DISABLED'] as const;
/** The possible decisions on a session (§2.7). */
export const SESSION_DECISIONS = ['under_review', 'approved', 'rejected', 'cancelled', 'expired'] as const;
export const SESSION_STATUSES = ['CREATED', 'IN_PROGRESS', ...SESSION_DECISIONS] as const;

export type ChargeStatus = (typeof CHARGE_STATUSES)[number];
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export type SessionDecision = (typeof SESSION_DECISIONS)[number];

export interface Move<Status extends string = string, Event extends string = `${string}.${string}`> {
  /** The statuses that it starts from, the likeliest first. */
  readonly from: readonly Status[];
  readonly to: Status;
  /** The event that it announces, `<resource>.<what happened>`. */
  readonly event?: Event;
  readonly label: string;
  /** Whether it accepts an SPI code. */
  readonly hasReason?: true;
}

type Moves<Status extends string> = Readonly<Record<string, Move<Status>>>;

const UNDECIDED = ['CREATED', 'IN_PROGRESS'] as const;

/** Every change of status (§3). Any other is refused. */
export const MOVES = {
  charge: {
    settle: { from: ['PENDING', 'EXPIRED'], to: 'SETTLED', event: 'pix.settled', label: 'the payer pays' },
    fail: {
      from: ['PENDING'],
      to: 'FAILED',
      event: 'pix.failed',
      label: 'the payment fails',
      hasReason: true,
    },
    expire: { from: ['PENDING'], to: 'EXPIRED', event: 'pix.expired', label: 'the time to pay ends' },
  } satisfies Moves<ChargeStatus>,
  withdrawal: {
    process: { from: ['PENDING'], to: 'PROCESSING', label: 'the bank starts to process it' },
    /** A pending one is processed on the way. */
    settle: {
      from: ['PROCESSING', 'PENDING'],
      to: 'SETTLED',
      event: 'withdrawal.settled',
      label: 'the banking network settles it',
    },
    fail: {
      from: ['PENDING', 'PROCESSING'],
      to: 'FAILED',
      event: 'withdrawal.failed',
      label: 'it fails',
      hasReason: true,
    },
    return: {
      from: ['SETTLED'],
      to: 'FAILED',
      event: 'withdrawal.failed',
      label: 'it comes back',
      hasReason: true,
    },
  } satisfies Moves<WithdrawalStatus>,
  session: {
    /** Beginning again corrects the details. */
    begin: { from: UNDECIDED, to: 'IN_PROGRESS', label: 'the person begins' },
    under_review: { from: UNDECIDED, to: 'under_review', label: 'a person must review it' },
    approved: { from: [...UNDECIDED, 'under_review'], to: 'approved', label: 'it is approved' },
    rejected: { from: [...UNDECIDED, 'under_review'], to: 'rejected', label: 'it is rejected' },
    cancelled: { from: UNDECIDED, to: 'cancelled', label: 'the person cancels' },
    expired: { from: UNDECIDED, to: 'expired', label: 'its time ends' },
  } satisfies Moves<SessionStatus>,
} as const;

type Machine = keyof typeof MOVES;
interface StatusOf {
  readonly charge: ChargeStatus;
  readonly withdrawal: WithdrawalStatus;
  readonly session: SessionStatus;
}
export type PaymentKind = 'charge' | 'withdrawal';
export type MoveOf<Of extends Machine> = keyof (typeof MOVES)[Of] & string;
/** The events that the moves of a kind of payment announce. */
export type EventOf<Of extends PaymentKind> = {
  [Kind in Of]: Extract<(typeof MOVES)[Kind][MoveOf<Kind>], { readonly event: string }>['event'];
}[Of];

const TYPED_MOVES: {
  readonly [Of in Machine]: Readonly<Record<MoveOf<Of>, Move<StatusOf[Of], EventOf<PaymentKind>>>>;
} = MOVES;

export function moveOf<Of extends Machine>(
  machine: Of,
  name: MoveOf<Of>,
): Move<StatusOf[Of], EventOf<PaymentKind>> {
  return TYPED_MOVES[machine][name];
}

export function moveNames<Of extends Machine>(machine: Of): MoveOf<Of>[] {
  return Object.keys(MOVES[machine]) as MoveOf<Of>[];
}

function movesOf(machine: Machine): [string, Move][] {
  return Object.entries(MOVES[machine]);
}

export function movesFrom<Of extends Machine>(machine: Of, status: string): MoveOf<Of>[] {
  const allowed = movesOf(machine).filter(([, { from }]) => from.includes(status));
  return allowed.map(([name]) => name as MoveOf<Of>);
}

/** The statuses from which one of these moves starts. */
export function statusesBefore(machine: Machine, names: readonly string[]): string[] {
  return movesOf(machine).flatMap(([name, { from }]) => (names.includes(name) ? from : []));
}

/** Lists the events of a kind of payment, in the order of its moves. */
export function eventsOf<Of extends PaymentKind>(kind: Of): readonly [EventOf<Of>, ...EventOf<Of>[]] {
  const events = movesOf(kind).flatMap(([, { event }]) => event ?? []);
  return [...new Set(events)] as [EventOf<Of>, ...EventOf<Of>[]];
}

/** The payments that an event is about, and the moves that it announces. */
export function announcedBy(event: EventOf<PaymentKind>) {
  const isOfCharges = eventsOf('charge').some((own) => own === event);
  const kind: PaymentKind = isOfCharges ? 'charge' : 'withdrawal';
  const moves = movesOf(kind).filter(([, move]) => move.event === event);
  return {
    kind,
    moves: moves.map(([name]) => name),
    status: moves[0]?.[1].to ?? '',
    label: moves.map(([, { label }]) => label).join(', or '),
  };
}

/** Whether a move that announces the event accepts an SPI code. */
export function takesReason(event: EventOf<PaymentKind>): boolean {
  const { kind, moves } = announcedBy(event);
  return movesOf(kind).some(([name, { hasReason }]) => hasReason === true && moves.includes(name));
}

/** Whether a session is decided or lapsed. */
export function isDecision(status: SessionStatus): status is SessionDecision {
  return status !== 'CREATED' && status !== 'IN_PROGRESS';
}

/** Refuses (INVALID_TRANSITION) a move that the status does not allow. */
export function checkMove<Of extends Machine>(
  machine: Of,
  name: MoveOf<Of>,
  status: string,
  hint?: string,
): void {
  const { from, to }: Move = moveOf(machine, name);
  if (from.includes(status)) return;
  const other = movesOf(machine).find(([, move]) => move.to === to && move.from.includes(status))?.[0];
  const by = other === undefined ? '' : ` by ${name}`;
  throw new Refusal('INVALID_TRANSITION', `A ${machine} that is ${status} cannot become ${to}${by}.`, {
    hint: other === undefined ? hint : `Use ${other} instead of ${name}.`,
  });
}
