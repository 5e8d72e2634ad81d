import { strict as assert } from 'node:assert';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/contract/time.js';
import type { Delivery } from '../../src/core/world.js';
import type { ListenerAttempt } from '../../src/delivery/listener-hub.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { chanceOf } from '../helpers/random.js';
import type { TestListener } from '../helpers/sandbox/sandbox.js';
import { listenTo, settle, startSandbox } from '../helpers/sandbox/sandbox.js';

const STOPS = 10;

/** A day on which one listener is stopped and started again, and its application fails now and then. */
class Day {
  readonly sandbox: Sandbox = startSandbox();
  /** How often the application accepted each delivery. */
  readonly accepted = new Map<string, number>();
  readonly #chance;
  #listener: TestListener;
  #isHung = false;
  #isOver = false;
  /** Events that happened while the listener was there. */
  announced = 0;

  constructor(seed: number) {
    this.#chance = chanceOf(seed);
    this.#listener = this.#come();
  }

  get rows(): readonly Delivery[] {
    return this.sandbox.world.deliveries.rows;
  }

  #come(): TestListener {
    return listenTo(this.sandbox, { status: (attempt) => this.#answer(attempt) });
  }

  /** It accepts what it refused five times, so that none runs out of attempts. */
  #answer({ delivery_id: id, attempt }: ListenerAttempt): number | undefined {
    if (this.#isHung) return undefined;
    const isAccepted = this.#isOver || attempt > 5 || this.#chance() < 0.6;
    if (isAccepted) this.accepted.set(id, (this.accepted.get(id) ?? 0) + 1);
    return isAccepted ? 200 : 500;
  }

  /** Lets events happen and time pass. */
  async work(): Promise<void> {
    for (let rest = Math.floor(this.#chance() * 6); rest >= 0; rest -= 1) {
      settle(this.sandbox);
      this.announced += 1;
      await this.pass(this.#chance() * 20 * MINUTE_MS);
    }
  }

  pass(ms: number) {
    return this.sandbox.travel.advanceTo(this.sandbox.clock.now() + Math.floor(ms));
  }

  /** Stops the listener with an attempt in flight: it dies, or it leaves and still reports how that one ended. */
  async stop(): Promise<void> {
    this.#isHung = true;
    settle(this.sandbox);
    this.announced += 1;
    const open = this.#listener.received.at(-1);
    if (this.#chance() < 0.5) {
      const { id: endpointId } = this.#listener.endpoint;
      this.sandbox.dispatch({ type: 'listener.lose', endpointId });
      this.#isHung = false;
      if (open !== undefined) this.#listener.answer(open, this.#answer(open));
    }
    this.#listener.hangUp();
    await this.sandbox.idle();
    this.#isHung = false;
  }

  /** Time passes and events happen without the listener: nothing that it had pending moves. */
  async beAway(): Promise<void> {
    const before = structuredClone(this.rows);
    settle(this.sandbox);
    await this.pass(this.#chance() * 3 * HOUR_MS);
    assert.ok(this.sandbox.isIdle());
    assert.deepEqual(this.rows, before);
  }

  /** Starts it again: it finds what waited for it. */
  async start(): Promise<void> {
    const waiting = this.rows.filter(({ status }) => status === 'PENDING');
    this.#listener = this.#come();
    assert.deepEqual(this.#listener.held, waiting);
    await this.sandbox.idle();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.pass(3 * DAY_MS);
  }
}

test('a day with a listener that stops and starts ten times loses and duplicates no delivery', async () => {
  const seed = Date.now() % 1_000_000;
  const day = new Day(seed);
  try {
    for (let stop = 0; stop < STOPS; stop += 1) {
      await day.work();
      await day.stop();
      await day.beAway();
      await day.start();
    }
    await day.end();
    expect(day.rows).toHaveLength(day.announced);
    expect(day.rows.filter(({ status }) => status !== 'DELIVERED')).toEqual([]);
    expect(day.rows.map(({ id }) => day.accepted.get(id))).toEqual(day.rows.map(() => 1));
    const errors = new Set(day.rows.flatMap(({ log }) => log.map(({ error }) => error)));
    for (const error of errors) expect([null, 'HTTP_STATUS', 'LISTENER_NOT_CONNECTED']).toContain(error);
  } catch (error) {
    throw new Error(`The day of seed ${seed} failed.`, { cause: error });
  }
});
