import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listFiredKinds } from '../../../src/contract/fault-kinds.js';
import { INCIDENTS } from '../../../src/contract/incidents.js';
import { HOUR_MS, MINUTE_MS, parseDuration } from '../../../src/contract/time.js';
import { applyCommand, type Command, type CommandType, type ResultOf } from '../../../src/core/apply.js';
import { nextAgendaItem } from '../../../src/core/due.js';
import { readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { INCIDENT, listRunningIncidents } from '../../../src/core/webhooks/incidents.js';
import type { Delivery, World } from '../../../src/core/world.js';
import { callFault } from '../../helpers/core/fault-commands.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';
import { tries } from '../../helpers/soak-scale.js';
import { thrownBy } from '../../helpers/thrown-by.js';
import { Refusal } from '../../../src/contract/refusals.js';

const NAMES = Object.keys(INCIDENTS);
const REQUEST = { api: 'api', method: 'POST', path: '/api/public/v1/pix' } as const;
const parse = (body: object) => readBodyOrRefuse(INCIDENT, body);

/** What a run draws: times in ms after the start. */
interface Drawn {
  readonly seed: string;
  readonly name: string;
  readonly schedule: 'real' | 'fast';
  readonly orders: readonly number[];
  readonly incidentAt: number;
  /** The incident is stopped after this time, or ends by itself. */
  readonly stopAfter: number | null;
}

const anyRun = (name: string): fc.Arbitrary<Drawn> =>
  fc.record({
    seed: fc.string(),
    name: fc.constant(name),
    schedule: fc.constantFrom('real', 'fast'),
    orders: fc.array(fc.nat(4 * HOUR_MS), { minLength: 1, maxLength: 12 }),
    incidentAt: fc.nat(HOUR_MS),
    stopAfter: fc.option(fc.nat(3 * HOUR_MS)),
  });

/** A shop that resends failed requests a minute later, and a receiver that accepts what reaches it. */
class Shop extends TestWorld {
  readonly commands: (readonly [now: number, command: Command])[] = [];
  readonly received: string[] = [];
  readonly refused: number[] = [];
  /** Commands between two replacements of the world by its export; 0 for none. */
  everyImport = 0;

  override do<Type extends CommandType>(command: Command<Type>): ResultOf<Type> {
    // The constructor of the base class adds an application before `commands` exists.
    (this.commands as unknown[] | undefined)?.push([this.now, structuredClone(command)]);
    return super.do(command);
  }

  run({ name, schedule, orders, incidentAt, stopAfter }: Drawn): this {
    this.endpoint({ schedule });
    const plan = [
      ...orders.map((at, index) => [at, () => this.#order(`order-${index}`)] as const),
      [incidentAt, () => void this.do({ type: 'incident.start', ...parse({ name }) })] as const,
    ];
    if (stopAfter !== null)
      plan.push([incidentAt + stopAfter, () => void this.do({ type: 'incident.stop', name: null })]);
    this.#plan.push(...plan);
    while (this.#step());
    return this;
  }

  readonly #plan: (readonly [at: number, act: () => void])[] = [];
  #steps = 0;

  /** Moves to whatever comes next; false when nothing is left. */
  #step(): boolean {
    this.#steps += 1;
    if (this.everyImport > 0 && this.#steps % this.everyImport === 0)
      Object.assign(this, { world: importWorld(JSON.parse(JSON.stringify(exportWorld(this.world)))) });
    const planned = this.#plan.toSorted((a, b) => a[0] - b[0])[0];
    const due = nextAgendaItem(this.world)?.at ?? Infinity;
    const at = Math.min(due, planned === undefined ? Infinity : START_MS + planned[0]);
    if (at === Infinity || this.world.deliveries.rows.length > 1_000) return false;
    this.now = Math.max(this.now, at);
    this.tick();
    this.#receive();
    if (planned !== undefined && START_MS + planned[0] <= this.now) {
      this.#plan.splice(this.#plan.indexOf(planned), 1);
      planned[1]();
      this.#receive();
    }
    return true;
  }

  #order(code: string): void {
    const fired = this.do({ type: 'fault.on-call', call: REQUEST });
    if (listFiredKinds('call', fired, 'respond').length > 0) {
      this.refused.push(this.now - START_MS);
      this.#plan.push([this.now - START_MS + MINUTE_MS, () => this.#order(code)]);
      return;
    }
    this.do({ type: 'charge.settle', chargeId: this.charge({ code }).id });
  }

  #receive(): void {
    for (const delivery of this.world.deliveries.rows.filter(({ inFlight }) => inFlight)) {
      const isLost = listFiredKinds('delivery', delivery.faults, 'fail').length > 0;
      if (!isLost) this.received.push(delivery.event.resource.code);
      const outcome = isLost ? ({ status: null, error: 'CONNECTION_RESET' } as const) : ACCEPTED;
      const { id: deliveryId, attempts: number } = delivery;
      this.do({ type: 'delivery.attempted', deliveryId, number, ...outcome });
    }
  }
}

const ACCEPTED = { status: 200, error: null } as const;
const runs = () => ({ numRuns: tries({ part: 6, whole: 300 }) });
const outputOf = (shop: Shop) => JSON.stringify([exportWorld(shop.world), shop.attempts, shop.received]);

describe.each(NAMES)('the incident %s', (name) => {
  const durationMs = parseDuration(INCIDENTS[name]?.duration ?? '') ?? 0;

  test('loses no event, however orders arrive', () => {
    fc.assert(
      fc.property(anyRun(name), (drawn) => {
        const shop = new Shop({ seed: drawn.seed }).run(drawn);
        const codes = drawn.orders.map((_, index) => `order-${index}`);
        expect(shop.received.toSorted()).toEqual(codes.toSorted());
        const rows: readonly Delivery[] = shop.world.deliveries.rows;
        expect(rows.map(({ status }) => status)).toEqual(drawn.orders.map(() => 'DELIVERED'));
        expect(shop.world.faults.size).toBe(0);
        const endAt = drawn.incidentAt + Math.min(drawn.stopAfter ?? durationMs, durationMs);
        for (const at of shop.refused) expect(at >= drawn.incidentAt && at <= endAt).toBe(true);
      }),
      runs(),
    );
  });

  test('repeats byte for byte, from its commands and from states in between', () => {
    fc.assert(
      fc.property(anyRun(name), fc.integer({ min: 1, max: 9 }), (drawn, everyImport) => {
        const shop = new Shop({ seed: drawn.seed }).run(drawn);
        expect(outputOf(new Shop({ seed: drawn.seed }).run(drawn))).toBe(outputOf(shop));
        const imported = Object.assign(new Shop({ seed: drawn.seed }), { everyImport }).run(drawn);
        expect(JSON.parse(outputOf(imported))).toEqual(JSON.parse(outputOf(shop)));
        expect(replay(drawn.seed, shop.commands)).toEqual(exportWorld(shop.world));
      }),
      runs(),
    );
  });
});

function replay(seed: string, commands: Shop['commands']) {
  const world: World = new TestWorld({ seed }).world;
  for (const [now, command] of commands) applyCommand(world, command, now);
  return exportWorld(world);
}

test('holds webhooks until the incident ends, and then sends them in order', () => {
  const shop = new Shop();
  shop.endpoint();
  shop.do({ type: 'incident.start', ...parse({ name: 'webhooks-delayed' }) });
  const codes = ['a', 'b', 'c'];
  for (const code of codes) {
    shop.pass(20 * MINUTE_MS);
    shop.do({ type: 'charge.settle', chargeId: shop.charge({ code }).id });
  }
  expect(shop.attempts).toEqual([]);
  shop.pass(3 * HOUR_MS);
  const sent = shop.attempts.map(({ deliveryId, at }) => [
    shop.world.deliveries.byId.get(deliveryId)?.event.resource.code,
    at - START_MS,
  ]);
  expect(sent).toEqual(codes.map((code) => [code, 2 * HOUR_MS]));
});

test('half-down affects exactly every second request and attempt', () => {
  const shop = new Shop();
  shop.endpoint();
  shop.do({ type: 'incident.start', ...parse({ name: 'half-down' }) });
  const fired = [1, 2, 3, 4].map(() => shop.do({ type: 'fault.on-call', call: REQUEST }).length);
  expect(fired).toEqual([0, 1, 0, 1]);
  const deliveries = [1, 2, 3, 4].flatMap(() => shop.announce());
  expect(deliveries.map(({ faults }) => faults.length)).toEqual([0, 1, 0, 1]);
});

describe('incidents', () => {
  const started = (body: object = { name: 'half-down' }) => {
    const life = new TestWorld();
    life.do({ type: 'fault.add', fault: callFault('reset') });
    life.do({ type: 'incident.start', ...parse(body) });
    return life;
  };

  test('are listed by their faults until the last one ends, or until they are stopped', () => {
    const life = started();
    life.do({ type: 'incident.start', ...parse({ name: 'api-down', duration: '1m' }) });
    const running = () => listRunningIncidents(life.world).map(({ name, faults }) => [name, faults.length]);
    expect(running()).toEqual([
      ['half-down', 2],
      ['api-down', 1],
    ]);
    expect(listRunningIncidents(life.world)[1]).toMatchObject({
      from: START_MS,
      until: START_MS + MINUTE_MS,
    });
    life.pass(MINUTE_MS);
    expect(running()).toEqual([['half-down', 2]]);
    expect(life.do({ type: 'incident.stop', name: 'half-down' })).toMatchObject([{ name: 'half-down' }]);
    expect(life.do({ type: 'incident.stop', name: null })).toEqual([]);
    expect(life.world.faults.size).toBe(1);
  });

  test('are refused while they run, beyond the fault limit, or if they are unknown', () => {
    const life = started();
    const again = life.refuse({ type: 'incident.start', ...parse({ name: 'half-down' }) });
    expect([again.code, again.message]).toEqual([
      'INVALID_TRANSITION',
      'The incident half-down is already running until 2026-01-01T12:30:00.000Z.',
    ]);
    const many = {
      name: 'many',
      durationMs: 1,
      faults: Array.from({ length: 198 }, () => callFault('reset')),
    };
    expect(life.refuse({ type: 'incident.start', ...many }).code).toBe('INVALID_REQUEST');
    expect(life.refuse({ type: 'incident.stop', name: 'api-down' }).code).toBe('NOT_FOUND');
  });

  test('can have their own faults', () => {
    const faults = [{ action: 'hold' }, { action: 'status', status: 503, every: 3 }];
    const life = started({ name: 'bank', description: 'ours', duration: '10m', faults });
    const [, ...own] = life.world.faults.values();
    const window = { from: START_MS, until: START_MS + 10 * MINUTE_MS, incident: 'bank' };
    expect(own).toMatchObject([window, { ...window, match: { every: 3 } }]);
  });

  test.each<[object, string, string]>([
    [{ name: 'api-dwn' }, 'name', 'Is no incident: api-dwn. Did you mean api-down?'],
    [{ name: 'toString' }, 'name', 'The incidents are api-down, webhooks-delayed'],
    [{ name: 'own', faults: [{ action: 'hold' }] }, 'duration', 'Is required for an incident with faults.'],
    [{ name: 'api-down', duration: '1m', faults: [{ action: 'hold' }] }, 'name', 'Use another name'],
    [{ name: 'own', duration: '0s', faults: [{ action: 'hold' }] }, 'duration', 'got 0s'],
    [
      { name: 'own', duration: '1m', faults: [{ action: 'drop', every: 2, nth: 3 }] },
      'faults[0].every',
      'combined with nth',
    ],
    [{ name: 'own', duration: '1m', faults: [] }, 'faults', 'a list of 1 to 200 faults'],
    [
      { name: 'own', duration: '1m', faults: [{ action: 'hold', for: '1m' }] },
      'faults',
      'Must not have from',
    ],
    [
      { name: 'own', duration: '1m', faults: [{ action: 'hold', atempt: 1 }] },
      'faults[0].atempt',
      'Is not a',
    ],
    [{ name: 'api-down', until: 'noon' }, 'until', 'Is not a field of an incident.'],
  ])('rejects %j', (body, field, words) => {
    const { details } = thrownBy(() => parse(body), Refusal);
    expect(details).toEqual([{ field, message: expect.stringContaining(words) }]);
  });
});
