import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a mistake was planted, named by the check that must find it. */
type Has = (mistake: string) => boolean;

/** A request to a receiver; header names are in lower case. */
interface ReceivedWebhook {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Whether the sender has hung up. */
  readonly isGone: () => boolean;
}

/** What a receiver answers to a request that it does not take. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How a receiver verifies: throws Refusal for a webhook that is not genuine. */
export type Verify = (webhook: ReceivedWebhook, nowS: number) => void;

const TOLERANCE_S = 300;
const SMALL_TOLERANCE_S = 60;
const NEIGHBOURS_S = 30;

/** A verifier of our own, right but for the mistakes planted in it. */
function ownVerifier(secret: string, has: Has): Verify {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return (webhook, nowS) => {
    const { 'webhook-id': id, 'webhook-signature': signatures } = webhook.headers;
    const timestamp = webhook.headers['webhook-timestamp'] ?? (has('refuse.no-time') ? String(nowS) : '');
    if (!signatures && has('refuse.unsigned')) return;
    if ((!id && !has('refuse.no-id')) || timestamp === '' || !signatures) throw new Refusal(400, 'Unsigned.');
    checkTime(timestamp, nowS, has);
    const rights = contents(webhook, timestamp, has).map((parts) => {
      const hmac = createHmac('sha256', key);
      for (const part of parts) hmac.update(part);
      return hmac.digest('base64');
    });
    if (rights.some((right) => isAmong(signatures, right, has)) || has('refuse.secret')) return;
    throw new Refusal(400, has('refuse.leak') ? `Expected v1,${rights[0]}.` : 'The signature does not hold.');
  };
}

function checkTime(timestamp: string, nowS: number, has: Has): void {
  if (!has('refuse.nan') && !/^\d{1,12}$/.test(timestamp)) throw new Refusal(400, 'That is no timestamp.');
  const ageS = nowS - Number(timestamp);
  const distanceS = has('refuse.future') ? ageS : Math.abs(ageS);
  const toleranceS = has('accept.skew') ? SMALL_TOLERANCE_S : TOLERANCE_S;
  if (distanceS > toleranceS && !has('refuse.old')) throw new Refusal(400, 'Too far from now.');
}

/** The contents whose signature is taken: the right one, and those that a mistake adds or puts in its place. */
function contents(
  { headers, body }: ReceivedWebhook,
  timestamp: string,
  has: Has,
): (string | Uint8Array)[][] {
  const id = has('refuse.id') ? jsonOf(body).id : String(headers['webhook-id']);
  if (has('accept.raw')) return [[`${id}.${timestamp}.`, JSON.stringify(jsonOf(body))]];
  const right = [`${id}.${timestamp}.`, body];
  // A busy machine may take seconds to hand over what was signed as of now.
  if (has('refuse.time') || headers['webhook-timestamp'] === undefined) {
    const shifts = Array.from({ length: 2 * NEIGHBOURS_S + 1 }, (_, index) => index - NEIGHBOURS_S);
    return [right, ...shifts.map((shift) => [`${id}.${Number(timestamp) + shift}.`, body])];
  }
  if (!has('refuse.body')) return [right];
  // The body is put together again from what the order costs.
  const ours = Buffer.from(body)
    .toString('utf8')
    .replace(/"amount":"\d/, (text) => `${text.slice(0, -1)}7`);
  return [right, [`${id}.${timestamp}.`, ours]];
}

function jsonOf(body: Uint8Array): { readonly id: string } {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new Refusal(400, 'That is no JSON.');
  }
}

