// Lives with many events in the pure core, each delivered at once, and tells what of them stays in memory.
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { apply } = await import(`${sources}core/apply.mjs`);
const { emptyWorld } = await import(`${sources}core/world.mjs`);
const { seedFromText } = await import(`${sources}core/ids.mjs`);
const { assume } = await import(`${sources}contract/assumptions.mjs`);
const { SCOPES } = await import(`${sources}contract/scopes.mjs`);

const START_MS = Date.UTC(2026, 0, 1);
const WARM_UP = 2_000;

class Life {
  constructor(keepDeliveries) {
    this.now = START_MS;
    this.world = emptyWorld(seedFromText('bench'), assume({}), START_MS, { keepDeliveries });
    this.app = this.do({
      type: 'app.create',
      name: 'shop',
      token: 'token',
      signingSecret: 'secret',
      scopes: SCOPES,
      openingBalanceCents: 0,
      organization: { name: 'shop', kycToken: null, publishableKey: null },
    }).result;
    const endpoint = {
      url: 'https://shop.example/',
      description: null,
      events: ['pix.settled'],
      secret: 'whsec_AAAA',
    };
    this.do({ type: 'endpoint.create', appId: this.app.id, endpoint });
  }

  do(command) {
    const applied = apply(this.world, command, this.now);
    if (applied.refusal !== undefined) throw applied.refusal;
    return applied;
  }

  deliver(command) {
    this.now += 5;
    for (const { type, delivery, number } of this.do(command).effects) {
      if (type !== 'attempt') continue;
      this.do({ type: 'delivery.attempted', deliveryId: delivery.id, number, status: 200, error: null });
    }
  }

  /** Texts of its own for each, as a request brings them. */
  settle(ordinal) {
    const { id: appId, accountId } = this.app;
    const fields = {
      code: `order-${ordinal}`,
      accountId,
      amountCents: 1_000,
      payerName: null,
      payerDocument: null,
    };
    const charge = structuredClone({ ...fields, metadata: {} });
    const { id } = this.do({ type: 'charge.create', appId, charge }).result.charge;
    this.deliver({ type: 'charge.settle', chargeId: id });
  }
}

function heapBytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Bytes for each of so many settled charges with their ledger, event and delivery; all are kept. */
function eachBytes(count) {
  const life = new Life(10 * count);
  for (let made = 0; made < WARM_UP; made += 1) life.settle(made);
  const before = heapBytes();
  for (let made = 0; made < count; made += 1) life.settle(WARM_UP + made);
  const bytes = (heapBytes() - before) / count;
  if (life.world.deliveries.rows.length !== WARM_UP + count)
    throw new Error('Expected to keep every delivery.');
  return bytes;
}

/** The heap when retention begins to drop, and after so many; the events are sent again, because their charges stay for ever. */
function flatBytes(count, keep) {
  const life = new Life(keep);
  for (let made = 0; made < WARM_UP; made += 1) life.settle(made);
  const resend = (times) => {
    for (let made = 0; made < times; made += 1) {
      const { rows } = life.world.events;
      life.deliver({ type: 'event.resend', eventId: rows[made % rows.length].id });
    }
  };
  resend(2 * keep);
  const first = heapBytes();
  resend(count - 2 * keep);
  const { deliveries, deliveryCount } = life.world;
  if (deliveries.rows.length > keep || deliveryCount !== WARM_UP + count)
    throw new Error('Expected retention to drop.');
  return { first, last: heapBytes() };
}

answering(async ({ count, keep }) => (keep === undefined ? eachBytes(count) : flatBytes(count, keep)));
