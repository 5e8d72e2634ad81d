import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { centsOf } from './shop.js';

/** What a query of the database takes. */
const DATABASE_MS = 5;
const KNOWN_TYPES = new Set(['pix.settled', 'pix.failed', 'pix.expired']);

/** The orders with another `take`, which gets an id that is new every time in place of the webhook's. */
function taking({ orders }, take) {
  return {
    orders: { ...orders, take: (id, event) => take(id, event, () => orders.take(randomUUID(), event)) },
  };
}

/** The orders whose events change what was known of the order before, each of them once. */
function forgetting({ orders }, forget) {
  const take = (id, event) => {
    const order = orders.find(event.data.object.code);
    if (order !== undefined && !order.ids?.has(id)) {
      forget(order, event);
      order.ids = new Set([...(order.ids ?? []), id]);
    }
    return orders.take(id, event);
  };
  return { orders: { ...orders, take } };
}

const PAID = 'an order is paid';

/**
 * The mistakes, one for each shop: what the shop does, what it should do instead, by which tests it is found, and how it is
 * planted.
 */
export const PLANTS = [
  {
    id: 'no-deduplication',
    size: 1,
    tests: [PAID],
    what: 'handles an event as often as it comes',
    fix: 'keep each webhook-id under a unique key, in the transaction that handles the event',
    plant: ({ disk }) => taking(disk, (_id, _event, handle) => handle()),
  },
  {
    id: 'race',
    size: 1,
    tests: [PAID],
    what: 'looks whether an id is known, and keeps it a moment later',
    fix: 'insert the id first, under a unique key, and handle the event only if that succeeds',
    plant: ({ disk }) => {
      disk.ids ??= new Set();
      return taking(disk, async (id, _event, handle) => {
        if (disk.ids.has(id)) return undefined;
        await setTimeout(DATABASE_MS);
        disk.ids.add(id);
        return handle();
      });
    },
  },
  {
    id: 'last-event-wins',
    size: 1,
    tests: [PAID],
    what: 'makes the status of an order that of its last event',
    fix: 'rank the states, and let no event lead back',
    plant: ({ disk }) =>
      forgetting(disk, (order) => {
        for (const fact of ['paidAt', 'isLate', 'failedAt', 'expiredAt']) delete order[fact];
      }),
  },
  {
    id: 'expiry-wins',
    size: 1,
    tests: [PAID],
    what: 'takes a paid order for expired once its expiry is announced',
    fix: 'let nothing but a return follow a payment',
    plant: ({ disk }) =>
      forgetting(disk, (order, { type }) => {
        if (type === 'pix.expired') delete order.paidAt;
      }),
  },
  {
    id: 'expired-is-final',
    size: 1,
    isCovered: true,
    tests: [PAID],
    what: 'closes an order when its charge expires, and ignores a payment that follows',
    fix: 'accept pix.settled after pix.expired: the payer has paid',
    plant: ({ disk: { orders } }) => {
      const take = (id, event) => {
        const order = orders.find(event.data.object.code);
        return order?.expiredAt === undefined ? orders.take(id, event) : undefined;
      };
      return { orders: { ...orders, take } };
    },
  },
  {
    id: 'parsed-body',
    size: 1,
    tests: [PAID],
    what: 'verifies the signature over the parsed body, serialized again',
    fix: 'verify the raw bytes, before anything parses them',
    plant: () => ({
      received: async (request) => {
        const { method, url, headers } = request;
        if (method !== 'POST') return request;
        return new Request(url, { method: 'POST', headers, body: JSON.stringify(await request.json()) });
      },
    }),
  },
  {
    id: 'answered-before-stored',
    size: 1,
    tests: [PAID],
    what: 'answers first, and stores the event from a queue in memory',
    fix: 'store the event before the answer, and work afterwards',
    plant: ({ disk, jobs, fulfil }) => {
      const take = (id, event) => {
        jobs.push(async () => {
          const paid = await disk.orders.take(id, event);
          if (paid !== undefined) fulfil(paid);
        });
      };
      return { orders: { ...disk.orders, take } };
    },
  },
  {
    id: 'drops-early-events',
    size: 1,
    tests: [PAID],
    what: 'keeps an order once its charge is there, and drops events of orders that it does not know',
    fix: 'keep the order before the call, or the event until the order is known',
    plant: ({ disk: { orders }, connect }) => {
      const api = connect();
      const createCharge = async (draft) => {
        const charge = await api.createCharge(draft);
        orders.open(draft.code, draft.amount);
        return charge;
      };
      const open = (code, amount) => orders.find(code) ?? { code, amount };
      return { api: { ...api, createCharge }, orders: { ...orders, open } };
    },
  },
  {
    id: 'new-code',
    size: 1,
    tests: [PAID],
    what: 'asks for a charge again under another code',
    fix: 'draw the code once, keep it with the order, and send the same one at every retry',
    plant: ({ connect }) => {
      const api = connect({ attempts: 1 });
      const createCharge = async (order) => {
        for (const suffix of ['', '-again']) {
          const charge = await api
            .createCharge({ ...order, code: order.code + suffix })
            .catch(() => undefined);
          if (charge !== undefined) return charge;
        }
        return api.createCharge({ ...order, code: `${order.code}-at-last` });
      };
      return { api: { ...api, createCharge } };
    },
  },
  {
    id: 'no-retry',
    size: 1,
    tests: [PAID],
    what: 'asks once, and gives up when the answer is lost',
    fix: 'send the same code again: it finds the charge that is there',
    plant: ({ connect }) => ({ api: connect({ attempts: 1 }) }),
  },
  {
    id: 'unknown-type',
    size: 1,
    tests: [PAID],
    what: 'answers 500 to types that it does not know',
    fix: 'acknowledge types that the application does nothing with',
    plant: ({ disk: { orders } }) => {
      const take = (id, event) => {
        if (!KNOWN_TYPES.has(event.type)) throw new TypeError(`There is no handler for ${event.type}.`);
        return orders.take(id, event);
      };
      return { orders: { ...orders, take } };
    },
  },
  {
    id: 'ids-in-memory',
    size: 2,
    tests: [PAID],
    what: 'keeps the ids of events in memory',
    fix: 'keep the ids where the effects are',
    plant: ({ disk }) => {
      const ids = new Set();
      return taking(disk, (id, _event, handle) => {
        if (ids.has(id)) return undefined;
        ids.add(id);
        return handle();
      });
    },
  },
  {
    id: 'skips-rows',
    size: 1,
    tests: [PAID, 'every transaction is booked'],
    what: 'asks for the newest transaction after it has read the pages, to go on from there',
    fix: 'go on from the newest row of the first page that was read',
    plant: () => ({
      bookedUpTo: async (_newest, api) => {
        for await (const { id } of api.transactions()) return id;
        return undefined;
      },
    }),
  },
  {
    id: 'adds-twice',
    size: 1,
    tests: [PAID, 'the turnover is what was paid'],
    what: 'adds to the turnover whenever it hears of a payment',
    fix: 'add in the transaction that keeps the webhook-id, or compute the sum from the orders',
    plant: ({ disk }) => {
      disk.cents ??= 0;
      const take = (id, event) => {
        const { code, amount } = event.data.object;
        const isOurs = disk.orders.find(code) !== undefined;
        if (event.type === 'pix.settled' && isOurs) disk.cents += centsOf(amount);
        return disk.orders.take(id, event);
      };
      return { orders: { ...disk.orders, take }, turnover: () => disk.cents };
    },
  },
  {
    id: 'last-id-only',
    size: 2,
    tests: [PAID],
    what: 'keeps only the last id of each order',
    fix: 'keep every webhook-id',
    plant: ({ disk }) => {
      disk.lastIds ??= new Map();
      return taking(disk, (id, { data }, handle) => {
        const { code } = data.object;
        if (disk.lastIds.get(code) === id) return undefined;
        disk.lastIds.set(code, id);
        return handle();
      });
    },
  },
];
