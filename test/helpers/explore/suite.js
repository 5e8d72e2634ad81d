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

/** What a shop must do for its customers. The tests share the shop and are run in this order. */
export const SUITE = {
  async 'an order is paid'(shop, bank) {
    await bank.pay(await shop.buy('order-1', '49.90'));
    await bank.delivered('pix.settled', 'order-1');
    assert.deepEqual(await shop.holds('order-1'), { status: 'paid', parcels: 1 });
  },

  async 'a payment fails'(shop, bank) {
    await shop.buy('order-2', '20.00');
    await bank.fail('order-2');
    await bank.delivered('pix.failed', 'order-2');
    assert.deepEqual(await shop.holds('order-2'), { status: 'failed', parcels: 0 });
  },

  async 'an order expires and is paid late'(shop, bank) {
    const bought = await shop.buy('order-3', '10.00');
    await bank.expire('order-3');
    await bank.delivered('pix.expired', 'order-3');
    await bank.pay(bought);
    await bank.delivered('pix.settled', 'order-3');
    assert.deepEqual(await shop.holds('order-3'), { status: 'paid late', parcels: 1 });
  },

  async 'the turnover is what was paid'(shop, bank) {
    assert.equal(shop.turnover(), await bank.paid());
  },

  async 'every transaction is booked'(shop, bank) {
    await shop.book();
    const earlier = await bank.transactions();
    await shop.book();
    const missing = earlier.filter((id) => !shop.disk.book.has(id));
    assert.deepEqual(missing, []);
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
