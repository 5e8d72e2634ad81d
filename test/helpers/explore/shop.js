import { createOrders, isPaid } from '../../../fixtures/examples/shop/src/orders.js';
import { createPixApi } from '../../../fixtures/examples/shop/src/pix-api.js';
import { createShop } from '../../../fixtures/examples/shop/src/shop.js';

/** Few rows, so that a short account has several pages. */
const PAGE_SIZE = 2;
const PAUSE_MS = 1;
const ORIGIN = 'http://shop.localhost';

/**
 * The example shop, with a bookkeeping that reads the account page by page. `plant` puts a mistake into it; it is called at every
 * start, so what it keeps to itself is lost at a restart, and what it keeps in `disk` is not.
 */
export class Shop {
  #start;
  #running;

  constructor({ env, fetch, plant = () => ({}) }) {
    const connect = (options) =>
      createPixApi(env, { fetch, pageSize: PAGE_SIZE, pauseMs: PAUSE_MS, ...options });
    const disk = { orders: createOrders(), parcels: [], book: new Map(), bookedUpTo: undefined };
    const fulfil = ({ code }) => disk.parcels.push(code);
    this.disk = disk;
    this.#start = () => {
      const jobs = [];
      const planted = plant({ disk, connect, fulfil, jobs });
      const received = (request) => request;
      const parts = {
        received,
        orders: disk.orders,
        api: connect(),
        bookedUpTo: (newest) => newest,
        ...planted,
      };
      return { jobs, parts, app: createShop(env, { ...parts, fulfil, log: () => {} }) };
    };
    this.#running = this.#start();
  }

  /** Handles a request of the service or of a customer. */
  fetch = async (request) => {
    const { app, parts } = this.#running;
    return app.fetch(await parts.received(request));
  };

  /** Ends it and starts it again: what is not on disk is lost. */
  restart() {
    this.#running = this.#start();
  }

  /** The order, with the code that a customer pays; throws where the shop cannot take it. */
  async buy(code, amount) {
    const response = await this.#customer(`/orders/${code}`, {
      method: 'PUT',
      body: JSON.stringify({ amount }),
    });
    if (!response.ok)
      throw new Error(`The shop answers ${response.status} to ${code}: ${await response.text()}`);
    return response.json();
  }

  /** What the shop holds of an order, once its jobs are done. */
  async holds(code) {
    const { jobs } = this.#running;
    for (const job of jobs.splice(0)) await job();
    const response = await this.#customer(`/orders/${code}`);
    const { status } = response.ok ? await response.json() : { status: 'unknown' };
    return { status, parcels: this.disk.parcels.filter((one) => one === code).length };
  }

  /** What customers have paid, in cents. */
  turnover() {
    const { turnover, orders } = this.#running.parts;
    if (turnover !== undefined) return turnover();
    const paid = orders.all().filter(isPaid);
    return paid.reduce((sum, { amount }) => sum + centsOf(amount), 0);
  }

  /** Books what is new on the account. */
  async book() {
    const { api, bookedUpTo } = this.#running.parts;
    const { disk } = this;
    let newest;
    for await (const row of api.transactions()) {
      if (row.id === disk.bookedUpTo) break;
      newest ??= row.id;
      disk.book.set(row.id, row);
    }
    disk.bookedUpTo = (await bookedUpTo(newest, api)) ?? disk.bookedUpTo;
  }

  #customer(path, init) {
    return this.#running.app.fetch(new Request(ORIGIN + path, init));
  }
}

/** `"49.90"` is 4990. */
export function centsOf(amount) {
  return Number(amount.replace('.', ''));
}
