import { setTimeout as pause } from 'node:timers/promises';
import type { ShopEvent } from './orders.js';
import { isKnownType, Orders } from './orders.js';
import type { Has, ReceivedWebhook, Verify } from './webhook-verifier.js';
import { ownVerifier, Refusal } from './webhook-verifier.js';

const MOST_BYTES = 1_000_000;
const FEW_BYTES = 100_000;
const FEW_IDS = 500;
/** Of a transaction whose gap a mistake leaves open. */
const DATABASE_MS = 50;
const POOL = 12;
const FEW_CONNECTIONS = 4;
const ENVELOPE = new Set(['id', 'type', 'schema_version', 'timestamp', 'environment', 'data']);

export interface ShopOptions {
  readonly secret: string;
  /** The checks that must fail. */
  readonly mistakes?: readonly string[];
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
    const mistakes = new Set(options.mistakes);
    this.#options = options;
    this.#has = (mistake) => mistakes.has(mistake);
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
