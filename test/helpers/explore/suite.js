import assert from 'node:assert/strict';
import { centsOf } from './shop.js';

const PATIENCE = '4s';

/** The payer, the bank and the tester, by the control API; `fetch` takes a path. */
export class Bank {
  #fetch;

  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** The payer pays what the QR code says. */
  async pay({ qr_code }) {
    const { data } = await this.#call('GET', 'charges');
    const charge = data.find((one) => one.qr_code === qr_code);
    await this.#call('POST', `charges/${charge.id}/settle`);
  }

  fail(code) {
    return this.#call('POST', `charges/${code}/fail`, {});
  }

  expire(code) {
    return this.#call('POST', `charges/${code}/expire`);
  }

  /** Resolves once the event was delivered. */
  async delivered(type, code) {
    const { data } = await this.#call('GET', `events?type=${type}`);
    const event = data.find(({ resource }) => resource.code === code);
    assert.ok(event, `${type} of ${code} was not announced.`);
    const query = `event=${event.id}&status=DELIVERED&timeout=${PATIENCE}`;
    const { satisfied } = await this.#call('GET', `deliveries/wait?${query}`);
    assert.ok(satisfied, `${type} of ${code} was not delivered within ${PATIENCE}.`);
  }

  /** The sum of what was paid, in cents. */
  async paid() {
    const { data } = await this.#call('GET', 'charges?status=SETTLED');
    return data.reduce((sum, { amount }) => sum + centsOf(amount), 0);
  }

  /** The ids of the account's transactions. */
  async transactions() {
    const { data } = await this.#call('GET', 'ledger?limit=50');
    return data.map(({ id }) => id);
  }

  async #call(method, path, body) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await this.#fetch(`/_sandbox/${path}`, init);
    const answer = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${answer.error?.message}`);
    return answer;
  }
}

/** Fails where the test stands, in words that are the same with every version of Node. */
function same(actual, wanted) {
  const message = `expected ${wanted}; got ${actual}.`;
  if (actual !== wanted)
    throw new assert.AssertionError({ message, actual, expected: wanted, stackStartFn: same });
}

/** An order in words. */
async function held(shop, code) {
  const { status, parcels } = await shop.holds(code);
  return `${code} ${status}, parcels sent: ${parcels}`;
}

/** What a shop must do for its customers. The tests share the shop and are run in this order. */
export const SUITE = {
  async 'an order is paid'(shop, bank) {
    await bank.pay(await shop.buy('order-1', '49.90'));
    await bank.delivered('pix.settled', 'order-1');
    same(await held(shop, 'order-1'), 'order-1 paid, parcels sent: 1');
  },

  async 'a payment fails'(shop, bank) {
    await shop.buy('order-2', '20.00');
    await bank.fail('order-2');
    await bank.delivered('pix.failed', 'order-2');
    same(await held(shop, 'order-2'), 'order-2 failed, parcels sent: 0');
  },

  async 'an order expires and is paid late'(shop, bank) {
    const bought = await shop.buy('order-3', '10.00');
    await bank.expire('order-3');
    await bank.delivered('pix.expired', 'order-3');
    await bank.pay(bought);
    await bank.delivered('pix.settled', 'order-3');
    same(await held(shop, 'order-3'), 'order-3 paid late, parcels sent: 1');
  },

  async 'the turnover is what was paid'(shop, bank) {
    same(`${shop.turnover()} cents`, `${await bank.paid()} cents`);
  },

  async 'every transaction is booked'(shop, bank) {
    await shop.book();
    const earlier = await bank.transactions();
    await shop.book();
    const missing = earlier.filter((id) => !shop.disk.book.has(id));
    same(`${missing.length} missing transactions`, '0 missing transactions');
  },
};

/** Runs the tests one after the other; rejects with the error of the first that fails, which begins with the test's name. */
export async function runSuite(shop, bank, tests = SUITE) {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(shop, bank);
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    }
  }
}