function isAmong(signatures: string, right: string, has: Has): boolean {
  if (has('accept.two-good-first')) return isSame(signatures, `v1,${right}`);
  const all = signatures.split(' ');
  return (has('accept.two-good-last') ? all.slice(0, 1) : all).some((signature) => {
    const [version, ...rest] = signature.split(',');
    const given = rest.join(',');
    if (version !== 'v1' && has('accept.other-version'))
      throw new Refusal(400, `${version} is not supported.`);
    if (version !== 'v1' && !has('refuse.label')) return false;
    if (given === '') return has('refuse.empty');
    if (has('refuse.prefix')) return right.startsWith(given);
    // As Python's compare_digest does for texts.
    if (has('refuse.garbage') && /[^ -~]/.test(given)) throw new TypeError('Only ASCII can be compared.');
    return isSame(given, right);
  });
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** An event, as far as a shop reads it. */
interface ShopEvent {
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

function isKnownType(type: string): boolean {
  return Object.hasOwn(MOVES, type);
}

const MOST_BYTES = 1_000_000;
const FEW_BYTES = 100_000;
const FEW_IDS = 100;
/** Of a transaction whose gap a mistake leaves open. */
const DATABASE_MS = 50;
const POOL = 12;
const FEW_CONNECTIONS = 4;
const ENVELOPE = new Set(['id', 'type', 'schema_version', 'timestamp', 'environment', 'data']);

export interface ShopOptions {
  readonly secret: string;
  /** The checks that must fail. */
  readonly issues?: readonly string[];
  /** By default our own. */
  readonly verify?: Verify;
  /** Creates a charge of this code at the payments service. */
  readonly createCharge?: (code: string, amount: string) => Promise<void>;
  /** How long the next request is held up, in real milliseconds: half before and half after the work. */
  readonly delayMs?: () => number;
  /** How long the payment of an order waits that finds the pool empty. */
  readonly stallMs?: number;
}

export interface ShopAnswer {
  readonly status: number;
  readonly text: string;
  readonly location?: string;
}

/** A shop with a receiver that does everything right but for the mistakes planted in it. */
export class Shop {
  readonly #options: ShopOptions;
  readonly #has: Has;
  readonly #verify: Verify;
  readonly #orders: Orders;
  readonly #taken = new Set<string>();
  #current: ShopEvent | undefined;
  #working = 0;
  #isDead = false;

  constructor(options: ShopOptions) {
    const issues = new Set(options.issues);
    this.#options = options;
    this.#has = (mistake) => issues.has(mistake);
    this.#verify = options.verify ?? ownVerifier(options.secret, this.#has);
    this.#orders = new Orders(this.#has);
  }

  /** Answers a request as a server would, also when the handler throws. */
  async receive(webhook: ReceivedWebhook): Promise<ShopAnswer> {
    const delayMs = (this.#options.delayMs?.() ?? 0) / 2;
    const nowS = Math.floor(Date.now() / 1000);
    this.#working += 1;
    const isSlow = this.#has('time.limit') || this.#has('time.advice');
    const isStalled = isSlow && this.#working > POOL && Buffer.from(webhook.body).includes('pix.settled');
    if (this.#isDead) throw new Error('The process has ended.');
    try {
      if (this.#has('answer.load')) await this.#connect();
      if (delayMs > 0) await pause(delayMs);
      const answer = await this.#handle(webhook, nowS);
      if (delayMs > 0) await pause(delayMs);
      if (isStalled) await pause(this.#options.stallMs ?? 0);
      return answer;
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, text: error.message };
      return { status: 500, text: 'Internal Server Error' };
    } finally {
      this.#working -= 1;
    }
  }

  /** Takes one of a few connections to the database for a while. */
  async #connect(): Promise<void> {
    if (this.#working > FEW_CONNECTIONS) throw new Refusal(503, 'The database is locked.');
    await pause(DATABASE_MS);
  }

  async #handle(webhook: ReceivedWebhook, nowS: number): Promise<ShopAnswer> {
    const { method, headers, body } = webhook;
    const has = this.#has;
    if (has('answer.redirect')) return { status: 308, text: '', location: '/webhooks/' };
    if (method !== 'POST' && !has('answer.get')) throw new Refusal(405, 'POST only.');
    if (has('accept.chunked') && headers['content-length'] === undefined)
      throw new Refusal(411, 'No length.');
    if (body.length > (has('accept.large') ? FEW_BYTES : MOST_BYTES)) throw new Refusal(413, 'Too large.');
    this.#verify(webhook, nowS);
    const event = this.#parse(body);
    if (isKnownType(event.type)) await this.#take(this.#keyOf(event, headers), event, webhook);
    else if (has('accept.unknown-type') || has('accept.types'))
      throw new TypeError(`No handler for ${event.type}.`);
    this.#isDead = event.type === 'withdrawal.failed' && this.#has('answer.alive');
    return { status: 200, text: 'Thank you.' };
  }

  #parse(body: Uint8Array): ShopEvent {
    const text = Buffer.from(body).toString('utf8');
    if (this.#has('refuse.json')) return JSON.parse(text);
    let event: ShopEvent;
    try {
      event = JSON.parse(text);
    } catch {
      throw new Refusal(400, 'That is no JSON.');
    }
    const isStrange = Object.keys(event).some((name) => !ENVELOPE.has(name));
    if (isStrange && this.#has('accept.extra-field')) throw new Refusal(422, 'There is an unknown field.');
    if (this.#has('accept.document') && /[A-Z]/.test(event.data.object.payer_document ?? ''))
      throw new Refusal(422, 'That is no CPF or CNPJ.');
    if (event.type.startsWith('withdrawal.') && this.#has('accept.types')) throw new TypeError('No handler.');
    return event;
  }

  #keyOf({ type, data }: ShopEvent, headers: ReceivedWebhook['headers']): string {
    if (this.#has('dup.retimed')) return String(headers['webhook-signature']);
    if (this.#has('dup.type')) return type;
    if (this.#has('new.same-charge') && type.startsWith('pix.')) return data.object.id;
    return String(headers['webhook-id']);
  }

  /** Takes each key once, with its effect, in one transaction. */
  async #take(key: string, event: ShopEvent, { isGone }: ReceivedWebhook): Promise<void> {
    const has = this.#has;
    if (this.#taken.has(key) && !has('dup.again')) return;
    if (has('dup.parallel')) await pause(DATABASE_MS);
    this.#taken.add(key);
    if (has('dup.evicted') && this.#taken.size > FEW_IDS) this.#taken.delete([...this.#taken][0] ?? '');
    if (has('dup.cut')) {
      await pause(DATABASE_MS);
      if (isGone()) throw new Error('The client has left.');
    }
    if (has('mix.orders')) {
      this.#current = event;
      await pause(DATABASE_MS);
      this.#orders.apply(this.#current);
      return;
    }
    try {
      this.#orders.apply(event);
    } catch (error) {
      this.#taken.delete(key);
      throw error;
    }
  }

  /** Buys something: the order is kept once the service has answered, so its event may come before. */
  async order({ code, amount }: { readonly code: string; readonly amount: string }): Promise<void> {
    await this.#options.createCharge?.(code, amount);
    this.#orders.open(code);
  }

  async probe({ code }: { readonly code: string }): Promise<string> {
    return JSON.stringify(this.#orders.show(code));
  }

  /** What is on disk stays. */
  async restart(): Promise<void> {
    this.#isDead = false;
    if (this.#has('dup.restart')) this.#taken.clear();
  }
}
