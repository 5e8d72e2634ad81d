import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { centsOf } from './shop.js';

/** What a query of the database takes. */
const DATABASE_MS = 5;
const KNOWN_TYPES = new Set(['pix.settled', 'pix.failed', 'pix.expired']);

/** Replaces `applyEvent`; the original gets a new id every time instead of the webhook-id. */
function applying({ orders }, applyEvent) {
  return {
    orders: {
      ...orders,
      applyEvent: (id, event) => applyEvent(id, event, () => orders.applyEvent(randomUUID(), event)),
    },
  };
}

/** The orders whose events change what was known of the order before, each of them once. */
function forgetting({ orders }, forget) {
  const applyEvent = (id, event) => {
    const order = orders.find(event.data.object.code);
    if (order !== undefined && !order.ids?.has(id)) {
      forget(order, event);
      order.ids = new Set([...(order.ids ?? []), id]);
    }
    return orders.applyEvent(id, event);
  };
  return { orders: { ...orders, applyEvent } };
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
    what: 'handles every delivery of an event',
    fix: 'store each webhook-id under a unique key, in the transaction that handles the event',
    plant: ({ disk }) => applying(disk, (_id, _event, handle) => handle()),
  },
  {
    id: 'race',
    size: 1,
    tests: [PAID],
    what: 'checks for a known id, and stores it a moment later',
    fix: 'insert the id first, under a unique key, and handle the event only if that succeeds',
    plant: ({ disk }) => {
      disk.ids ??= new Set();
      return applying(disk, async (id, _event, handle) => {
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
    what: 'sets the order status from the last event',
    fix: 'rank the states, and never move back',
    plant: ({ disk }) =>
      forgetting(disk, (order) => {
        for (const fact of ['paidAt', 'isLate', 'failedAt', 'expiredAt']) delete order[fact];
      }),
  },
  {
    id: 'expiry-wins',
    size: 1,
    tests: [PAID],
    what: 'marks a paid order as expired after an expiry event',
    fix: 'after a payment, allow only a return',
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
    what: 'closes an order when its charge expires, and ignores a later payment',
    fix: 'accept pix.settled after pix.expired: the payer has paid',
    plant: ({ disk: { orders } }) => {
      const applyEvent = (id, event) => {
        const order = orders.find(event.data.object.code);
        return order?.expiredAt === undefined ? orders.applyEvent(id, event) : undefined;
      };
      return { orders: { ...orders, applyEvent } };
    },
  },
  {
    id: 'parsed-body',
    size: 1,
    tests: [PAID],
    what: 'verifies the signature of the re-serialized body',
    fix: 'verify the raw bytes before parsing them',
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
    what: 'responds before it stores the event from an in-memory queue',
    fix: 'store the event before the response, and process it afterwards',
    plant: ({ disk, jobs, fulfil }) => {
      const applyEvent = (id, event) => {
        jobs.push(async () => {
          const paid = await disk.orders.applyEvent(id, event);
          if (paid !== undefined) fulfil(paid);
        });
      };
      return { orders: { ...disk.orders, applyEvent } };
    },
  },
  {
    id: 'drops-early-events',
    size: 1,
    tests: [PAID],
    what: 'stores an order only after its charge exists, and drops events of unknown orders',
    fix: 'store the order before sending the API request, or store the event until the order is known',
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
    what: 'retries a charge with another code',
    fix: 'generate the code once, store it with the order, and repeat it in every retry',
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
    what: 'sends a request once, and gives up after a lost response',
    fix: 'send the same code again: it returns the existing charge',
    plant: ({ connect }) => ({ api: connect({ attempts: 1 }) }),
  },
  {
    id: 'unknown-type',
    size: 1,
    tests: [PAID],
    what: 'responds 500 to unknown types',
    fix: 'acknowledge unknown types',
    plant: ({ disk: { orders } }) => {
      const applyEvent = (id, event) => {
        if (!KNOWN_TYPES.has(event.type)) throw new TypeError(`There is no handler for ${event.type}.`);
        return orders.applyEvent(id, event);
      };
      return { orders: { ...orders, applyEvent } };
    },
  },
  {
    id: 'ids-in-memory',
    size: 2,
    tests: [PAID],
    what: 'stores webhook-ids in memory',
    fix: 'store the ids in the same database as the effects',
    plant: ({ disk }) => {
      const ids = new Set();
      return applying(disk, (id, _event, handle) => {
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
    what: 'requests the newest transaction after reading the pages, and continues from there',
    fix: 'continue from the newest row of the first page',
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
    what: 'adds to the turnover at every payment event',
    fix: 'update the turnover in the transaction that stores the webhook-id, or compute it from the orders',
    plant: ({ disk }) => {
      disk.cents ??= 0;
      const applyEvent = (id, event) => {
        const { code, amount } = event.data.object;
        const isOurs = disk.orders.find(code) !== undefined;
        if (event.type === 'pix.settled' && isOurs) disk.cents += centsOf(amount);
        return disk.orders.applyEvent(id, event);
      };
      return { orders: { ...disk.orders, applyEvent }, turnover: () => disk.cents };
    },
  },
  {
    id: 'last-id-only',
    size: 2,
    tests: [PAID],
    what: 'stores only the last webhook-id of each order',
    fix: 'store every webhook-id',
    plant: ({ disk }) => {
      disk.lastIds ??= new Map();
      return applying(disk, (id, { data }, handle) => {
        const { code } = data.object;
        if (disk.lastIds.get(code) === id) return undefined;
        disk.lastIds.set(code, id);
        return handle();
      });
    },
  },
];
