import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DeliveryFaultAction } from '../../src/contract/fault-kinds.js';
import { HOUR_MS } from '../../src/contract/time.js';
import type { World } from '../../src/core/world.js';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { deliveryFault } from '../helpers/core/fault-commands.js';
import { SECRET, settle, startSandbox, TestListener } from '../helpers/sandbox/sandbox.js';

const WHOLE_SCHEDULE_MS = 45 * HOUR_MS;
const FAULTS: readonly DeliveryFaultAction[] = ['duplicate', 'stale-expired', 'two-signatures'];

/** Every place where something may throw while an attempt is prepared, made or reported. */
const PLACES = [
  'creating the body',
  'signing',
  'signing a stale message',
  'checking the destination',
  'sending to a listener immediately',
  'sending to a listener',
  'the connection of a listener',
  'keeping',
  'storing the record',
  'telling a subscriber',
] as const;
type Place = (typeof PLACES)[number];

let bugs: string[] = [];

beforeEach(() => {
  bugs = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void bugs.push(String(warning)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A sandbox with two listeners and an endpoint whose host does not resolve, in which one call in so many throws at these places. */
function fragileSandbox(places: readonly Place[], oneIn: number) {
  let calls = 0;
  let isOver = false;
  const isHit = (place: Place) => {
    if (isOver || !places.includes(place)) return false;
    calls += 1;
    return calls % oneIn === 0;
  };
  const hit = (place: Place) => {
    if (isHit(place)) throw new Error(place);
  };
  const routes = new Map<string, string>();
  routes.get = () => {
    hit('checking the destination');
    return undefined;
  };
  const sandbox = startSandbox({
    policy: { routes, allowLocalEndpoints: false, resolve: () => Promise.resolve([]) },
    journal: {
      append: () => {},
      flushed: () => (isHit('keeping') ? Promise.reject(new Error('keeping')) : Promise.resolve()),
    },
  });
  const listeners = ['one', 'two'].map((name) => new TestListener(sandbox, { name }));
  for (const { endpoint, received } of listeners) {
    sandbox.listeners.attach(endpoint.id, (attempt) => {
      hit('the connection of a listener');
      received.push(attempt);
      const listener = listeners.find((one) => one.endpoint === endpoint);
      setImmediate(() => {
        // The stale message is signed right after the attempt that it follows.
        if (isHit('signing a stale message')) endpoint.secret = '';
        listener?.answer(attempt);
      });
    });
  }
  const deliver = sandbox.listeners.deliver.bind(sandbox.listeners);
  sandbox.listeners.deliver = (...args) => {
    hit('sending to a listener immediately');
    return isHit('sending to a listener')
      ? Promise.reject(new Error('sending to a listener'))
      : deliver(...args);
  };
  const add = sandbox.epoch.records.add.bind(sandbox.epoch.records);
  sandbox.epoch.records.add = (...args) => {
    hit('storing the record');
    add(...args);
  };
  const appId = sandbox.world.apps.rows[0]?.id ?? '';
  const endpoint = { url: 'https://gone.example/', description: null, events: EVENT_TYPES, secret: SECRET };
  sandbox.dispatch({ type: 'endpoint.create', appId, endpoint });
  sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type === 'event' && isHit('creating the body')) spoil(effect.event.resource);
      if (effect.type === 'endpoint') continue;
      for (const one of sandbox.world.endpoints.values()) one.secret = isHit('signing') ? '' : SECRET;
    }
    hit('telling a subscriber');
  });
  const mend = () => {
    isOver = true;
    for (const one of sandbox.world.endpoints.values()) one.secret = SECRET;
  };
  return { sandbox, listeners, mend };
}

/** An amount that cannot be written. */
function spoil(resource: { amountCents: number }): void {
  resource.amountCents = 0.5;
}

function deliveriesOf({ deliveries }: World) {
  return deliveries.rows.map(({ id, status, inFlight, attempts, log, nextAttemptAt }) => ({
    id,
    isOpen: status === 'PENDING' || inFlight || nextAttemptAt !== null,
    lost: attempts - log.length,
  }));
}

async function liveThrough(sandbox: Sandbox): Promise<void> {
  for (const event of ['withdrawal.failed', 'pix.settled'] as const)
    sandbox.dispatch({ type: 'trigger', event });
  await sandbox.travel.advanceTo(sandbox.clock.now() + WHOLE_SCHEDULE_MS);
}

describe('an exception during attempts', () => {
  test('leaves nothing in flight, and does not block the clock or later deliveries', async () => {
    const anyPlaces = fc.subarray([...PLACES], { minLength: 1 });
    const seen = new Set<string | null>();
    await fc.assert(
      fc.asyncProperty(
        anyPlaces,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (places, oneIn, faulty) => {
          const { sandbox, listeners, mend } = fragileSandbox(places, oneIn);
          if (faulty)
            for (const action of FAULTS)
              sandbox.dispatch({ type: 'fault.add', fault: deliveryFault(action) });
          await liveThrough(sandbox);
          expect(sandbox.epoch.openAttempts).toBe(0);
          const { world } = sandbox;
          expect(deliveriesOf(world).filter(({ isOpen, lost }) => isOpen || lost !== 0)).toEqual([]);
          for (const { log } of world.deliveries.rows) for (const { error } of log) seen.add(error);
          mend();
          settle(sandbox);
          await sandbox.idle();
          const last = world.deliveries.rows
            .slice(-3)
            .map(({ endpointId, status }) => ({ endpointId, status }));
          expect(
            last.filter(({ endpointId }) => listeners.some(({ endpoint: { id } }) => id === endpointId)),
          ).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
        },
      ),
      { numRuns: 40 },
    );
    expect([...seen]).toEqual(expect.arrayContaining([null, 'DNS_FAILED', 'SANDBOX_FAILED']));
  });

  test.each(PLACES)('prints %s in our own output', async (place) => {
    const { sandbox } = fragileSandbox([place], 1);
    sandbox.dispatch({ type: 'fault.add', fault: deliveryFault('stale-expired') });
    await liveThrough(sandbox);
    expect(bugs.length).toBeGreaterThan(0);
  });

  test('an internal error during an attempt is reported with its own code, and retried', async () => {
    const { sandbox, mend } = fragileSandbox(['sending to a listener'], 1);
    settle(sandbox);
    await sandbox.idle();
    const [delivery] = sandbox.world.deliveries.rows;
    expect(delivery).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      inFlight: false,
      lastError: 'SANDBOX_FAILED',
    });
    expect(sandbox.epoch.records.get(delivery?.id ?? '', 1)?.result).toMatchObject({
      error: 'SANDBOX_FAILED',
      detail: 'sending to a listener',
    });
    mend();
    await sandbox.travel.next();
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 2 });
  });
});
