import type { Has } from './webhook-verifier.js';

/** An event, as far as a shop reads it. */
export interface ShopEvent {
  readonly type: string;
  readonly data: {
    readonly object: {
      readonly id: string;
      readonly code: string;
      readonly amount: string;
      readonly payer_document?: string | null;
    };
  };
}

interface Row {
  status: string;
  rank: number;
  credits: number;
  paid: string | null;
  readonly mails: string[];
  updatedAt: string | null;
}

/** How far an event moves what it is about, and where. */
const MOVES: Readonly<Record<string, { readonly rank: number; readonly status: string }>> = {
  'pix.expired': { rank: 1, status: 'expired' },
  'pix.failed': { rank: 2, status: 'failed' },
  'pix.settled': { rank: 3, status: 'paid' },
  'withdrawal.settled': { rank: 1, status: 'sent' },
  'withdrawal.failed': { rank: 2, status: 'returned' },
};

function newRow(status: string): Row {
  return { status, rank: 0, credits: 0, paid: null, mails: [], updatedAt: null };
}

/** What a shop keeps on disk: its orders with their credits and e-mails, its withdrawals, and events of charges that it does not know yet. */
export class Orders {
  readonly #has: Has;
  readonly #orders = new Map<string, Row>();
  readonly #withdrawals = new Map<string, Row>();
  readonly #parked = new Map<string, ShopEvent[]>();

  constructor(has: Has) {
    this.#has = has;
  }

  /** Keeps a new order, which takes what was parked for it. */
  open(code: string): void {
    if (this.#orders.has(code)) return;
    this.#orders.set(code, newRow('awaiting payment'));
    for (const event of this.#parked.get(code) ?? []) this.apply(event);
    this.#parked.delete(code);
  }

  /** Applies an event; one that would lead back changes nothing. */
  apply(event: ShopEvent): void {
    const { type, data } = event;
    const { code } = data.object;
    if (type.startsWith('withdrawal.')) {
      const row = this.#withdrawals.get(code) ?? newRow('unknown');
      this.#withdrawals.set(code, row);
      this.#move(row, event);
      return;
    }
    const order = this.#orders.get(code);
    if (order !== undefined) this.#move(order, event);
    else if (this.#has('accept.unknown-resource'))
      throw new TypeError('Cannot read properties of undefined.');
    else if (!this.#has('order.before-response'))
      this.#parked.set(code, [...(this.#parked.get(code) ?? []), event]);
  }

  #move(row: Row, { type, data }: ShopEvent): void {
    if (type === 'pix.settled' && this.#has('effect.paid')) return;
    const { rank = 0, status = '' } = MOVES[type] ?? {};
    if (type === 'pix.settled') {
      row.credits += 1;
      row.paid = this.#has('effect.amount')
        ? data.object.amount.replace('.', '') + '.00'
        : data.object.amount;
      row.mails.push('Thank you for your payment.');
    }
    const isBack = rank < row.rank && !this.#isLastWins(type);
    const isHeld = this.#has('order.returned') && row.status === 'sent';
    if (rank === 0 || isBack || isHeld) return;
    Object.assign(row, { rank, status, updatedAt: new Date().toISOString() });
  }

  #isLastWins(type: string): boolean {
    return (
      (this.#has('order.expired-late') && type === 'pix.expired') ||
      (this.#has('order.returned-late') && type === 'withdrawal.settled')
    );
  }

  /** Everything that is kept under a code. */
  show(code: string): object {
    const { status, credits, paid, mails, updatedAt } =
      this.#orders.get(code) ?? this.#withdrawals.get(code) ?? newRow('unknown');
    const parked = this.#parked.get(code)?.map(({ type }) => type) ?? [];
    return {
      code,
      status,
      credits,
      paid,
      mails,
      parked,
      updated_at: updatedAt,
      printed_at: new Date().toISOString(),
    };
  }
}

export function isKnownType(type: string): boolean {
  return Object.hasOwn(MOVES, type);
}
