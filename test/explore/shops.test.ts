import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/testing/create-sandbox.js';
import type { FaultFields } from '../../src/testing/faults.js';
import type { Plant } from '../helpers/explore/plants.js';
import { PLANTS } from '../helpers/explore/plants.js';
import { Shop } from '../helpers/explore/shop.js';
import { Bank, runSuite, SUITE } from '../helpers/explore/suite.js';

const CREATE = { on: 'call', method: 'POST', path: '/api/public/v1/pix' } as const;
const FIRST_PAYMENT = { on: 'delivery', event: 'pix.settled', resource: 1, nth: 1 } as const;
const DUPLICATE = { ...FIRST_PAYMENT, action: 'duplicate' } as const;
const LOST_ANSWER = { ...FIRST_PAYMENT, action: 'lose-answer' } as const;
const STALE = { ...FIRST_PAYMENT, action: 'stale-expired' } as const;
const LATE = { ...FIRST_PAYMENT, action: 'late-payment' } as const;
const RESERIALIZED = { ...FIRST_PAYMENT, action: 'reserialized-body' } as const;
const RESTART = { ...FIRST_PAYMENT, action: 'restart', when: 'answered' } as const;
const LOST_RESPONSE = { ...CREATE, code: 'order-1', nth: 1, action: 'lose-response' } as const;

/** The faults that bring each mistake to light. */
const FAULTS: Readonly<Record<string, readonly FaultFields[]>> = {
  'no-deduplication': [DUPLICATE],
  race: [{ ...DUPLICATE, parallel: true }],
  'last-event-wins': [STALE],
  'expiry-wins': [STALE],
  'expired-is-final': [LATE],
  'parsed-body': [RESERIALIZED],
  'answered-before-stored': [RESTART],
  'drops-early-events': [{ ...CREATE, code: 'order-1', action: 'event-first' }],
  'new-code': [LOST_RESPONSE],
  'no-retry': [LOST_RESPONSE],
  'unknown-type': [{ ...FIRST_PAYMENT, action: 'unknown-type' }],
  'ids-in-memory': [RESTART, LOST_ANSWER],
  'skips-rows': [{ on: 'call', path: '/api/public/v1/accounts/*', nth: 1, action: 'insert-between-pages' }],
  'adds-twice': [DUPLICATE],
  'last-id-only': [STALE, LOST_ANSWER],
};

interface Ended {
  /** The suite's error, or what the shop answered where it must never answer that. */
  readonly failure: string | null;
  /** How often each fault fired. */
  readonly fired: readonly number[];
}

/** The tests of a shop's own suite, which does not know its bug. */
function testsOf(plant?: Plant): typeof SUITE {
  const names = plant?.tests ?? Object.keys(SUITE);
  return Object.fromEntries(Object.entries(SUITE).filter(([name]) => names.includes(name)));
}

/** Runs the suite once; the clock brings the attempts that faults put off. */
async function run(plant?: Plant, faults: readonly FaultFields[] = []): Promise<Ended> {
  let shop: Shop | undefined;
  const restart = async () => shop?.restart();
  await using sandbox = await createSandbox({ seed: '7', port: false, faults, restart });
  shop = new Shop({ env: sandbox.env, fetch: sandbox.fetch, plant: plant?.plant });
  const { fetch } = shop;
  const refused: string[] = [];
  sandbox.forwardTo({
    fetch: async (request) => {
      const response = await fetch(request);
      if (!response.ok) refused.push(`the shop answered ${response.status}`);
      return response;
    },
  });
  const patient = async (path: string, init?: never) => {
    if (path.includes('deliveries/wait')) {
      await sandbox.idle();
      await sandbox.clock.advance('1m');
    }
    return sandbox.fetch(path, init);
  };
  const error = await runSuite(shop, new Bank(patient), testsOf(plant)).then(
    () => null,
    (error: Error) => error.message,
  );
  const fired = (await sandbox.faults.list()).map((fault) => fault.fired);
  return { failure: error ?? refused[0] ?? null, fired };
}

describe('without faults the suite is green', () => {
  test.for([{ what: 'is right' }, ...PLANTS])('on a shop that $what', async (plant) => {
    expect((await run('plant' in plant ? plant : undefined)).failure).toBeNull();
  });
});

describe('the suite finds a shop that', () => {
  test.for(PLANTS)('$what', async (plant) => {
    const faults = FAULTS[plant.id] ?? [];
    const { failure, fired } = await run(plant, faults);
    expect([fired, failure]).toEqual([faults.map(() => 1), expect.any(String)]);
    expect(await run(undefined, faults)).toEqual({ failure: null, fired });
    for (const fault of faults.length > 1 ? faults : [])
      expect((await run(plant, [fault])).failure).toBeNull();
  });
});

describe('a right shop stays right under', () => {
  const delivered = ['pix.settled', 'pix.failed', 'pix.expired'].flatMap((event) =>
    (['duplicate', 'lose-answer', 'answer', 'unknown-type', 'restart'] as const).map(
      (action): FaultFields => ({ on: 'delivery', event, action, attempt: 1 }),
    ),
  );
  const called = (['lose-response', 'cut', 'reset', 'empty', 'status', 'rate-limit'] as const).map(
    (action): FaultFields => ({ on: 'call', action, count: 2 }),
  );
  const cases = [...delivered, ...called].map((fault) => ({ name: JSON.stringify(fault), fault }));
  test.for(cases)('$name', async ({ fault }) => {
    const { failure, fired } = await run(undefined, [fault]);
    expect([failure, fired[0]]).toEqual([null, expect.any(Number)]);
    expect(fired[0]).toBeGreaterThan(0);
  });
});
